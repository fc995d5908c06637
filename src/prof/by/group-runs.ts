/**
 * Durations of groups as runs of equal values, for groups from partial answers: ranks of a job have many kernels with
 * few different durations. Memory: 12 bytes per distinct duration of a group. With more than 8 million distinct
 * durations, it is 12 bytes per bin of a logarithmic histogram. Quantiles are then accurate to 1.6 %, and all sums are
 * still exact.
 */
import {
  allMerged,
  coarser,
  countedOf,
  merged,
  NO_VALUES,
  type CountedValues,
} from '../../containers/counted-values.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import type { Spread } from '../../record/statistics.js';

const MOST_DIFFERENT = 8_000_000;

/** Number of durations of a group that are buffered before they become a run. */
const PENDING = 2048;

/** Durations as a list in any order, or as runs of equal values. */
export type Durations = readonly number[] | CountedValues;

class RunsOfGroup {
  /** Each run is at most half as long as the one before. */
  runs: CountedValues[] = [];
  pending: number[] = [];
}

export class GroupRuns {
  readonly #groups = new Map<number, RunsOfGroup>();
  /** Number of distinct durations in all runs, plus buffered ones. */
  #size = 0;
  #isCoarse = false;
  /** When the size exceeds this, the number of distinct durations is counted exactly. */
  #nextLook: number;

  constructor(private readonly most = MOST_DIFFERENT) {
    this.#nextLook = most;
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(group: number, durations: Durations): void {
    const groupRuns = entryOf(this.#groups, group, () => new RunsOfGroup());
    if ('counts' in durations) this.#addRun(groupRuns, durations);
    else {
      for (const duration of durations) groupRuns.pending.push(duration);
      this.#size += durations.length;
      if (groupRuns.pending.length >= PENDING) this.#flush(groupRuns);
    }
    if (!this.#isCoarse && this.#size > this.#nextLook) this.#look();
  }

  /** Distinct durations of a group with their counts. Call `settle` first. */
  of(group: number): CountedValues {
    const groupRuns = this.#groups.get(group);
    return groupRuns === undefined ? NO_VALUES : this.#whole(groupRuns);
  }

  /**
   * Must be called after all durations were added and before any is read.
   * @returns whether durations were rounded to bins
   */
  settle(): boolean {
    if (!this.#isCoarse && this.#size > this.most) this.#look();
    return this.#isCoarse;
  }

  #flush(groupRuns: RunsOfGroup): void {
    if (groupRuns.pending.length === 0) return;
    this.#size -= groupRuns.pending.length;
    const run = countedOf(Float64Array.from(groupRuns.pending));
    groupRuns.pending = [];
    this.#addRun(groupRuns, run);
  }

  #addRun({ runs }: RunsOfGroup, run: CountedValues): void {
    let last = this.#made(run);
    this.#size += last.values.length;
    for (let before = runs.at(-1); before !== undefined && before.values.length < 2 * last.values.length;) {
      runs.pop();
      last = this.#joined(before, last);
      before = runs.at(-1);
    }
    runs.push(last);
  }

  /** Merges all durations of a group into one run. */
  #whole(groupRuns: RunsOfGroup): CountedValues {
    this.#flush(groupRuns);
    const all = this.#made(allMerged(groupRuns.runs));
    groupRuns.runs = [all];
    return all;
  }

  #joined(a: CountedValues, b: CountedValues): CountedValues {
    const both = this.#made(merged(a, b));
    this.#size += both.values.length - a.values.length - b.values.length;
    return both;
  }

  #made(run: CountedValues): CountedValues {
    return this.#isCoarse ? coarser(run) : run;
  }

  /**
   * Counts the distinct durations exactly, and makes runs coarser when there are too many. The result does not depend
   * on the order of runs.
   */
  #look(): void {
    const count = (): void => {
      this.#size = [...this.#groups.values()].reduce((sum, groupRuns) => sum + this.#whole(groupRuns).values.length, 0);
    };
    count();
    this.#nextLook = Math.max(this.most, 1.5 * this.#size);
    if (this.#size <= this.most) return;
    this.#isCoarse = true;
    count();
  }
}

/** Spread over all numbers that the runs represent (at least one); equals the spread of the expanded list. */
export function spreadOfRuns({ values, counts }: CountedValues): Spread {
  const count = counts.reduce((sum, repeats) => sum + repeats, 0);
  let total = 0;
  eachOf({ values, counts }, (value) => (total = addTimes(total, value)));
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

/** The number at an index of the expanded list. */
function at(values: Float64Array, counts: Uint32Array, place: number): number {
  let left = place;
  const found = counts.findIndex((count) => (left -= count) < 0);
  return elementAt(values, found);
}
