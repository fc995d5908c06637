/**
 * Times in which a device may have worked: after launches whose work the profiler lost, and from the start of work
 * without a duration until the next work of its stream begins. These times count as neither busy nor idle.
 */
import type { ProfileLine } from '../../record/record.js';
import { MISSING_WORK_METRIC } from '../../record/sample-metrics.js';

/** Times in ns. */
export interface MissingWork {
  readonly device: number;
  readonly start: number;
  readonly end: number;
  /** Number of launches without their work, and the call that made them; null if unknown. */
  readonly launches: number;
  readonly api: string | null;
}

/** Stream and start of a piece of device work. */
export interface StreamWork {
  readonly stream?: number | null;
  readonly start: number;
}

/** The contents of a `sample` of the metric `missing_work`; null for all other records. */
export function missingWorkOf(record: ProfileLine): MissingWork | null {
  if (record.type !== 'sample' || record.metric !== MISSING_WORK_METRIC) return null;
  const { device, start, dur = null, value, labels } = record;
  if (device === null || start === null || dur === null || !Number.isFinite(start + dur)) return null;
  const api = labels?.['api'];
  return { device, start, end: start + dur, launches: value ?? 0, api: typeof api === 'string' ? api : null };
}

const lesser = (a: number, b: number): number => Math.min(a, b);

/**
 * Times of missing work on one device, in order of start time; gaps may be in fractions of a ns. Memory: the times that the
 * device has not reached yet.
 */
export class MissingTimes {
  #ahead: { readonly from: number; readonly to: number }[] = [];
  /** Starts of work without a duration, by stream, until the stream's next work; in the unit of the gaps. */
  readonly #running = new Map<number | null, number>();
  launches = 0;
  /** Number of pieces of work without a duration. */
  untimed = 0;
  /** The call of the first missing launch; the others probably have the same. */
  api: string | null = null;
  /** Start of the first time and end of the last, in ns. */
  start = Infinity;
  end = -Infinity;
  /** Idle time within these times. */
  time = 0;

  /** @param unit number of gap units per ns */
  add({ start, end, launches, api }: MissingWork, unit = 1): void {
    this.#ahead.push({ from: start * unit, to: end * unit });
    this.launches += launches;
    this.api ??= api;
    this.start = Math.min(this.start, start);
    this.end = Math.max(this.end, end);
  }

  /**
   * Takes work of the device, in order of start time.
   * @param isTimed whether its duration is known
   */
  work({ stream = null, start }: StreamWork, isTimed: boolean, unit = 1): void {
    const from = this.#running.get(stream);
    if (!isTimed) this.untimed++;
    if (!Number.isFinite(start)) return;
    if (!isTimed && from === undefined) this.#running.set(stream, start * unit);
    if (!isTimed || from === undefined) return;
    this.#ahead.push({ from, to: start * unit });
    this.#running.delete(stream);
  }

  /**
   * Takes a gap; gaps must come in order.
   * @returns the part of the gap before the first time in which work is missing; null when no work is missing in the gap
   */
  take(from: number, to: number): number | null {
    this.#ahead = this.#ahead.filter((time) => time.to > from);
    const first = [...this.#ahead.map((time) => time.from), ...this.#running.values()].reduce(lesser, Infinity);
    if (first >= to) return null;
    const before = Math.max(0, first - from);
    this.time += to - from - before;
    return before;
  }
}
