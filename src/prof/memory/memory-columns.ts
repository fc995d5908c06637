/** Columns of `dprof memory`: one row a point of a curve. */
import { column, int, str } from '../../table/column-kinds.js';
import type { Column } from '../../table/column.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Peak, Series } from './device-memory.js';

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
