/** Our value of a metric against the one that the vendor's tool reported, and why they differ where they do. */
import { isUnknown, type Amount, type Measured, type Metric, type Sums } from './metric.js';
import { fromVendor, said } from './quantity.js';
import type { Reported } from './metric-sums.js';

export interface Comparison {
  /** In the unit of the metric; null where it was not reported. */
  readonly reported: number | string | null;
  /** (ours - reported) / reported; null where there is none. */
  readonly difference: number | null;
  /** Why there is no difference to tell, or one that matters; '' where they agree. */
  readonly why: string;
}

/** Relative difference up to which two values are the same. */
export const SAME = 1e-4;
/** Null when nothing was reported of any metric. */
export function compared(metric: Metric, amount: Amount, sums: Sums, told: Reported | null): Comparison | null {
  if (sums.reported.size === 0) return null;
  const value = told?.value ?? null;
  if (value === null)
    return { reported: null, difference: null, why: metric.own === true ? "not one of the vendor's" : 'not reported' };
  const reported = typeof value === 'number' ? fromVendor(value, metric.unit) : value;
  if (isUnknown(amount)) {
    const why = metric.differs === undefined ? amount.unknown : `${amount.unknown}; ${metric.differs}`;
    return { reported, difference: null, why };
  }
  if (typeof amount === 'string' || typeof reported === 'string') {
    return { reported, difference: null, why: String(amount) === String(reported) ? '' : 'another text' };
  }
  const difference = amount === reported ? 0 : reported === 0 ? null : (amount - reported) / reported;
  const agrees = difference !== null && Math.abs(difference) <= SAME;
  return { reported, difference, why: agrees ? '' : reason(metric, sums, difference) };
}

/** Most that whole nanoseconds can make of a value, relative to it. */
const roundingOf = (measured: readonly Measured[]): number =>
  measured.reduce((sum, { ps, lost }) => sum + (ps > 0 ? lost / ps : 0), 0);

function reason(metric: Metric, sums: Sums, difference: number | null): string {
  const measured = sums.exact > 0 ? [] : (metric.measured?.(sums) ?? []);
  if (difference !== null && Math.abs(difference) <= roundingOf(measured)) {
    const [{ lost, intervals } = { lost: 0, intervals: 0 }] = measured;
    return `the JSON has whole nanoseconds: up to ${said(lost, 'ps')} are lost in ${intervals} intervals`;
  }
  if (metric.fetches === true && sums.profile?.format === 'ntff') {
    return "the vendor's tool leaves out some packets that fetch instructions";
  }
  return metric.differs ?? 'not explained';
}
