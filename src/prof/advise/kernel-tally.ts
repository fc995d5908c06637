/** The kernels that a finding is about: number, total time, names, and the longest ones. */
import { IntervalUnion } from '../../containers/interval-union.js';
import type { Load } from '../roofline/roofline.js';
import { amountText, NS_PER_S } from '../../record/units.js';
import type { Gain, LongestTime } from './finding.js';
import { addTo } from '../../containers/map-entry.js';

/** Number of kernels that a finding names. */
const NAMED = 5;
/** Maximum number of distinct names to sum; the time of other names is left out. */
const MOST_NAMES = 1000;

interface RankedRecord {
  readonly profile: number;
  readonly id: number;
  readonly dur: number | null;
}

/** The longest kernels; of equally long ones, the first. */
export class Longest {
  readonly #kept: { readonly id: string; readonly dur: number }[] = [];

  add({ profile, id, dur }: RankedRecord): void {
    const time = dur ?? 0;
    const last = this.#kept.at(-1);
    if (this.#kept.length === NAMED && last !== undefined && time <= last.dur) return;
    this.#insert({ id: `${profile}:${id}`, dur: time });
  }

  merge(others: Longest): void {
    for (const kernel of others.#kept) this.#insert(kernel);
  }

  #insert(kernel: { readonly id: string; readonly dur: number }): void {
    const at = this.#kept.findIndex((other) => other.dur < kernel.dur);
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, kernel);
    if (this.#kept.length > NAMED) this.#kept.pop();
  }

  /** 'PROFILE:ID' of each. */
  get ids(): string[] {
    return this.#kept.map(({ id }) => id);
  }
}

/** The longer of two times; the first when they are equal. */
export const longerOf = (a: LongestTime | null, b: LongestTime | null): LongestTime | null =>
  a === null || (b !== null && b.end - b.start > a.end - a.start) ? b : a;

/** The field of a finding; absent without such a time. */
export const atLongest = (at: LongestTime | null): { readonly at?: LongestTime } => (at === null ? {} : { at });

/** The name with the largest time, the alphabetically first of equal ones; null for none. */
export const topOf = (times: ReadonlyMap<string, number>): readonly [name: string, time: number] | null =>
  [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? null;

/** Selects the kernels and names to show: the longest kernels, and the names with the largest total time. */
export class Ranking {
  readonly #times = new Map<string, number>();

  /** @returns whether the name is summed */
  add(name: string, time: number): boolean {
    if (this.#times.size >= MOST_NAMES && !this.#times.has(name)) return false;
    addTo(this.#times, name, time);
    return true;
  }

  /** Time in ns; 0 for a name that is not summed. */
  timeOf(name: string): number {
    return this.#times.get(name) ?? 0;
  }

  merge(other: Ranking): void {
    for (const [name, time] of other.#times) this.add(name, time);
  }

  get size(): number {
    return this.#times.size;
  }

  /** Sorted by time, largest first, then by name. */
  top(count: number): readonly (readonly [name: string, time: number])[] {
    return [...this.#times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count);
  }
}

export class KernelTally {
  count = 0;
  /** Sum of durations, in ns. */
  time = 0;
  /** Time in which any of the kernels ran. */
  readonly #union = new IntervalUnion();
  /** The sum for merged tallies, whose kernels may run at the same time. */
  #merged = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();

  /** Adds a kernel; its time `dur` in ns counts for the name. */
  add(record: RankedRecord & { readonly start: number }, name: string, dur: number): void {
    this.count++;
    this.time += dur;
    this.#union.add(record.start, record.start + dur);
    this.names.add(name, dur);
    this.longest.add(record);
  }

  merge(more: KernelTally): void {
    this.count += more.count;
    this.time += more.time;
    this.#merged += more.stake;
    this.names.merge(more.names);
    this.longest.merge(more.longest);
  }

  /** Device time in ns during which the kernels ran; concurrent kernels count once. */
  get stake(): number {
    return this.#union.total + this.#merged;
  }

  /** Their time, which can be compared with a span: `16.6 us of device time (37 us summed, because they overlap)`. */
  get timeText(): string {
    const [sum, device] = [amountText(this.time, 'time'), amountText(this.stake, 'time')];
    return sum === device ? sum : `${device} of device time (${sum} summed, because they overlap)`;
  }

  /** The fields of a finding that follow from its kernels; the gain is unknown. */
  get facts() {
    const { count, time, stake, longest } = this;
    return { stake, gain: null, kernels: longest.ids, count, evidence: { kernels: count, timeNs: time } };
  }
}

/** Kernels that could be faster, and the possible saving of those whose work is known. */
export class GainTally extends KernelTally {
  /** Possible saving in ns of the `known` kernels. */
  gain = 0;
  known = 0;
  /** Minimum time of the `known` kernels at the peaks of the device, in ns. Overlap does not shorten it. */
  #rest = 0;

  /**
   * @param dur duration of the kernel, in ns
   * @param saved in ns; null if unknown
   */
  addGain(dur: number, saved: number | null): void {
    if (saved === null) return;
    this.known++;
    this.gain += saved;
    this.#rest += dur - saved;
  }

  override merge(more: GainTally): void {
    super.merge(more);
    this.gain += more.gain;
    this.#rest += more.#rest;
    this.known += more.known;
  }

  /**
   * Upper bound of the saving; null when no kernel's work is known.
   * @param how formula for one kernel
   */
  bounded(how: string): Gain | null {
    if (this.known === 0) return null;
    const suffix = this.known < this.count ? ` of ${this.known} kernels with known FLOPs and bytes` : '';
    const ns = Math.max(0, Math.min(this.gain, this.stake - this.#rest));
    return { ns, how: `sum${suffix} of ${how}`, isBound: true };
  }
}

/**
 * Time in ns by which a kernel exceeds the minimum that the device needs; 0 when it does not.
 * @param flopsPerS peak rate of the arithmetic
 * @param bytesPerS peak rate of the memory
 * @returns null when an amount or a rate is unknown
 */
export function excess(
  dur: number,
  { flops, bytes }: Pick<Load, 'flops' | 'bytes'>,
  flopsPerS: number | null,
  bytesPerS: number | null,
): number | null {
  if (flops === null || bytes === null || flopsPerS === null || bytesPerS === null) return null;
  return Math.max(0, dur - Math.max(flops / flopsPerS, bytes / bytesPerS) * NS_PER_S);
}
