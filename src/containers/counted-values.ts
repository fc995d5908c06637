/**
 * Runs: distinct numbers in sorted order, each with its count. They merge like the lists that they represent; when there
 * are too many distinct numbers, those in one bin of a logarithmic histogram are replaced by their mean.
 */
import { elementAt } from './element.js';
import { binOf } from './log-histogram.js';

export interface CountedValues {
  /** Distinct values in ascending order. */
  readonly values: Float64Array;
  readonly counts: Uint32Array;
}

export const NO_VALUES: CountedValues = { values: new Float64Array(0), counts: new Uint32Array(0) };

/** Takes numbers in ascending order and combines equal ones. */
class RunBuilder {
  readonly #values: Float64Array;
  readonly #counts: Uint32Array;
  #size = 0;

  constructor(most: number) {
    this.#values = new Float64Array(most);
    this.#counts = new Uint32Array(most);
  }

  add(value: number, count: number): void {
    if (this.#size > 0 && this.#values[this.#size - 1] === value) {
      this.#counts[this.#size - 1] = elementAt(this.#counts, this.#size - 1) + count;
      return;
    }
    this.#values[this.#size] = value;
    this.#counts[this.#size++] = count;
  }

  get result(): CountedValues {
    return { values: this.#values.slice(0, this.#size), counts: this.#counts.slice(0, this.#size) };
  }
}

/** @param values values in any order; they are sorted in place */
export function countedOf(values: Float64Array): CountedValues {
  const run = new RunBuilder(values.length);
  for (const value of values.sort()) run.add(value, 1);
  return run.result;
}

export function merged(a: CountedValues, b: CountedValues): CountedValues {
  if (a.values.length === 0) return b;
  if (b.values.length === 0) return a;
  const run = new RunBuilder(a.values.length + b.values.length);
  for (let i = 0, j = 0; i < a.values.length || j < b.values.length;) {
    const [x, y] = [a.values[i] ?? Infinity, b.values[j] ?? Infinity];
    if (j >= b.values.length || (i < a.values.length && x <= y)) run.add(x, elementAt(a.counts, i++));
    else run.add(y, elementAt(b.counts, j++));
  }
  return run.result;
}

/** Merges any number of runs. */
export function allMerged(runs: readonly CountedValues[]): CountedValues {
  if (runs.length <= 2) return merged(runs[0] ?? NO_VALUES, runs[1] ?? NO_VALUES);
  const middle = runs.length >> 1;
  return merged(allMerged(runs.slice(0, middle)), allMerged(runs.slice(middle)));
}

/**
 * Keeps the smallest and the largest number, and replaces all others in one bin (1/64 of a power of two wide) by whole
 * numbers around their mean with the same sum. Coarsening before or after merging gives the same result, so neither the
 * order nor the number of merges matters.
 */
export function coarser({ values, counts }: CountedValues): CountedValues {
  const last = values.length - 1;
  if (last < 2) return { values, counts };
  const run = new RunBuilder(2 * values.length + 2);
  run.add(elementAt(values, 0), 1);
  let [bin, count, sum] = [NaN, 0, 0];
  const emit = (): void => {
    if (count === 0) return;
    const mean = Math.floor(sum / count);
    const above = sum - mean * count;
    const isWhole = Number.isSafeInteger(sum) && Number.isInteger(above);
    if (!isWhole) run.add(sum / count, count);
    else {
      if (count > above) run.add(mean, count - above);
      if (above > 0) run.add(mean + 1, above);
    }
    [count, sum] = [0, 0];
  };
  for (let i = 0; i <= last; i++) {
    const value = elementAt(values, i);
    const repeats = elementAt(counts, i) - Number(i === 0) - Number(i === last);
    const next = binOf(value);
    if (next !== bin) emit();
    bin = next;
    count += repeats;
    sum += repeats * value;
  }
  emit();
  run.add(elementAt(values, last), 1);
  return run.result;
}
