/** A row of the comparison: the figures of some kernels in both inputs, and whether they changed. Pure. */
import type { Pair, Times } from './input-facts.js';
import type { Basis } from './input-sums.js';
import { median } from '../../record/statistics.js';
import { percentOf, verdictOf, type StepTest, type Verdict } from './verdict.js';

/** A key's text; null for unknown. */
export type Key = string | null;

export interface Amount {
  readonly count: number;
  readonly time: number;
  /** Share of the time of all kernels, in %; null when that time is 0. */
  readonly share: number | null;
  /** Time per step or per run (mean), in ns. */
  readonly each: number;
  /** Number of kernels per step or per run (mean). */
  readonly calls: number;
  /** Mean time of a kernel in ns; null without kernels. */
  readonly perCall: number | null;
  readonly samples: number;
  /** Whether too many kernels have no duration for its time to be meaningful. */
  readonly isUntimed: boolean;
}

/** A change from BASE to NEW. */
export interface Change {
  readonly ns: number;
  /** Null when BASE has no time. */
  readonly percent: number | null;
}

export interface DiffRow extends Pair<Amount> {
  /** Strings by column of `--by`; empty for the totals and for conditions. */
  readonly keys: readonly Key[];
  /** The expression for `--where` that selects its kernels in both inputs; null where there is none, and for all kernels. */
  readonly where: string | null;
  /** Mean change per step or run, in ns. */
  readonly change: number;
  readonly percent: number | null;
  /**
   * Change of the mean time of a kernel, and of the mean number of kernels per step, in %; null when one input has none.
   */
  readonly callPercent: number | null;
  readonly callsPercent: number | null;
  /** The change for verdict and conditions: per step or run, or for BASE's calls when runs are unequal. */
  readonly comparable: Change;
  /** Change of the median step, in %; null without samples, or when BASE's is 0. */
  readonly medianPercent: number | null;
  /** Change of the median of the tested times, in %. They lack the shift that all rows of a step have in common. */
  readonly ownPercent: number | null;
  readonly p: number | null;
  readonly pBeyond: number | null;
  /** Adjusted for the number of rows; for the totals and for conditions equal to `pBeyond`. */
  readonly q: number | null;
  readonly verdict: Verdict;
}

/** A row before its test. */
export interface Measured extends Pair<Amount> {
  readonly keys: readonly Key[];
  readonly where: string | null;
  /**
   * Time per sample in ns, or per mean call when calls are compared; null for kernels that only one input has, or that
   * mostly belong to no step.
   */
  readonly times: Times | null;
}

/** Inputs for the verdicts of all rows; `tested` is the number of rows that share the rate. */
export interface Judging {
  readonly rate: number;
  readonly basis: Basis;
  readonly tested: number;
}

/** `test` is null when there was no test; `q` is its `pBeyond` adjusted for the number of rows. */
export function rowOf(
  { times, ...amounts }: Measured,
  test: StepTest | null,
  q: number | null,
  { rate, basis, tested }: Judging,
): DiffRow {
  const isUntimed = amounts.base.isUntimed || amounts.new.isUntimed;
  const presence = amounts.base.count === 0 ? 'new' : amounts.new.count === 0 ? 'gone' : null;
  const change = amounts.new.each - amounts.base.each;
  const percent = percentOf(amounts.base.each, amounts.new.each);
  const callPercent = percentOf(amounts.base.perCall, amounts.new.perCall);
  return {
    ...amounts,
    change,
    percent,
    callPercent,
    callsPercent: presence === null ? percentOf(amounts.base.calls, amounts.new.calls) : null,
    comparable: (basis === 'call' ? changeOfCalls(amounts) : null) ?? { ns: change, percent },
    medianPercent: test === null || times === null ? null : percentOf(median(times.base), median(times.new)),
    ownPercent: test?.percent ?? null,
    p: test?.p ?? null,
    pBeyond: test?.pBeyond ?? null,
    q,
    verdict: isUntimed ? 'untimed' : (presence ?? verdictOf(test, q, rate, tested)),
  };
}

/** How much longer BASE's calls take in NEW; null when one input has none. */
export function changeOfCalls({ base, new: next }: Pair<Amount>): Change | null {
  if (base.perCall === null || next.perCall === null) return null;
  return { ns: (next.perCall - base.perCall) * base.calls, percent: percentOf(base.perCall, next.perCall) };
}

/** Largest absolute change of time first; equal ones by their keys, so that the order of records does not matter. */
export function byChange(a: DiffRow, b: DiffRow): number {
  const order = Math.abs(b.comparable.ns) - Math.abs(a.comparable.ns);
  if (order !== 0) return order;
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

/** The keys as one string; an unknown key sorts first. */
const sortKey = ({ keys }: DiffRow): string => keys.map((key) => key ?? '').join('\u0000');
