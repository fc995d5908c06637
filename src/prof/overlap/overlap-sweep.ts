/**
 * The time during which work of two kinds runs at once, for every pair of kinds, in one sweep over the starts and ends.
 * Linear in the number of activities; memory: the work that runs at a time, and a square of the number of kinds.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';

/** Maximum number of kinds; all others are one kind, `OTHERS`. */
export const MOST_KINDS = 100;
export const OTHERS = '(others)';

interface Running {
  readonly kind: number;
  readonly to: number;
}

/** Times of a kind of work, in the unit of the sweep. */
export interface KindTimes {
  readonly kind: string;
  readonly count: number;
  /** Time during which any work of the kind ran. */
  readonly active: number;
  /** Part of the active time during which no other kind ran. */
  readonly alone: number;
  /** Time during which work of each kind ran too, in the order of the kinds; `active` for the kind itself. */
  readonly both: readonly number[];
}

/** Metrics of a device over a period, in the order of `MEASURED`; NaN for those that are not recorded. */
type Values = Float64Array;

/** Sums over the periods in which only work of one kind ran, or none; for each metric, because periods may lack some. */
export interface MeasuredTimes {
  /** Null for the periods without work. */
  readonly kind: string | null;
  readonly periods: Values;
  /** Durations in the unit of the sweep. */
  readonly times: Values;
  /** Values times the durations of their periods. */
  readonly sums: Values;
}

interface Period {
  readonly from: number;
  readonly to: number;
  readonly values: Values;
  /** The only kind that ran so far, -1 while nothing ran; null when several did, and undefined at its beginning. */
  kind: number | null | undefined;
}

const NOTHING = -1;

export class OverlapSweep {
  /** Periods that have begun and not ended. */
  #periods: Period[] = [];
  readonly #measured = new Map<number, Omit<MeasuredTimes, 'kind'>>();
  readonly #kinds = new Map<string, number>();
  /** How much work of each kind runs now. */
  readonly #depths: number[] = [];
  readonly #counts: number[] = [];
  readonly #alone: number[] = [];
  /** Row by row; a row is longer than the number of kinds so far. */
  readonly #both = new Float64Array((MOST_KINDS + 1) ** 2);
  /** Kinds that run. */
  #active: number[] = [];
  /** Work that runs, the first to end last. */
  readonly #running: Running[] = [];
  #now = -Infinity;

  /** Adds work, in order of start time. Work that ends before it starts has no time. */
  add(kind: string, from: number, to: number): void {
    const number = this.#numberOf(kind);
    this.#counts[number] = elementAt(this.#counts, number) + 1;
    this.#advance(Math.max(from, this.#now));
    if (to <= this.#now) return;
    if (this.#depths[number] === 0) this.#active.push(number);
    this.#depths[number] = elementAt(this.#depths, number) + 1;
    this.#run({ kind: number, to });
  }

  /** Adds a period over which metrics were measured, among the work in order of start time. */
  measure(from: number, to: number, values: Values): void {
    this.#advance(Math.max(from, this.#now));
    // A period that begins earlier than the sweep has come lacks work.
    if (from >= this.#now && to > from) this.#periods.push({ from, to, values, kind: undefined });
  }

  #numberOf(kind: string): number {
    const isFull = this.#kinds.size >= MOST_KINDS && !this.#kinds.has(kind);
    return entryOf(this.#kinds, isFull ? OTHERS : kind, () => {
      for (const values of [this.#depths, this.#counts, this.#alone]) values.push(0);
      return this.#kinds.size;
    });
  }

  #run(work: Running): void {
    let [low, high] = [0, this.#running.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (elementAt(this.#running, middle).to > work.to) low = middle + 1;
      else high = middle;
    }
    this.#running.splice(low, 0, work);
  }

  #advance(time: number): void {
    for (let next = this.#running.at(-1); next !== undefined && next.to <= time; next = this.#running.at(-1)) {
      this.#pass(next.to);
      this.#running.pop();
      const { kind } = next;
      const depth = elementAt(this.#depths, kind) - 1;
      this.#depths[kind] = depth;
      if (depth === 0) this.#active = this.#active.filter((active) => active !== kind);
    }
    this.#pass(time);
  }

  #pass(time: number): void {
    const ended = this.#periods.length === 0 ? [] : this.#periods.filter(({ to }) => to <= time);
    for (const period of ended.sort((a, b) => a.to - b.to)) {
      this.#step(period.to);
      this.#endPeriod(period);
    }
    this.#step(time);
  }

  #endPeriod(period: Period): void {
    this.#periods = this.#periods.filter((other) => other !== period);
    const { kind = null, from, to, values } = period;
    if (kind === null) return;
    const none = (): Values => new Float64Array(values.length);
    const { periods, times, sums } = entryOf(this.#measured, kind, () => ({ periods: none(), times: none(), sums: none() })); // prettier-ignore
    for (const [i, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      periods[i] = elementAt(periods, i) + 1;
      times[i] = elementAt(times, i) + to - from;
      sums[i] = elementAt(sums, i) + value * (to - from);
    }
  }

  #step(time: number): void {
    const passed = time - this.#now;
    this.#now = time;
    const [first] = this.#active;
    const kind = this.#active.length > 1 ? null : (first ?? NOTHING);
    for (const period of passed > 0 ? this.#periods : [])
      period.kind = period.kind === undefined || period.kind === kind ? kind : null;
    if (passed <= 0 || first === undefined) return;
    if (this.#active.length === 1) this.#alone[first] = elementAt(this.#alone, first) + passed;
    for (const active of this.#active) {
      const row = active * (MOST_KINDS + 1);
      for (const other of this.#active) this.#both[row + other] = elementAt(this.#both, row + other) + passed;
    }
  }

  /** The times of all kinds, in order of first start. Must be called after all work was added. */
  get times(): KindTimes[] {
    this.#advance(Infinity);
    return [...this.#kinds].map(([kind, number]) => {
      const row = number * (MOST_KINDS + 1);
      return {
        ...{ kind, count: elementAt(this.#counts, number), alone: elementAt(this.#alone, number) },
        active: elementAt(this.#both, row + number),
        both: [...this.#both.subarray(row, row + this.#kinds.size)],
      };
    });
  }

  /** Must be called after `times`. */
  get measured(): MeasuredTimes[] {
    const names = [...this.#kinds.keys()];
    return [...this.#measured].map(([kind, sum]) => ({
      ...sum,
      kind: kind === NOTHING ? null : (names[kind] ?? OTHERS),
    }));
  }
}
