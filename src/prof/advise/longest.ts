/** What to name of many: the longest kernels, and the names that take the most time. */
import { addTo } from '../../containers/map-entry.js';
import type { LongestTime } from './finding.js';

/** Kernels that a finding names. */
const NAMED = 5;
/** Distinct names that are summed; the time of any other is left out. */
const MOST_NAMES = 1000;

export interface RankedRecord {
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
