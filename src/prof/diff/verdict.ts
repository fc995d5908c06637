/**
 * Whether a row changed: the rank test over its steps, and the verdict. Pure.
 *
 * A change below the minimum effect is of no interest, however certain it is. So the test asks whether the new times
 * exceed the old ones shifted by that effect. Among the rows reported as slower or faster, the expected share that has
 * changed by less is then below the false-discovery rate. Source of the idea: D. J. McCarthy, G. K. Smyth, "Testing
 * significance relative to a fold-change threshold is a TREAT", Bioinformatics 25 (2009) 765-771.
 */
import { median } from '../../record/statistics.js';
import { leastP, mannWhitney } from './mann-whitney.js';
import type { Times } from './input-facts.js';

export const VERDICTS = {
  slower: 'its steps take longer, by more than the minimum effect',
  faster: 'its steps take less time, by more than the minimum effect',
  same: 'no change beyond the minimum effect, with enough steps to show one',
  new: 'only NEW has it',
  gone: 'only BASE has it',
  'too-few-samples': 'not enough steps for a test of this many rows, or its kernels belong to no step',
  untimed: 'more than 1 % of its kernels have no duration in one of the inputs',
} as const;

export type Verdict = keyof typeof VERDICTS;

export interface Settings {
  /** False-discovery rate, 0 to 1. */
  readonly rate: number;
  /** Minimum change of interest, as a fraction of BASE's time: 0.01 is 1 %. */
  readonly minEffect: number;
  /** Minimum number of samples of each input for a test. */
  readonly minSamples: number;
  /** Whether single rows are tested on the original times, including what all rows of a step have in common. */
  readonly asIs: boolean;
}

export const DEFAULTS: Settings = { rate: 0.05, minEffect: 0.01, minSamples: 5, asIs: false };

export interface StepTest {
  /** Change of the median of the tested times, in %; null when BASE's is 0. */
  readonly percent: number | null;
  /** Two-sided p-value of the rank test for no difference. */
  readonly p: number;
  /** p-value for no difference beyond the minimum effect. */
  readonly pBeyond: number;
  /** Position of the new times relative to the old ones shifted by the minimum effect: above 1, below -1, neither 0. */
  readonly side: 1 | 0 | -1;
  /** The smallest p-value possible with this number of samples. */
  readonly least: number;
}

/** @returns null when there are too few samples */
export function testSteps({ base, new: next }: Times, settings: Settings): StepTest | null {
  if (Math.min(base.length, next.length) < Math.max(1, settings.minSamples)) return null;
  const middle = (base.length * next.length) / 2;
  const against = (factor: number): { u: number; p: number } =>
    mannWhitney(
      base.map((ns) => ns * factor),
      next,
    ) ?? { u: middle, p: 1 };
  const plain = {
    percent: percentOf(median(base), median(next)),
    p: against(1).p,
    least: leastP(base.length, next.length),
  };
  const above = against(1 + settings.minEffect);
  if (above.u > middle) return { ...plain, pBeyond: above.p, side: 1 };
  const below = against(Math.max(0, 1 - settings.minEffect));
  if (below.u < middle) return { ...plain, pBeyond: below.p, side: -1 };
  return { ...plain, pBeyond: 1, side: 0 };
}

/**
 * The verdict of a single test.
 * @param q adjusted value of its `pBeyond`
 */
export function shownBy({ side }: StepTest, q: number, rate: number): 'slower' | 'faster' | 'same' {
  if (q > rate || side === 0) return 'same';
  return side > 0 ? 'slower' : 'faster';
}

/**
 * The verdict of a row; it is not `same` when the test could not have shown any change of the row, given the number of
 * tests.
 * @param tested number of rows that share the rate
 */
export function verdictOf(test: StepTest | null, q: number | null, rate: number, tested: number): Verdict {
  if (test === null || q === null) return 'too-few-samples';
  const shown = shownBy(test, q, rate);
  return shown === 'same' && test.side !== 0 && test.least * tested > rate ? 'too-few-samples' : shown;
}

export const percentOf = (before: number | null, after: number | null): number | null =>
  before === null || after === null || before === 0 ? null : (100 * (after - before)) / before;
