/** A row of the comparison: what both inputs have of some kernels, and whether it changed. Pure. */
import type { Pair, Times } from './input-facts.js';
import type { Basis } from './input-sums.js';
import { median } from '../../record/statistics.js';
import { percentOf, verdictOf, type StepTest, type Verdict } from './verdict.js';

/** A key's text; null for unknown. */
export type Key = string | null;

export interface Amount {
  readonly count: number;
  readonly time: number;
  /** Of the time of all kernels, %; null where that is 0. */
  readonly share: number | null;
  /** Time of a mean step, or a mean run, ns. */
  readonly each: number;
  /** Kernels of a mean step, or a mean run. */
  readonly calls: number;
  /** Time of a mean kernel, ns; null without any. */
  readonly perCall: number | null;
  readonly samples: number;
  /** Whether so many kernels have no duration that its time says too little. */
  readonly isUntimed: boolean;
}

/** A change from BASE to NEW. */
export interface Change {
  readonly ns: number;
  /** Null where BASE has no time. */
  readonly percent: number | null;
}

export interface DiffRow extends Pair<Amount> {
  /** Texts by column of `--by`; none for the totals and for conditions. */
  readonly keys: readonly Key[];
  /** Of a mean step, or a mean run, ns. */
  readonly change: number;
  readonly percent: number | null;
  /** Change of the time of a mean kernel, and of the kernels of a mean step, %; null where one input has none. */
  readonly callPercent: number | null;
  readonly callsPercent: number | null;
  /** The change that verdict and conditions are on: of a mean step or run, or of BASE's calls where runs are unequal. */
  readonly comparable: Change;
  /** Change of the median step, %; null without samples, or where BASE's is 0. */
  readonly medianPercent: number | null;
  /** The same of the times that were tested: of a row of several without what all of them share. */
  readonly ownPercent: number | null;
  readonly p: number | null;
  readonly pBeyond: number | null;
  /** Adjusted for the number of rows; of the totals and of conditions the same as `pBeyond`. */
  readonly q: number | null;
  readonly verdict: Verdict;
}

/** A row before its test. */
export interface Measured extends Pair<Amount> {
  readonly keys: readonly Key[];
  /** By sample, ns, of a mean call where calls are compared; null for what only one input has, or whose kernels mostly belong to no step. */
  readonly times: Times | null;
}

/** What the verdicts of rows have in common; `tested` is how many rows share the rate. */
export interface Judging {
  readonly rate: number;
  readonly basis: Basis;
  readonly tested: number;
}

/** `test` is null where there was none; `q` is its `pBeyond` adjusted for the number of rows. */
export function rowOf(
  { times, ...one }: Measured,
  test: StepTest | null,
  q: number | null,
  { rate, basis, tested }: Judging,
): DiffRow {
  const isUntimed = one.base.isUntimed || one.new.isUntimed;
  const presence = one.base.count === 0 ? 'new' : one.new.count === 0 ? 'gone' : null;
  const change = one.new.each - one.base.each;
  const percent = percentOf(one.base.each, one.new.each);
  const callPercent = percentOf(one.base.perCall, one.new.perCall);
  return {
    ...one,
    change,
    percent,
    callPercent,
    callsPercent: presence === null ? percentOf(one.base.calls, one.new.calls) : null,
    comparable: (basis === 'call' ? changeOfCalls(one) : null) ?? { ns: change, percent },
    medianPercent: test === null || times === null ? null : percentOf(median(times.base), median(times.new)),
    ownPercent: test?.percent ?? null,
    p: test?.p ?? null,
    pBeyond: test?.pBeyond ?? null,
    q,
    verdict: isUntimed ? 'untimed' : (presence ?? verdictOf(test, q, rate, tested)),
  };
}

/** How much longer BASE's calls take in NEW; null where one input has none. */
export function changeOfCalls({ base, new: next }: Pair<Amount>): Change | null {
  if (base.perCall === null || next.perCall === null) return null;
  return { ns: (next.perCall - base.perCall) * base.calls, percent: percentOf(base.perCall, next.perCall) };
}

/** The most time first; equal ones in the order of their keys, whatever the order of records. */
export function byChange(a: DiffRow, b: DiffRow): number {
  const order = Math.abs(b.comparable.ns) - Math.abs(a.comparable.ns);
  if (order !== 0) return order;
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

/** The keys as one text; an unknown key sorts first. */
const sortKey = ({ keys }: DiffRow): string => keys.map((key) => key ?? '').join('\u0000');
