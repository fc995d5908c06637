/**
 * Memory of one device: values over time, and the ops that held it at the peaks.
 *
 * Metrics: those of PyTorch traces and of the Ascend PyTorch Profiler (allocated, reserved, active by component;
 * npu_mem; allocations of ops as `op_memory`), and `memory` by kind of Neuron captures, which is a value of the whole
 * profile.
 */
import { boundedEntryOf } from '../../containers/map-entry.js';
import type { SampleRecord, ProfileRecord } from '../../record/record.js';
import { Allocations, type Holding, type Owner } from './allocations.js';
import { Curve } from './bounded-curve.js';
import { UserError } from '../../record/errors.js';
import { noProfile } from '../analysis.js';
import { captureOption } from '../work/capture-options.js';

/** Metrics of memory in use; the most suitable one for a peak comes first. */
const MEMORY_METRICS = [
  'memory_allocated',
  'memory_active',
  'memory_reserved',
  'npu_mem',
  'memory',
  // Allocations before the first event are unknown, so this metric counts only later ones.
  'memory_allocated_since_first',
  // Buffers of a Neuron core, which are not part of the device's memory.
  'sb_usage',
  'psum_usage',
] as const;
export type MemoryMetric = (typeof MEMORY_METRICS)[number];
/** Metrics whose samples are shares of a buffer; their labels are shares of its parts. */
const BUFFERS = { sb_usage: 'sbufBytes', psum_usage: 'psumBytes' } as const;

/**
 * Size of the buffer that a metric's samples are shares of, which is unknown for an unknown core; null when the samples are
 * bytes.
 */
export const bufferOf = (metric: string): (typeof BUFFERS)[keyof typeof BUFFERS] | null =>
  metric === 'sb_usage' || metric === 'psum_usage' ? BUFFERS[metric] : null;

export const ALLOCATION_METRIC = 'op_memory';
/** Values of an allocator's segments at the end, by metric. */
const SEGMENT_METRICS = {
  segments: 'count',
  segment_bytes: 'bytes',
  segment_held: 'held',
  segment_free: 'free',
  segment_free_blocks: 'freeBlocks',
  segment_free_largest: 'largestFree',
} as const;

/** An allocator's segments when a snapshot was made; sizes in bytes. */
export interface Segments {
  readonly count: number;
  readonly bytes: number;
  /** Bytes that the program holds, in the sizes that it requested. */
  readonly held: number;
  /** Bytes and number of free blocks in segments that also have allocated blocks. The allocator cannot release them. */
  readonly free: number;
  readonly freeBlocks: number;
  readonly largestFree: number;
}

export const isSegmentMetric = (metric: string): metric is keyof typeof SEGMENT_METRICS =>
  Object.hasOwn(SEGMENT_METRICS, metric);

/** The sum of all kinds. */
const TOTAL = 'Total';
const MOST_SERIES = 256;

export interface Series {
  readonly metric: MemoryMetric;
  /** Component, kind of memory …; '' when there is only one. */
  readonly of: string;
  readonly curve: Curve;
  /** A value of the whole profile, without a time. */
  whole: number | null;
}

export interface Peak {
  readonly series: Series;
  readonly value: number;
  /** Unit: ns; null for a value of the whole profile. */
  readonly start: number | null;
  /** Op of the newest allocation at the peak. */
  readonly op: string | null;
  /** Null when it is unknown which ops held the memory. */
  readonly owners: { readonly ops: readonly Owner[]; readonly categories: readonly Owner[] } | null;
}

export const isMemory = (metric: string): metric is MemoryMetric =>
  (MEMORY_METRICS as readonly string[]).includes(metric);

export class DeviceMemory {
  readonly #series = new Map<string, Series>();
  readonly #allocations = new Allocations();
  /** Memory held at the peak of each series, by op. */
  readonly #holdings = new Map<Series, Holding>();
  /** Series that reached a new peak at the current time. */
  readonly #rising = new Set<Series>();
  readonly #segments: { -readonly [Key in keyof Segments]?: Segments[Key] } = {};
  #now = -Infinity;
  /** Number of samples of series beyond the maximum. */
  ignored = 0;

  constructor(private readonly points: number) {}

  /** Must be called in order of start time. */
  take({ metric, start, dur, value, labels = {} }: SampleRecord): void {
    if (value === null) return;
    if (isSegmentMetric(metric)) this.#segments[SEGMENT_METRICS[metric]] = value;
    if (start !== null && start > this.#now) {
      this.#settle();
      this.#now = start;
    }
    if (metric === ALLOCATION_METRIC) {
      if (start === null) return;
      const op = String(labels['op'] ?? 'na');
      // Without a `dur` its lifetime is unknown; null means until the end.
      if (dur === undefined) this.#allocations.note(op);
      else this.#allocations.add(op, value, dur === null ? null : start + dur);
    } else if (isMemory(metric)) this.#value(metric, Object.values(labels).join(' '), start, value);
  }

  get series(): readonly Series[] {
    return [...this.#series.values()].sort(
      (a, b) => MEMORY_METRICS.indexOf(a.metric) - MEMORY_METRICS.indexOf(b.metric) || (a.of < b.of ? -1 : 1),
    );
  }

  /** Null for profiles other than snapshots of an allocator. */
  get segments(): Segments | null {
    const { count = null, bytes = 0, held = 0, free = 0, freeBlocks = 0, largestFree = 0 } = this.#segments;
    return count === null ? null : { count, bytes, held, free, freeBlocks, largestFree };
  }

  /** The memory held at the end, largest first. Call this after the last record. */
  get kept(): readonly Owner[] {
    this.#settle();
    this.#allocations.releaseUntil(Number.MAX_VALUE);
    return this.#allocations.ownersOf(this.#allocations.holding).ops;
  }

  get allocations(): number {
    return this.#allocations.count;
  }

  /** The series with the highest peak, among those of the first available metric. */
  get peak(): Peak | null {
    this.#settle();
    const all = this.series;
    const best = all.filter(({ metric }) => metric === all[0]?.metric);
    const series = best.reduce<Series | null>((a, b) => (a !== null && highest(a) >= highest(b) ? a : b), null);
    if (series === null) return null;
    if (series.curve.peak === null) {
      const categories = best
        .filter(({ of: component }) => component !== TOTAL)
        .map(({ of: component, whole }) => ({ name: component, bytes: whole ?? 0, allocations: null }));
      const kinds = categories
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
      const owners = kinds.length === 0 ? null : { ops: [], categories: kinds };
      return { series, value: highest(series), start: null, op: null, owners };
    }
    const { at, value } = series.curve.peak;
    const holding = this.#holdings.get(series);
    const holders = holding === undefined ? null : this.#allocations.ownersOf(holding);
    const owners = this.allocations === 0 ? null : holders;
    const rest = value - (owners?.bytes ?? 0);
    const before = rest === 0 ? [] : [{ name: 'allocated before', bytes: rest, allocations: null }];
    return {
      series,
      value,
      start: at,
      op: holders?.latest ?? null,
      owners: owners === null ? null : { ops: owners.ops, categories: [...before, ...owners.categories] },
    };
  }

  #value(metric: MemoryMetric, component: string, start: number | null, value: number): void {
    const key = `${metric}\0${component}`;
    const empty = (): Series => ({ metric, of: component, curve: new Curve(this.points), whole: null });
    const series = boundedEntryOf(this.#series, key, MOST_SERIES, empty);
    if (series === null) this.ignored++;
    else if (start === null) series.whole = value;
    else if (series.curve.add(start, value)) this.#rising.add(series);
  }

  /** All samples of a time are known when the next time begins. */
  #settle(): void {
    this.#allocations.releaseUntil(this.#now);
    if (this.#rising.size === 0) return;
    const { holding } = this.#allocations;
    for (const series of this.#rising) this.#holdings.set(series, holding);
    this.#rising.clear();
  }
}

const highest = ({ curve, whole }: Series): number => curve.peak?.value ?? whole ?? 0;

/** Hint for records of an unknown profiler. */
const KNOWN = (['kineto', 'nsight'] as const).map((format) => captureOption({ format }, 'memory')).join(', or ');

/**
 * @param what description of what is missing
 * @param profiles the profiles of the input
 */
export function withoutMemory(what: string, profiles: readonly ProfileRecord[]): UserError {
  if (profiles.some(({ format }) => format === 'neuron-monitor')) return noProfile();
  const options = new Set(profiles.map((profile) => captureOption(profile, 'memory')));
  options.delete(null);
  const option = profiles.length === 0 ? KNOWN : [...options].join(', or ');
  return new UserError(what, option === '' ? {} : { hint: `record them with ${option}` });
}
