/** The kernels that a finding is about: how many, how long, under which names, and the longest. */
import { IntervalUnion } from '../../containers/interval-union.js';
import type { Load } from '../roofline/roofline.js';
import { NS_PER_S } from '../../record/units.js';
import type { Gain, LongestTime } from './finding.js';
import { addTo } from '../../containers/map-entry.js';

/** Kernels that a finding names. */
const NAMED = 5;
/** Distinct names that are summed; the time of any other is left out. */
const MOST_NAMES = 1000;

interface RankedRecord {
  readonly profile: number;
  readonly id: number;
  readonly dur: number | null;
}

/** The longest kernels, of equally long ones those that came first. */
export class Longest {
  readonly #kept: { readonly id: string; readonly dur: number }[] = [];

  add({ profile, id, dur }: RankedRecord): void {
    const time = dur ?? 0;
    const last = this.#kept.at(-1);
    if (this.#kept.length === NAMED && last !== undefined && time <= last.dur) return;
    this.#insert({ id: `${profile}:${id}`, dur: time });
  }

  merge(others: Longest): void {
    for (const one of others.#kept) this.#insert(one);
  }

  #insert(one: { readonly id: string; readonly dur: number }): void {
    const at = this.#kept.findIndex((other) => other.dur < one.dur);
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, one);
    if (this.#kept.length > NAMED) this.#kept.pop();
  }

  /** 'PROFILE:ID' of each. */
  get ids(): string[] {
    return this.#kept.map(({ id }) => id);
  }
}

/** The longer of two times, of equally long ones the first. */
export const longerOf = (a: LongestTime | null, b: LongestTime | null): LongestTime | null =>
  a === null || (b !== null && b.end - b.start > a.end - a.start) ? b : a;

/** As findings have it: absent where there is none. */
export const atLongest = (at: LongestTime | null): { readonly at?: LongestTime } => (at === null ? {} : { at });

/** The name that takes most time, of equal ones the first by name; null for none. */
export const topOf = (times: ReadonlyMap<string, number>): readonly [name: string, time: number] | null =>
  [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? null;

/** What to name of many: the longest kernels, and the names that take the most time. */
export class Ranking {
  readonly #times = new Map<string, number>();

  /** @returns whether it is summed */
  add(name: string, time: number): boolean {
    if (this.#times.size >= MOST_NAMES && !this.#times.has(name)) return false;
    addTo(this.#times, name, time);
    return true;
  }

  /** ns; 0 for a name that is not summed. */
  timeOf(name: string): number {
    return this.#times.get(name) ?? 0;
  }

  merge(other: Ranking): void {
    for (const [name, time] of other.#times) this.add(name, time);
  }

  get size(): number {
    return this.#times.size;
  }

  /** Most time first, then by name. */
  top(count: number): readonly (readonly [name: string, time: number])[] {
    return [...this.#times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, count);
  }
}

export class KernelTally {
  count = 0;
  /** Durations added up, ns. */
  time = 0;
  /** Time in which any of them ran. */
  readonly #union = new IntervalUnion();
  /** The same of those that were merged: each sort may run while another does. */
  #merged = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();

  /** Its time, `dur` ns, is ranked under the name. */
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

  /** ns of the device in which they ran: no more than it has, however many run at once. */
  get stake(): number {
    return this.#union.total + this.#merged;
  }

  /** The fields of a finding that follow from its kernels; what may be gained is not known. */
  get facts() {
    const { count, time, stake, longest } = this;
    return { stake, gain: null, kernels: longest.ids, count, evidence: { kernels: count, timeNs: time } };
  }
}

/** Kernels that could be faster, with how much faster where their work is known. */
export class GainTally extends KernelTally {
  /** ns, of `known` kernels. */
  gain = 0;
  known = 0;

  /** @param saved ns; null where it is not known */
  addGain(saved: number | null): void {
    if (saved === null) return;
    this.known++;
    this.gain += saved;
  }

  override merge(more: GainTally): void {
    super.merge(more);
    this.gain += more.gain;
    this.known += more.known;
  }

  /** What may be gained, at most; null where no work is known. @param how it is computed for one kernel */
  bounded(how: string): Gain | null {
    if (this.known === 0) return null;
    const of = this.known < this.count ? ` of ${this.known} kernels with known FLOPs and bytes` : '';
    return { ns: Math.min(this.gain, this.stake), how: `sum${of} of ${how}`, isBound: true };
  }
}

/**
 * ns that a kernel takes longer than the device needs at least; 0 where it is no slower.
 * @param flopsPerS and `bytesPerS`: peaks
 * @returns null where an amount or a rate is not known
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
