/**
 * What the host did during a gap: the innermost host range that fills most of it. Memory: the latest ranges of a profile
 * that are long enough for that.
 */
import { IntervalUnion } from '../../../containers/interval-union.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { RangeRecord } from '../../../record/record.js';
import { readStepName } from '../../../record/serving-step.js';
import { MOSTLY } from '../../steps/transfers.js';
import type { Gap } from '../device-times.js';
import { shortened } from '../wording.js';

/** Number of ranges to keep (at most twice as many are held): the call stacks of a few threads are not deeper. */
const MOST_RANGES = 512;

const endOf = ({ start, dur }: RangeRecord): number => start + dur;

/** `cudaHostAlloc`, `cudaFree`, `hipMalloc`, `cuMemAlloc_v2`, `aclrtMallocAlign32`. */
const ALLOCATES = /^(?:cu|hip|acl)\w*(?:[Aa]lloc|Free|HostRegister)/;
const ALLOCATION = 'calls that allocate memory';

/** Whether the range shows what the host did. The range of a step does not. */
const isPlace = ({ dur, kind, text }: RangeRecord): boolean =>
  Number.isFinite(dur) && kind !== 'marker' && text !== '' && readStepName(text) === null;

/** `scheduler.py(12): run` of `/a/scheduler.py(12): run`; `aten::mm` of `aten::mm, seq = 5, op_id = 7`. */
const placeName = ({ text, kind }: RangeRecord): string =>
  shortened(kind === 'frame' ? text.replace(/^[^(]*\/(?=[^/(]+\()/, '') : text.replace(/, (?:seq|op_id) = .*$/, ''));

/** Time in ns of a gap that lies within a range. */
const within = (range: RangeRecord, { start, end }: Gap): number =>
  Math.min(end, endOf(range)) - Math.max(start, range.start);

/** What the host did, and for how long in ns. */
export interface HostPlace {
  readonly name: string;
  readonly time: number;
}

export class HostPlaces {
  readonly #ranges = new Map<number, RangeRecord[]>();
  readonly #withFrames = new Set<number>();

  /** @param shortest length in ns of the gaps that will be queried */
  constructor(private readonly shortest: number) {}

  take(record: RangeRecord): void {
    if (record.kind === 'frame') this.#withFrames.add(record.profile);
    if (record.dur <= MOSTLY * this.shortest || !isPlace(record)) return;
    const ranges = entryOf(this.#ranges, record.profile, (): RangeRecord[] => []);
    ranges.push(record);
    if (ranges.length <= 2 * MOST_RANGES) return;
    // Ranges that ended first are dropped.
    ranges.sort((a, b) => endOf(b) - endOf(a));
    ranges.length = MOST_RANGES;
  }

  /** Whether the profiler recorded each Python call, which slows the host. */
  hasFrames(profile: number): boolean {
    return this.#withFrames.has(profile);
  }

  /**
   * What the host did during a gap, and for how much of it: first the thread that launched the work after the gap, then
   * the other threads of its process. Threads of all processes are searched when the launching process is unknown.
   */
  of(gap: Gap): HostPlace | null {
    const { profile, start, end, after } = gap;
    const process = after.pid ?? null;
    const filling = (this.#ranges.get(profile) ?? []).filter(
      (range) => (process === null || range.pid === process) && within(range, gap) > MOSTLY * (end - start),
    );
    const onThread = filling.filter(({ tid }) => tid === after.tid);
    if (filling.length === 0) {
      const allocating = this.#allocating(gap, process);
      return allocating > MOSTLY * (end - start) ? { name: ALLOCATION, time: allocating } : null;
    }
    let innermost: RangeRecord | null = null;
    for (const range of onThread.length > 0 ? onThread : filling) {
      if (innermost === null || range.dur <= innermost.dur) innermost = range;
    }
    return innermost === null ? null : { name: placeName(innermost), time: within(innermost, gap) };
  }

  /** Time in ns of a gap in which calls of a process allocate or free memory; no single call has to fill most of it. */
  #allocating(gap: Gap, process: number | null): number {
    const calls = (this.#ranges.get(gap.profile) ?? [])
      .filter(({ text, pid }) => (process === null || pid === process) && ALLOCATES.test(text))
      .sort((a, b) => a.start - b.start);
    const time = new IntervalUnion();
    for (const call of calls) {
      const [from, to] = [Math.max(gap.start, call.start), Math.min(gap.end, endOf(call))];
      if (to > from) time.add(from, to);
    }
    return time.total;
  }
}
