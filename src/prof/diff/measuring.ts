/** Sums of both inputs → the figures of a row of the comparison, and the times it is tested on. Pure. */
import type { Pair, Which } from './input-pair.js';
import type { Amount, Key, Measured } from './diff-row.js';
import type { Basis, Samples, Sums } from './input-sums.js';

/** Less of a row's time than this in steps, and its steps say too little of it. */
const LEAST_IN_STEPS = 0.5;

export interface Both extends Pair<Sums> {
  readonly keys: readonly Key[];
}

export function measuring(total: Pair<Sums>, samples: Pair<Samples>, basis: Basis): (row: Both) => Measured {
  const units = basis === 'step' ? 'steps' : 'runs';
  const tested = { base: samples.base.tested(basis), new: samples.new.tested(basis) };
  const runs = { base: samples.base[units], new: samples.new[units] };
  const isCovered = ({ count, time, timeInSteps }: Sums): boolean =>
    count > 0 && (basis === 'run' || timeInSteps >= LEAST_IN_STEPS * time);
  const amount = (which: Which, { count, time }: Sums): Amount => {
    const all = total[which].time;
    return {
      count,
      time,
      share: all > 0 ? (100 * time) / all : null,
      each: time / Math.max(1, runs[which]),
      samples: tested[which].length,
    };
  };
  return (row) => ({
    keys: row.keys,
    base: amount('base', row.base),
    new: amount('new', row.new),
    times:
      isCovered(row.base) && isCovered(row.new)
        ? { base: row.base.timesOf(tested.base), new: row.new.timesOf(tested.new) }
        : null,
  });
}
