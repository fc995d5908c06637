/**
 * A shift that all rows of a step have in common, caused by clock, heat or a longer batch. It changes all rows of the
 * step alike, so that tests of single rows would all be wrong together, and a change of one row would be hidden. It is
 * estimated here, tested separately, and removed from the times on which single rows are tested. Pure.
 *
 * The model of the time of row r in sample s is level(r, input) · factor(s) · noise. The factor of a sample is the
 * median over the rows of time / level; the common change is the median over the rows of level in NEW / level in BASE.
 * Medians are used so that a minority of rows that changed on their own has no influence. Source of the idea: factors
 * of samples as a median of ratios over rows, S. Anders, W. Huber, "Differential expression analysis for sequence count
 * data", Genome Biology 11 (2010) R106, formula 5.
 */
import { elementAt } from '../../containers/element.js';
import type { Pair, Times, Which } from './input-facts.js';
import { median } from '../../record/statistics.js';
import { shownBy, testSteps, type Settings, type StepTest, type Verdict } from './verdict.js';

/** Minimum number of rows with a time in every sample; a median of fewer reflects single rows more than the step. */
export const LEAST_ROWS = 10;

export interface Common {
  /** Factor of each sample, about 1. */
  readonly factors: Times;
  /** Ratio of NEW to BASE: 1.02 is 2 % more. */
  readonly change: number;
  /** Typical distance of the factors of one input from 1: the median distance. */
  readonly spread: number;
  readonly rows: number;
  readonly test: StepTest;
  readonly verdict: Verdict;
}

/** Computed from the rows to be tested; null when there are too few rows or samples. */
export function commonOf(rows: readonly Times[], settings: Settings): Common | null {
  const complete = rows.filter((times) => times.base.every(isTime) && times.new.every(isTime));
  if (complete.length < LEAST_ROWS) return null;
  const levels = complete.map(levelsOf);
  const change = middle(levels.map((level) => level.new / level.base));
  const factorsOf = (which: Which): Float64Array => {
    const samples = elementAt(complete, 0)[which].length;
    return Float64Array.from({ length: samples }, (_, sample) =>
      middle(complete.map((times, row) => elementAt(times[which], sample) / elementAt(levels, row)[which])),
    );
  };
  const factors = { base: factorsOf('base'), new: factorsOf('new') };
  const test = testSteps({ base: factors.base, new: factors.new.map((factor) => factor * change) }, settings);
  if (test === null) return null;
  const spread = middle([...factors.base, ...factors.new].map((factor) => Math.abs(factor - 1)));
  return {
    factors,
    change,
    spread,
    rows: complete.length,
    test,
    verdict: shownBy(test, test.pBeyond, settings.rate),
  };
}

/**
 * Times of a row without the common part, if that reduces their variation within the inputs; else unchanged. The common
 * change is also removed, unless it is shown to be real. If it is real, the row changed with the others.
 */
export function withoutCommon(times: Times, { factors, change, verdict }: Common): Times {
  const taken = verdict === 'same' ? change : 1;
  const steadied = {
    base: times.base.map((ns, sample) => ns / (factors.base[sample] ?? 1)),
    new: times.new.map((ns, sample) => ns / ((factors.new[sample] ?? 1) * taken)),
  };
  return unrest(steadied) < unrest(times) ? steadied : times;
}

const isTime = (ns: number): boolean => ns > 0;

const middle = (values: ArrayLike<number>): number => median(values) ?? 1;

const levelsOf = (times: Times): Pair<number> => ({ base: middle(times.base), new: middle(times.new) });

/** Relative variation of the times within the inputs; differences between the inputs do not count. */
function unrest(times: Times): number {
  const level = levelsOf(times);
  const deviationOf = (which: Which): number =>
    middle(times[which].map((ns) => Math.abs(ns - level[which]))) / level[which];
  return deviationOf('base') + deviationOf('new');
}
