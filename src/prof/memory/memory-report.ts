/** Columns of `dprof memory`: one row per point of a curve. */
import { countNotes } from '../limits.js';
import { UserError } from '../../record/errors.js';
import { column, knownColumn, int, str, type Column } from '../../table/column.js';
import type { ProfileRecord, KernelLine, ProfileLine, SampleRecord } from '../../record/record.js';
import {
  ALLOCATION_METRIC,
  DeviceMemory,
  bufferOf,
  isMemory,
  isSegmentMetric,
  withoutMemory,
  type Peak,
  type Segments,
  type Series,
} from './device-memory.js';
import type { Owner } from './allocations.js';
import type { MemoryOwners, MemoryPeak } from '../html/page-data.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Analysis, Answer, RecordTypes } from '../analysis.js';
import { HostSteps, stepOf } from '../steps/host-steps.js';
import { coreOfArch } from '../../record/neuron/neuron-cores.js';
import { rankOn, statedDevice } from '../../record/fields/stated-device.js';

/** Memory in use on one device of one profile. */
export interface MemoryReport {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** Null for samples without a device, such as those of the host. */
  readonly device: number | null;
  readonly peak: Peak;
  /** Training step of the peak; null if unknown. */
  readonly step: number | null;
  readonly series: readonly Series[];
  /**
   * The allocator's segments, and memory that was never released, by op, in a snapshot of an allocator; null in other
   * profiles.
   */
  readonly atEnd: { readonly segments: Segments; readonly kept: readonly Owner[] } | null;
}

/** A point of a curve, or the value of a whole profile, which has no time. */
interface CurveRow {
  readonly report: MemoryReport;
  readonly series: Series;
  /** Unit: ns. */
  readonly at: number | null;
  readonly bytes: number;
}

/** All points of all curves; a series without samples over time has only its value. */
const curveRows = (reports: readonly MemoryReport[]): CurveRow[] =>
  reports.flatMap((report) =>
    report.series.flatMap((series): CurveRow[] => {
      const points = series.curve.points.map(({ at, value }) => ({ report, series, at, bytes: value }));
      return points.length === 0 && series.whole !== null
        ? [{ report, series, at: null, bytes: series.whole }]
        : points;
    }),
  );

/** Columns of the table of curves. */
export const CURVE_COLUMNS: readonly Column<CurveRow>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ report }) => report.profile),
  column('file', 'file', str(0), "the profile's file", ({ report }) => report.header?.file ?? null),
  column('rank', 'rank', int(4), 'rank of the process', ({ report }) => rankOn(report.header, report.device)),
  column('device', 'device', int(6), 'device; na for the host', ({ report }) => report.device),
  knownColumn('metric', 'metric', str(28), 'allocated, reserved, active …', ({ series }) => series.metric),
  knownColumn('of', 'of', str(12), 'component or kind of memory', ({ series }) => series.of),
  column('start', 'start_ns', int(15, 'ns'), 'time', ({ at }) => at),
  knownColumn('bytes', 'bytes', int(15, 'bytes'), 'memory in use', ({ bytes }) => bytes),
];

/** Memory in use on a device, or on the host. */
export interface MemoryDocument {
  readonly profile: number;
  readonly file: string | null;
  readonly rank: number | null;
  /** Null for the host. */
  readonly device: number | null;
  readonly peak: PeakMemory;
  /** The ops that held the memory at the peak, largest first; null when the profile has no allocations. */
  readonly owners: Peak['owners'];
  readonly series: readonly MemorySeries[];
  /** Only for snapshots of an allocator: its segments, and the memory that was never released, largest first. */
  readonly segments?: Segments;
  readonly kept?: readonly Owner[];
}

/** The highest value of the most suitable series. */
export interface PeakMemory {
  readonly metric: string;
  /** Component or kind of memory; '' when there is only one. */
  readonly of: string;
  readonly bytes: number;
  /** Null for a value that applies to the whole profile. */
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

/** @param most maximum number of owners in each list */
export const memoryDocument = (
  { profile, header, device, peak, step, series, atEnd }: MemoryReport,
  most = Infinity,
): MemoryDocument => ({
  profile,
  file: header?.file ?? null,
  rank: rankOn(header, device),
  device,
  peak: { metric: peak.series.metric, of: peak.series.of, bytes: peak.value, start: peak.start, step, op: peak.op },
  owners:
    peak.owners === null
      ? null
      : { ops: peak.owners.ops.slice(0, most), categories: peak.owners.categories.slice(0, most) },
  series: series.map(({ metric, of: component, curve, whole }) => ({
    metric,
    of: component,
    samples: curve.samples,
    highest: curve.peak?.value ?? whole,
    at: curve.peak?.at ?? null,
    last: curve.last?.value ?? whole,
    curve: curve.points.map(({ at, value }) => [at, value] as const),
  })),
  ...(atEnd === null ? undefined : { segments: atEnd.segments, kept: atEnd.kept.slice(0, most) }),
});

/** Turns reports of memory into the peak of each device and the ops that held it, as in `dprof memory`. */
const MOST_OWNERS = 50;

/** Largest first, as given; those not shown are added up. */
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

export const MEMORY_TYPES: RecordTypes = new Set(['profile', 'kernel', 'sample', 'range', 'end'] as const);

/** Maximum number of points of a curve for a plot. */
export const CURVE_POINTS = 1000;

/** Times of the first and the last launch of a step's kernels. */
class StepLaunches {
  readonly #steps = new Map<number, { first: number; last: number }>();

  take({ step, launch }: KernelLine): void {
    const start = launch?.start;
    if (typeof step !== 'number' || start === undefined) return;
    const times = entryOf(this.#steps, step, () => ({ first: start, last: start }));
    times.first = Math.min(times.first, start);
    times.last = Math.max(times.last, start);
  }

  /** The step whose launches enclose a time; null when there is none, or several. */
  at(time: number): number | null {
    const found = [...this.#steps].filter(([, { first, last }]) => first <= time && time <= last);
    return found.length === 1 ? (found[0]?.[0] ?? null) : null;
  }
}

class MemoryProfile {
  header: ProfileRecord | null = null;
  readonly steps = new HostSteps();
  readonly launches = new StepLaunches();
  readonly devices = new Map<number | null, DeviceMemory>();
}

/**
 * Turns records into memory in use over time, for each device of each profile, in one pass over records in order of
 * start time.
 */
export class Memory implements Analysis<readonly MemoryReport[]> {
  readonly types = MEMORY_TYPES;
  readonly ranges = 'without-calls';
  readonly #profiles = new Map<number, MemoryProfile>();
  /** Number of samples of buffers of unknown size. */
  #unsized = 0;

  /**
   * @param points maximum number of points of each curve
   * @param device the only device that is wanted, null for the host; all when undefined
   */
  constructor(
    private readonly points = CURVE_POINTS,
    private readonly device?: number | null,
  ) {}

  take(record: ProfileLine): void {
    if (record.type === 'end') return;
    const profile = entryOf(this.#profiles, record.profile, () => new MemoryProfile());
    if (record.type === 'profile') profile.header = record;
    else if (record.type === 'kernel') profile.launches.take(record);
    else if (record.type === 'sample') this.#sample(profile, record);
    const step = stepOf(record);
    if (step !== null) profile.steps.add(step);
  }

  /** @throws UserError when there are no memory samples */
  finish(): Answer<readonly MemoryReport[]> {
    const { reports } = this;
    const chosen = this.device === undefined ? reports : reports.filter(({ device }) => device === this.device);
    if (reports.length === 0) throw withoutMemory('no memory samples', this.#headers);
    if (chosen.length === 0) {
      const known = [...new Set(reports.map(({ device }) => device ?? 'host'))];
      const what = `no memory samples of ${this.device === null ? 'the host' : `device ${this.device ?? ''}`}`;
      throw new UserError(what, { hint: `--device ${known.join(', --device ')}` });
    }
    return {
      table: { columns: CURVE_COLUMNS, rows: curveRows(chosen) },
      facts: chosen,
      notes: countNotes(
        [this.#ignored, 'sample', ' left out', 'too many memory series'],
        [this.#unsized, 'sample', ' left out', 'buffers of unknown size'],
      ),
    };
  }

  get #headers(): ProfileRecord[] {
    return [...this.#profiles.values()].flatMap(({ header }) => header ?? []);
  }

  get #ignored(): number {
    const memories = [...this.#profiles.values()].flatMap(({ devices }) => [...devices.values()]);
    return memories.reduce((sum, { ignored }) => sum + ignored, 0);
  }

  get reports(): MemoryReport[] {
    return [...this.#profiles].flatMap(([profile, { header, steps, launches, devices }]) =>
      [...devices]
        .sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity))
        .flatMap(([device, memory]) => {
          const { peak, series } = memory;
          if (peak === null) return [];
          const { start } = peak;
          const step = start === null ? null : (steps.at(start) ?? launches.at(start));
          const { segments } = memory;
          const atEnd = segments === null ? null : { segments, kept: memory.kept };
          return [{ profile, header, device, peak, step, series, atEnd }];
        }),
    );
  }

  #sample({ devices, header }: MemoryProfile, record: SampleRecord): void {
    const { metric } = record;
    if (!isMemory(metric) && metric !== ALLOCATION_METRIC && !isSegmentMetric(metric)) return;
    const inBytes = this.#inBytes(header, record);
    if (inBytes !== null) entryOf(devices, record.device, () => new DeviceMemory(this.points)).take(inBytes);
  }

  /** Converts a share of a core's buffer to bytes; null, and counted, when the size of the buffer is unknown. */
  #inBytes(header: ProfileRecord | null, record: SampleRecord): SampleRecord | null {
    const buffer = bufferOf(record.metric);
    if (buffer === null) return record;
    const arch = statedDevice(header, record.device)?.arch ?? null;
    const size = coreOfArch(arch)?.[buffer];
    const { value } = record;
    if (size !== undefined) return { ...record, labels: {}, value: value === null ? null : Math.round(value * size) };
    this.#unsized++;
    return null;
  }
}
