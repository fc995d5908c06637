/**
 * Computes from the sums of both inputs the figures of a row of the comparison, and the times on which it is tested. Pure.
 */
import { elementAt } from '../../containers/element.js';
import type { Amount, Key, Measured } from './diff-row.js';
import type { Basis, Samples, Sums } from './input-sums.js';
import type { Which, Pair, Times } from './input-facts.js';

/** Minimum share of a row's time within steps for its steps to represent it. */
const LEAST_IN_STEPS = 0.5;

/** Maximum share of a row's kernels without a duration for its time to be meaningful. */
const MOST_UNTIMED = 0.01;

/**
 * Runs whose numbers of kernels differ by more than this share may not be the same work, because a capture may end at any
 * point.
 */
const UNEQUAL_RUNS = 0.01;

export interface Both extends Pair<Sums> {
  readonly keys: readonly Key[];
}

/** Chooses the unit: steps if both inputs have some, otherwise runs, or calls if the runs differ in length. */
export function basisOf(total: Pair<Sums>, samples: Pair<Samples>): Basis {
  if (samples.base.steps > 0 && samples.new.steps > 0) return 'step';
  const base = total.base.count / Math.max(1, samples.base.runs);
  const next = total.new.count / Math.max(1, samples.new.runs);
  return Math.abs(next - base) > UNEQUAL_RUNS * Math.max(base, next) ? 'call' : 'run';
}

export function measuring(total: Pair<Sums>, samples: Pair<Samples>, basis: Basis): (row: Both) => Measured {
  const units = basis === 'step' ? 'steps' : 'runs';
  const tested = { base: samples.base.tested(basis), new: samples.new.tested(basis) };
  const runs = { base: samples.base[units], new: samples.new[units] };
  const isUntimed = ({ count, untimed }: Sums): boolean => untimed > MOST_UNTIMED * (count + untimed);
  const isCovered = (sums: Sums): boolean =>
    sums.count > 0 && !isUntimed(sums) && (basis !== 'step' || sums.timeInSteps >= LEAST_IN_STEPS * sums.time);
  const amount = (which: Which, sums: Sums): Amount => {
    const { count, time } = sums;
    const all = total[which].time;
    const mean = Math.max(1, runs[which]);
    return {
      count,
      time,
      share: all > 0 ? (100 * time) / all : null,
      each: time / mean,
      calls: count / mean,
      perCall: count > 0 ? time / count : null,
      samples: tested[which].length,
      isUntimed: isUntimed(sums),
    };
  };
  const timesOf = (which: Which, sums: Sums): Float64Array =>
    basis === 'call' ? sums.timesOfCalls(tested[which], samples[which]) : sums.timesOf(tested[which]);
  return (row) => ({
    keys: row.keys,
    base: amount('base', row.base),
    new: amount('new', row.new),
    times:
      isCovered(row.base) && isCovered(row.new)
        ? { base: timesOf('base', row.base), new: timesOf('new', row.new) }
        : null,
  });
}

/** Time of BASE's calls in each run of either input, from the rows that every run has. Null without such rows. */
export function timesOfSameCalls(rows: readonly Measured[]): Times | null {
  const complete = rows.filter(
    ({ times, base, new: next }) => times?.base.length === base.samples && times.new.length === next.samples,
  );
  const [first] = complete;
  if (first === undefined) return null;
  const sums = (which: Which): Float64Array =>
    Float64Array.from({ length: first[which].samples }, (_, run) =>
      complete.reduce(
        (sum, { times, base }) => sum + (times === null ? 0 : elementAt(times[which], run) * base.calls),
        0,
      ),
    );
  return { base: sums('base'), new: sums('new') };
}
