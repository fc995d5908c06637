/** Sums of both inputs → the figures of a row of the comparison, and the times it is tested on. Pure. */
import type { Pair, Which } from './input-pair.js';
import type { Amount, Key, Measured } from './diff-row.js';
import type { Basis, Samples, Sums } from './input-sums.js';

/** Less of a row's time than this in steps, and its steps say too little of it. */
const LEAST_IN_STEPS = 0.5;

/** Sums of both inputs for one row. */
export interface Both extends Pair<Sums> {
  readonly keys: readonly Key[];
}

export class Measuring {
  readonly #tested: Pair<ReturnType<Samples['tested']>>;
  readonly #units: Pair<number>;

  constructor(
    private readonly total: Pair<Sums>,
    samples: Pair<Samples>,
    private readonly basis: Basis,
  ) {
    const units = basis === 'step' ? 'steps' : 'runs';
    this.#tested = { base: samples.base.tested(basis), new: samples.new.tested(basis) };
    this.#units = { base: samples.base[units], new: samples.new[units] };
  }

  of(row: Both): Measured {
    const isInBoth = row.base.count > 0 && row.new.count > 0;
    const isTested = isInBoth && this.#isCovered(row.base) && this.#isCovered(row.new);
    const timesOf = (which: Which): Float64Array => row[which].timesOf(this.#tested[which]);
    return {
      keys: row.keys,
      base: this.#amount('base', row.base),
      new: this.#amount('new', row.new),
      times: isTested ? { base: timesOf('base'), new: timesOf('new') } : null,
    };
  }

  #isCovered({ time, timeInSteps }: Sums): boolean {
    return this.basis === 'run' || timeInSteps >= LEAST_IN_STEPS * time;
  }

  #amount(which: Which, { count, time }: Sums): Amount {
    const all = this.total[which].time;
    return {
      count,
      time,
      share: all > 0 ? (100 * time) / all : null,
      each: time / Math.max(1, this.#units[which]),
      samples: this.#tested[which].length,
    };
  }
}
