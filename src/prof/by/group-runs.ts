/**
 * Durations of groups as runs of equal ones, for groups of partial answers: ranks of a job have many kernels of few
 * durations. Memory: 12 bytes for each different duration of a group, and where there are more than 8 million of them, for
 * each bin of a logarithmic histogram instead: quantiles are then known to 1.6 %, all sums as exactly as before.
 */
import { allMerged, coarser, merged, NO_VALUES, type CountedValues } from '../../containers/counted-values.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Spread } from '../../record/statistics.js';

export const MOST_DIFFERENT = 8_000_000;

export class GroupRuns {
  /** Of each group its runs, each at most half as long as the one before. */
  readonly #runs = new Map<number, CountedValues[]>();
  /** Different durations in all runs. */
  #size = 0;
  #isCoarse = false;
  /** Above this size it is looked how many are different in truth. */
  #nextLook: number;

  constructor(private readonly most = MOST_DIFFERENT) {
    this.#nextLook = most;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  add(group: number, durations: CountedValues): void {
    const runs = entryOf(this.#runs, group, (): CountedValues[] => []);
    let last = this.#isCoarse ? coarser(durations) : durations;
    this.#size += last.values.length;
    for (let before = runs.at(-1); before !== undefined && before.values.length < 2 * last.values.length;) {
      runs.pop();
      last = this.#joined(before, last);
      before = runs.at(-1);
    }
    runs.push(last);
    if (!this.#isCoarse && this.#size > this.#nextLook) this.#look();
  }

  /** Durations of a group, each once. */
  of(group: number): CountedValues {
    const runs = this.#runs.get(group);
    if (runs === undefined) return NO_VALUES;
    const all = this.#made(allMerged(runs));
    this.#runs.set(group, [all]);
    return all;
  }

  /**
   * To be called when all were added, and before any is asked for.
   * @returns whether durations are those of bins
   */
  settle(): boolean {
    if (!this.#isCoarse && this.#size > this.most) this.#look();
    return this.#isCoarse;
  }

  #joined(a: CountedValues, b: CountedValues): CountedValues {
    const both = this.#made(merged(a, b));
    this.#size += both.values.length - a.values.length - b.values.length;
    return both;
  }

  #made(run: CountedValues): CountedValues {
    return this.#isCoarse ? coarser(run) : run;
  }

  /** Counts what is different in truth, and makes runs coarser where that is too much: whatever the order of runs. */
  #look(): void {
    const join = (): void => {
      this.#size = 0;
      for (const [group, runs] of this.#runs) {
        const all = this.#made(allMerged(runs));
        this.#runs.set(group, [all]);
        this.#size += all.values.length;
      }
    };
    join();
    this.#nextLook = Math.max(this.most, 1.5 * this.#size);
    if (this.#size <= this.most) return;
    this.#isCoarse = true;
    join();
  }
}

/** Of all numbers that runs stand for, of which there must be one: the same as that of the list of them. */
export function spreadOfRuns({ values, counts }: CountedValues): Spread {
  const count = counts.reduce((sum, one) => sum + one, 0);
  let total = 0;
  // Number by number, since sums of numbers that are not whole depend on how they are added.
  eachOf({ values, counts }, (value) => (total += value));
  const mean = total / count;
  let squares = 0;
  eachOf({ values, counts }, (value) => (squares += (value - mean) ** 2));
  const stddev = count === 1 ? 0 : Math.sqrt(squares / (count - 1));
  const middle = (at(values, counts, (count - 1) >> 1) + at(values, counts, count >> 1)) / 2;
  const [min, max] = [elementAt(values, 0), elementAt(values, values.length - 1)];
  return { count, total, mean, median: middle, min, max, stddev };
}

function eachOf({ values, counts }: CountedValues, take: (value: number) => void): void {
  for (let i = 0; i < values.length; i++) {
    const value = elementAt(values, i);
    for (let left = elementAt(counts, i); left > 0; left--) take(value);
  }
}

/** The number at a place of the list. */
function at(values: Float64Array, counts: Uint32Array, place: number): number {
  let left = place;
  const found = counts.findIndex((count) => (left -= count) < 0);
  return elementAt(values, found);
}
