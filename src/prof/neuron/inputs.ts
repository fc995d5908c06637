/** Where a metric's number comes from: the values of what its formula names. */
import type { Amount, Metric, MetricUnit, Sums } from './metric.js';

export interface Input {
  readonly name: string;
  readonly amount: Amount;
  readonly unit: MetricUnit | 'FLOP/s' | 'bytes/s' | 'Hz';
}

interface Held {
  readonly name: string;
  /** How a formula writes it. */
  readonly words: RegExp;
  readonly unit: Input['unit'];
  readonly of: (sums: Sums) => number | null;
}

/** What numbers are held against. */
const HELD: readonly Held[] = [
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
export function inputsOf({ formula, name }: Metric, metrics: readonly Metric[], sums: Sums): Input[] {
  const words = new Set(formula.match(/[a-z0-9_]+/gi) ?? []);
  const named = metrics.filter((metric) => metric.name !== name && words.has(metric.name));
  return [
    ...named.map((metric) => ({ name: metric.name, amount: metric.of(sums), unit: metric.unit })),
    ...HELD.filter((held) => held.words.test(formula)).map((held) => ({
      name: held.name,
      amount: held.of(sums) ?? { unknown: 'not told' },
      unit: held.unit,
    })),
  ];
}
