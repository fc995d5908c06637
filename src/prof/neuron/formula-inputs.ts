/** Inputs of a metric: the metrics and machine rates that its formula names, with their values. */
import type { MetricAmount, Metric, MetricUnit, MetricSums } from './metric.js';

export interface FormulaInput {
  readonly name: string;
  readonly amount: MetricAmount;
  readonly unit: MetricUnit | 'FLOP/s' | 'bytes/s' | 'Hz';
}

interface MachineRate {
  readonly name: string;
  /** Matches it in a formula. */
  readonly words: RegExp;
  readonly unit: FormulaInput['unit'];
  readonly of: (sums: MetricSums) => number | null;
}

const MACHINE_RATES: readonly MachineRate[] = [
  { name: 'cores', words: /\bcores\b/, unit: 'count', of: ({ machine }) => machine.cores },
  {
    name: 'peak',
    words: /\bpeak\b(?!_)|\btensor clock\b/,
    unit: 'FLOP/s',
    of: ({ machine }) => machine.peakFlops,
  },
  {
    name: 'bandwidth of a stack',
    words: /bandwidth of a stack/,
    unit: 'bytes/s',
    of: ({ machine }) => machine.hbmBytesPerS,
  },
  { name: 'clock', words: /(?<!tensor )\bclock\b/, unit: 'Hz', of: ({ machine }) => machine.clockHz },
];

/** The metrics and rates that a formula names, with their values in this profile. */
export function inputsOf({ formula, name }: Metric, metrics: readonly Metric[], sums: MetricSums): FormulaInput[] {
  const words = new Set(Array.from(formula.matchAll(/[a-z0-9_]+/gi), ([word]) => word));
  const named = metrics.filter((metric) => metric.name !== name && words.has(metric.name));
  return [
    ...named.map((metric) => ({ name: metric.name, amount: metric.of(sums), unit: metric.unit })),
    ...MACHINE_RATES.filter((rate) => rate.words.test(formula)).map((rate) => ({
      name: rate.name,
      amount: rate.of(sums) ?? { unknown: 'not in the capture' },
      unit: rate.unit,
    })),
  ];
}
