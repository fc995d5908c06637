/** Inputs of a metric: the metrics and machine rates that its formula names, with their values. */
import type { MetricAmount, Metric, MetricUnit, MetricSums } from './metric.js';

export interface FormulaInput {
  readonly name: string;
  readonly amount: MetricAmount;
  readonly unit: MetricUnit | 'FLOP/s' | 'bytes/s' | 'Hz';
}

/** Rates of the machine, with the words that stand for them in formulas. */
const MACHINE_RATES = [
  { name: 'cores', words: /\bcores\b/, unit: 'count', key: 'cores' },
  { name: 'peak', words: /\bpeak\b(?!_)|\btensor clock\b/, unit: 'FLOP/s', key: 'peakFlops' },
  { name: 'bandwidth of a stack', words: /bandwidth of a stack/, unit: 'bytes/s', key: 'hbmBytesPerS' },
  { name: 'clock', words: /(?<!tensor )\bclock\b/, unit: 'Hz', key: 'clockHz' },
] as const;

export function inputsOf({ formula, name }: Metric, metrics: readonly Metric[], sums: MetricSums): FormulaInput[] {
  const words = new Set(Array.from(formula.matchAll(/[a-z0-9_]+/gi), ([word]) => word));
  const named = metrics.filter((metric) => metric.name !== name && words.has(metric.name));
  return [
    ...named.map((metric) => ({ name: metric.name, amount: metric.of(sums), unit: metric.unit })),
    ...MACHINE_RATES.filter(({ words: rate }) => rate.test(formula)).map(({ name: rate, unit, key }) => ({
      name: rate,
      amount: sums.machine[key] ?? { unknown: 'not in the capture' },
      unit,
    })),
  ];
}
