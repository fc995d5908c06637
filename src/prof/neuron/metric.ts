/** A metric: one row of the summary, computed from the sums of records. */
import type { ProfileRecord } from '../../record/record.js';
import { machineOf, type NeuronMachine } from './machine.js';
import type { ProfileSums, IntervalSums } from './metric-sums.js';

/** Why a number is unknown. */
export interface Unknown {
  readonly unknown: string;
  /** What the user can do to get the value. */
  readonly remedy?: string;
}
export type MetricAmount = number | string | Unknown;

export const isUnknown = (amount: MetricAmount): amount is Unknown => typeof amount === 'object';

/** Units of computed values: times in picoseconds, shares as fractions of 1. */
export type MetricUnit = 'ps' | 'ns' | 'cycles' | 'count' | 'bytes' | 'FLOP' | 'fraction' | 'FLOP/B' | 'text';

/** A sum of times, and its greatest error when records have whole nanoseconds. */
export interface MeasuredTime {
  readonly ps: number;
  readonly intervals: number;
  /** Largest error in picoseconds. */
  readonly lost: number;
}

/** Rates of the machine to which a metric can be relative. */
export const MACHINE_RATES = {
  cores: { unit: 'count', key: 'cores' },
  peak: { unit: 'FLOP/s', key: 'peakFlops' },
  'bandwidth of a stack': { unit: 'bytes/s', key: 'hbmBytesPerS' },
  clock: { unit: 'Hz', key: 'clockHz' },
} as const;
type MachineRate = keyof typeof MACHINE_RATES;
export const isMachineRate = (input: string): input is MachineRate => Object.hasOwn(MACHINE_RATES, input);

export interface Metric {
  readonly name: string;
  readonly group: MetricGroup;
  readonly unit: MetricUnit;
  readonly doc: string;
  readonly formula: string;
  /** Inputs of the formula that have a name: other metrics in table order, then `MACHINE_RATES`. */
  readonly inputs?: readonly string[];
  /** Present when it is not one of the vendor's metrics. */
  readonly own?: true;
  readonly of: (summary: MetricSums) => MetricAmount;
  /** The sums of times from which its value is computed. */
  readonly measured?: (summary: MetricSums) => readonly MeasuredTime[];
  /** Present when it depends on DMA packets, because the vendor's tool ignores the packets of some queues. */
  readonly ofPackets?: true;
  /** Why the vendor's number may differ although both are correct. */
  readonly differs?: string;
}

/** Groups of metrics in order: the vendor's names and our headings. */
export const METRIC_GROUPS = {
  summary: 'Overall',
  overall_stats: 'Time and FLOPs',
  tensor_engine: 'Tensor engine',
  vector_engine: 'Vector engine',
  scalar_engine: 'Scalar engine',
  gpsimd_engine: 'GpSimd engine',
  sync_engine: 'Sync engine',
  data_movement: 'Data movement',
  software_data_movement: 'DMA described by software',
  hardware_data_movement: 'DMA described by hardware',
  cc_engine: 'Collectives',
  throttling: 'Throttling',
  system: 'System',
  other: 'Reported only',
} as const;
export type MetricGroup = keyof typeof METRIC_GROUPS;

export interface MetricSums extends ProfileSums {
  readonly machine: NeuronMachine;
  /** Duration of the profile in picoseconds; null when unknown. */
  readonly totalPs: number | null;
}

/** @param sums sums of all records of the profile */
export function withMachine(sums: ProfileSums): MetricSums {
  return Object.assign(sums, { machine: machineOf(sums.profile), totalPs: totalPsOf(sums.profile) });
}

function totalPsOf(profile: ProfileRecord | null): number | null {
  if (profile === null) return null;
  const exact = profile.facts?.['totalTimePs'];
  if (typeof exact === 'number' && exact > 0) return exact;
  return profile.dur === null ? null : profile.dur * 1000;
}

/** A quotient; unknown when a part is, or when the denominator is 0. */
export function ratio(above: MetricAmount, below: MetricAmount | null, what = 'the total'): MetricAmount {
  if (typeof above !== 'number') return typeof above === 'string' ? { unknown: 'not a number' } : above;
  if (below === null) return { unknown: `${what} is unknown` };
  if (typeof below !== 'number') return typeof below === 'string' ? { unknown: 'not a number' } : below;
  return below > 0 ? above / below : { unknown: `${what} is 0` };
}

/** A value computed from others; unknown when one of them is unknown, with the reason of the first unknown value. */
export function combine(
  amounts: readonly (MetricAmount | null)[],
  compute: (...values: number[]) => number,
): MetricAmount {
  const odd = amounts.find((amount) => typeof amount !== 'number');
  if (odd === undefined) return compute(...(amounts as readonly number[]));
  return odd !== null && typeof odd === 'object'
    ? odd
    : { unknown: 'the capture lacks the peak that this figure is relative to' };
}

export const NO_ACTIVITY = 'no records of device activity: only a summary or a program';
export const NO_ORDER = 'the records are not in order of start time';

/** Whether there are records of device activity. */
export const ran = ({ instructions, packets }: ProfileSums): boolean => instructions > 0 || packets.count > 0;

/** A sum over instructions and packets; unknown when there are none. */
export const counted = (sums: MetricSums, value: number): MetricAmount =>
  ran(sums) ? value : { unknown: NO_ACTIVITY };

/** Sum over cores of a number that the capture records for each. */
export function statedTotal({ stated }: MetricSums, metric: string): MetricAmount {
  const values = stated.get(metric);
  if (values === undefined) return { unknown: 'the capture does not record it' };
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

/** Time during which at least one of the spans ran. */
export const activeTime = (sums: MetricSums, { union }: Pick<IntervalSums, 'union'>): MetricAmount =>
  union.outOfOrder > 0 ? { unknown: NO_ORDER } : counted(sums, union.total);

/**
 * With whole nanoseconds, a start is off by less than 1 ns and an end by less than 2 ns; the same holds for each part of
 * the union.
 */
export const measuredUnion = ({ union }: Pick<IntervalSums, 'union'>): MeasuredTime => ({
  ps: union.total,
  intervals: union.intervals,
  lost: 2000 * union.stretches,
});
/** With whole nanoseconds, every duration is off by less than 1 ns. */
export const measuredTime = ({ time, count }: IntervalSums): MeasuredTime => ({
  ps: time,
  intervals: count,
  lost: 1000 * count,
});
