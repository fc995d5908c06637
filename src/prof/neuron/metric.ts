/** What a metric is: one row of the summary, computed from what the records add up to. */
import { machineOf, type Machine } from './machine.js';
import type { ProfileSums, Spans } from './metric-sums.js';

/** Why a number is not known. */
export interface Unknown {
  readonly unknown: string;
  /** What would make it known, where the user can do something about it. */
  readonly remedy?: string;
}
export type Amount = number | string | Unknown;

export const isUnknown = (amount: Amount): amount is Unknown => typeof amount === 'object';

/** In what values are computed: times in picoseconds, shares as fractions of 1. */
export type MetricUnit = 'ps' | 'ns' | 'cycles' | 'count' | 'bytes' | 'FLOP' | 'fraction' | 'FLOP/B' | 'text';

/** A time that was added up, and what can be lost of it where records have whole nanoseconds. */
export interface Measured {
  readonly ps: number;
  readonly intervals: number;
  /** Picoseconds, at most. */
  readonly lost: number;
}

export interface Metric {
  readonly name: string;
  readonly group: Group;
  readonly unit: MetricUnit;
  readonly doc: string;
  readonly formula: string;
  /** Not one of the vendor's. */
  readonly own?: true;
  readonly of: (summary: Sums) => Amount;
  /** What its times were added up from. */
  readonly measured?: (summary: Sums) => readonly Measured[];
  /** Whether it depends on packets that fetch instructions, of which the vendor's tool leaves some out. */
  readonly fetches?: true;
  /** Why the vendor's number may be another one although both are right. */
  readonly differs?: string;
}

/** Groups of metrics, in order. The vendor's, by name, and what we call them. */
export const GROUPS = {
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
export type Group = keyof typeof GROUPS;

/** The sums of a profile with what they are held against. */
export interface Sums extends ProfileSums {
  readonly machine: Machine;
  /** Picoseconds that the profile lasted; null where it is not told. */
  readonly totalPs: number | null;
}

/** @param sums of all records of the profile */
export function withMachine(sums: ProfileSums): Sums {
  const { profile } = sums;
  const told = profile?.facts?.['totalTimePs'];
  const totalPs =
    typeof told === 'number' && told > 0 ? told : (profile?.dur ?? null) === null ? null : (profile?.dur ?? 0) * 1000;
  return Object.assign(sums, { machine: machineOf(profile), totalPs });
}

/** A quotient; unknown where a part is, or where it has no meaning. */
export function ratio(above: Amount, below: Amount | null, what = 'the total'): Amount {
  if (typeof above !== 'number') return typeof above === 'string' ? { unknown: 'no number' } : above;
  if (below === null) return { unknown: `${what} is not told` };
  if (typeof below !== 'number') return typeof below === 'string' ? { unknown: 'no number' } : below;
  return below > 0 ? above / below : { unknown: `${what} is 0` };
}

/** A value computed from others; unknown, for the first's reason, where one of them is. */
export function combine(amounts: readonly (Amount | null)[], compute: (...values: number[]) => number): Amount {
  const odd = amounts.find((amount) => typeof amount !== 'number');
  if (odd === undefined) return compute(...(amounts as readonly number[]));
  return odd !== null && typeof odd === 'object'
    ? odd
    : { unknown: 'the capture does not tell what it is held against' };
}

export const NO_ACTIVITY = 'no records of what the device did: a summary or a program alone';
export const NO_ORDER = 'the records are not in order of start';

/** Whether there are records of what the device did at all. */
export const ran = ({ instructions, packets }: ProfileSums): boolean => instructions > 0 || packets.count > 0;

/** A sum over instructions and packets, which means nothing without any. */
export const counted = (sums: Sums, value: number): Amount => (ran(sums) ? value : { unknown: NO_ACTIVITY });

/** Time during which at least one of the spans ran. */
export const activeTime = (sums: Sums, { union }: Pick<Spans, 'union'>): Amount =>
  union.outOfOrder > 0 ? { unknown: NO_ORDER } : counted(sums, union.total);

/** A start and an end are off by less than 1 and 2 ns: so is each stretch, and what seems a gap between two. */
export const measuredUnion = ({ union }: Pick<Spans, 'union'>): Measured => ({
  ps: union.total,
  intervals: union.intervals,
  lost: 2000 * union.stretches,
});
/** Every duration is off by less than 1 ns. */
export const measuredTime = ({ time, count }: Spans): Measured => ({ ps: time, intervals: count, lost: 1000 * count });
