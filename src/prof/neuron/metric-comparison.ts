/** Comparison of a computed metric with the value that the vendor's tool reported, and the reason of a difference. */
import { PS_PER_NS } from '../../containers/interval-union.js';
import { amountText } from '../../record/units.js';
import { isUnknown, type MetricAmount, type MeasuredTime, type Metric, type MetricSums } from './metric.js';
import { fromVendor } from './quantity.js';
import type { ReportedMetric } from './sums/stated-values.js';

export interface MetricComparison {
  /** In the unit of the metric; null when it was not reported. */
  readonly reported: number | string | null;
  /** (ours - reported) / reported; null when undefined. */
  readonly difference: number | null;
  /** Why the values differ or cannot be compared; '' when they agree. */
  readonly why: string;
}

/** Relative difference up to which two values agree. */
const SAME = 1e-4;

/** @returns null when the profile has no reported metrics at all */
export function compareWithReport(
  metric: Metric,
  amount: MetricAmount,
  sums: MetricSums,
  report: ReportedMetric | null,
): MetricComparison | null {
  if (sums.reported.size === 0) return null;
  const value = report === null ? null : report.value;
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

/** Greatest relative error of whole nanoseconds. */
const roundingOf = (measured: readonly MeasuredTime[]): number =>
  measured.reduce((sum, { ps, lost }) => sum + (ps > 0 ? lost / ps : 0), 0);

function reason(metric: Metric, sums: MetricSums, difference: number | null): string {
  const measured = sums.exact > 0 || metric.measured === undefined ? [] : metric.measured(sums);
  const [first] = measured;
  if (difference !== null && first !== undefined && Math.abs(difference) <= roundingOf(measured)) {
    const { lost, intervals } = first;
    return `the JSON has whole nanoseconds: up to ${amountText(lost / PS_PER_NS, 'time')} are lost in ${intervals} intervals`;
  }
  return metric.differs ?? 'not explained';
}
