/** Columns of `dprof memory`: one row a point of a curve. */
import { column, int, str, type Column } from '../../table/column.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Peak, Series } from './device-memory.js';
import type { Owner } from './allocations.js';
import type { MemoryOwners, MemoryPeak } from '../html/page-data.js';

/** Memory in use of one device of one profile. */
export interface MemoryReport {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** Null where samples have none, as those of the host. */
  readonly device: number | null;
  readonly peak: Peak;
  /** Training step of the peak; null when it is not known. */
  readonly step: number | null;
  readonly series: readonly Series[];
}

/** A point of a curve, or the value of a whole profile, which has no time. */
export interface CurveRow {
  readonly report: MemoryReport;
  readonly series: Series;
  /** ns. */
  readonly at: number | null;
  readonly bytes: number;
}

/** All points of all curves; a series without samples over time has its value alone. */
export const curveRows = (reports: readonly MemoryReport[]): CurveRow[] =>
  reports.flatMap((report) =>
    report.series.flatMap((series): CurveRow[] => {
      const points = series.curve.points.map(({ at, value }) => ({ report, series, at, bytes: value }));
      return points.length === 0 && series.whole !== null
        ? [{ report, series, at: null, bytes: series.whole }]
        : points;
    }),
  );

export const CURVE_COLUMNS: readonly Column<CurveRow>[] = [
  column('profile', 'profile', int(7), 'number of the input, from 0', ({ report }) => report.profile),
  column('file', 'file', str(0), "the profile's file", ({ report }) => report.header?.file ?? null),
  column('rank', 'rank', int(4), 'rank of the process', ({ report }) => report.header?.rank ?? null),
  column('device', 'device', int(6), 'device; unknown for the host', ({ report }) => report.device),
  column('metric', 'metric', str(28), 'allocated, reserved, active …', ({ series }) => series.metric),
  column('of', 'of', str(12), 'component or kind of memory', ({ series }) => series.of),
  column('start', 'start_ns', int(15, 'ns'), 'time', ({ at }) => at),
  column('bytes', 'bytes', int(15, 'bytes'), 'memory in use', ({ bytes }) => bytes),
];

/** Memory in use of a device, or of the host. */
export interface MemoryDocument {
  readonly profile: number;
  readonly file: string | null;
  readonly rank: number | null;
  /** Null for the host. */
  readonly device: number | null;
  readonly peak: PeakMemory;
  /** What held the memory at the peak, most first; null where the profile has no allocations. */
  readonly owners: Peak['owners'];
  readonly series: readonly MemorySeries[];
}

/** The highest value of the series that counts. */
export interface PeakMemory {
  readonly metric: string;
  /** Component or kind of memory; '' where there is one. */
  readonly of: string;
  readonly bytes: number;
  /** Null for a value of the whole profile. */
  readonly start: number | null;
  readonly step: number | null;
  readonly op: string | null;
}

/** A metric over time. */
export interface MemorySeries {
  readonly metric: string;
  readonly of: string;
  readonly samples: number;
  readonly highest: number | null;
  readonly at: number | null;
  readonly last: number | null;
  readonly curve: readonly (readonly [start: number, bytes: number])[];
}

export const memoryDocument = ({ profile, header, device, peak, step, series }: MemoryReport): MemoryDocument => ({
  profile,
  file: header?.file ?? null,
  rank: header?.rank ?? null,
  device,
  peak: { metric: peak.series.metric, of: peak.series.of, bytes: peak.value, start: peak.start, step, op: peak.op },
  owners: peak.owners,
  series: series.map(({ metric, of, curve, whole }) => ({
    metric,
    of,
    samples: curve.samples,
    highest: curve.peak?.value ?? whole,
    at: curve.peak?.at ?? null,
    last: curve.last?.value ?? whole,
    curve: curve.points.map(({ at, value }) => [at, value] as const),
  })),
});

/** Reports of memory → the peak of each device and who held it, as `dprof memory` says. */
const MOST_OWNERS = 50;

/** Largest first, as given; what is not shown is added up. */
function bounded(owners: readonly Owner[]): MemoryOwners {
  const rest = owners.slice(MOST_OWNERS).reduce((sum, { bytes }) => sum + bytes, 0);
  return { shown: owners.slice(0, MOST_OWNERS), count: owners.length, restBytes: rest };
}

export const memoryPeaks = (reports: readonly MemoryReport[]): MemoryPeak[] =>
  reports.map(({ device, peak, step }) => ({
    ...{ device, metric: peak.series.metric, of: peak.series.of, bytes: peak.value, start: peak.start, step },
    op: peak.op,
    ops: peak.owners === null ? null : bounded(peak.owners.ops),
    categories: peak.owners === null ? null : bounded(peak.owners.categories),
  }));
