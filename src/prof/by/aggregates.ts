/** The table of aggregates over a group of kernels, from which help, docs, sorting and all formats of `--by` are made. */
import { orNull } from '../../containers/numeric-column.js';
import { column, knownColumn, derived, int, real, type Column } from '../../table/column.js';
import type { GroupRow } from './group-rows.js';
import { isMostly } from '../../record/units.js';
import { knownSum, rated } from '../tally/kernel-tally.js';
import type { HostTime } from './host/host-times.js';

const NS = int(13, 'ns');
/** Sums have picosecond precision when the device's clock has; a column in ns shows the nearest integer. */
const rounded = (ns: number | null): number | null => (ns === null ? null : Math.round(ns));
/** A duration with fractions of a ns. */
const PART_NS = real(11, 1, 'ns');
const PERCENT = real(6, 2, '%');

const over = (amount: number, by: number): number | null => (by > 0 ? amount / by : null);
const hundredfold = (share: number | null): number | null => (share === null ? null : 100 * share);
const percent = (part: number, whole: number): number | null => (whole > 0 ? (100 * part) / whole : null);

/** Time-weighted average of the shares. */
const computeShare = ({ tally }: GroupRow): number | null => rated(tally.peak);
const memoryShare = ({ tally }: GroupRow): number | null => rated(tally.bandwidth);

const isAbove = (share: number | null): boolean => share !== null && share > 100;
const aboveCompute = (row: GroupRow): boolean => row.tally.aboveCompute > 0 && isAbove(computeShare(row));
const aboveMemory = (row: GroupRow): boolean => row.tally.aboveMemory > 0 && isAbove(memoryShare(row));

const whole = (host: HostTime | null): HostTime | null => (host === null || host.passes === 0 ? null : host);

/** A sum that includes an unknown time is unknown. */
const knownTime = (sum = NaN): number | null => orNull(sum);

/** Aggregates of host ranges, only for the keys in `HOST_KEYS`. */
export const HOST_AGGREGATES: readonly Column<GroupRow>[] = [
  column(
    'passes',
    'Passes',
    int(8),
    '--by ranges, layer, op: occurrences on the CPU; rows without kernels launched nothing or are nested ops',
    ({ host }) => whole(host)?.passes ?? null,
  ),
  column(
    'host',
    'Host(ns)',
    NS,
    '--by ranges, layer, op: CPU time of the occurrences, summed over threads; nested ones count once',
    ({ host }) => knownTime(whole(host)?.total),
  ),
  column(
    'hostself',
    'HostSelf(ns)',
    NS,
    '--by ranges, layer, op: CPU time without nested ranges, ops and frames',
    ({ host }) => knownTime(host?.self),
  ),
];

/** Marks the rows of a tree where no indentation shows their level. */
export const LEVEL_COLUMN: Column<GroupRow> = knownColumn(
  'level',
  'Level',
  int(5),
  'in a tree: level of the row, from 1; a row includes the rows of deeper levels below it',
  ({ level }) => level,
  { narrowHeader: 'Lev' },
);

/** All aggregate columns, in the order of the help. */
export const AGGREGATES: readonly Column<GroupRow>[] = [
  knownColumn('count', 'Count', int(8), 'kernels', ({ tally }) => tally.count),
  column('total', 'Total(ns)', NS, 'device time, summed in picoseconds, to the nearest ns', ({ tally }) =>
    rounded(tally.time),
  ),
  column('own', 'Own(ns)', NS, 'in a tree: time of the row that is in none of the rows below it', ({ own: ownTime }) =>
    rounded(ownTime),
  ),
  column('share', 'Share%', PERCENT, 'share of the time of all kernels that match --where', ({ tally, whole }) =>
    percent(tally.time, whole),
  ),
  column('mean', 'Mean(ns)', PART_NS, 'mean time of a kernel', ({ spread }) => spread?.mean ?? null),
  column(
    'median',
    'Median(ns)',
    PART_NS,
    'exact median (for an even number of kernels the mean of the middle two)',
    ({ spread }) => spread?.median ?? null,
    { narrowHeader: 'Med(ns)' },
  ),
  column('min', 'Min(ns)', int(10, 'ns'), 'shortest kernel', ({ spread }) => rounded(spread?.min ?? null)),
  column('max', 'Max(ns)', int(10, 'ns'), 'longest kernel', ({ spread }) => rounded(spread?.max ?? null)),
  column(
    'stddev',
    'StdDev(ns)',
    PART_NS,
    'sample standard deviation; 0 for one kernel',
    ({ spread }) => spread?.stddev ?? null,
  ),
  ...derived<GroupRow>([
    column(
      'flops',
      'FLOPs',
      int(15, 'FLOP'),
      'floating-point operations of the kernels whose FLOPs are known: a lower bound below 100 Known%',
      ({ tally }) => knownSum(tally.flops),
    ),
    column('known', 'Known%', PERCENT, 'share of the time in kernels whose FLOPs are known', ({ tally }) =>
      percent(tally.flops.time, tally.time),
    ),
    column(
      'bytes',
      'Bytes',
      int(15, 'bytes'),
      'least memory traffic of the kernels whose bytes are known: a lower bound below 100 KnownBytes%',
      ({ tally }) => knownSum(tally.bytes),
    ),
    column(
      'knownbytes',
      'KnownBytes%',
      PERCENT,
      'share of the time in kernels whose bytes are known',
      ({ tally }) => percent(tally.bytes.time, tally.time),
      { narrowHeader: 'KnoB%' },
    ),
    column(
      'tflops',
      'TFLOP/s',
      real(8, 3, 'TFLOP/s'),
      'FLOPs over the time of the kernels whose FLOPs are known, if these take half of the time; ! marks values above the peak',
      ({ tally: { flops } }) => (isMostly(flops.share) ? over(flops.sum, 1000 * flops.time) : null),
      { impossible: aboveCompute },
    ),
    column(
      'gbps',
      'GB/s',
      real(7, 1, 'GB/s'),
      'bytes over the time of the kernels whose rate is known, if these take half of the time; ! marks values above the peak',
      ({ tally }) => rated(tally.ratedBytes),
      { impossible: aboveMemory },
    ),
    column(
      'peak',
      'Peak%',
      PERCENT,
      "share of the device's peak FLOP/s, averaged over the kernels whose share is known, if these take half of the time",
      computeShare,
      { impossible: aboveCompute },
    ),
    column(
      'bw',
      'BW%',
      PERCENT,
      "share of the memory's peak bandwidth, averaged over the kernels whose share is known, if these take half of the time",
      memoryShare,
      { impossible: aboveMemory },
    ),
    column(
      'tcshare',
      'TC%',
      PERCENT,
      'share of the time in kernels that use the matrix unit; unknown if none is known to use it and some are undetermined',
      ({ tally }) => hundredfold(tally.matrixUnitShare),
    ),
    column(
      'tcknown',
      'TCKnown%',
      PERCENT,
      'share of the time in kernels where the use of the matrix unit is known',
      ({ tally }) => percent(tally.matrixUnit.time, tally.time),
      { narrowHeader: 'TCKno%' },
    ),
  ]),
  ...HOST_AGGREGATES,
  LEVEL_COLUMN,
];

/** Columns after the keys when -c is not given. */
export const DEFAULT_AGGREGATES = 'count,total,share,mean,median,min,max,tflops,peak,bw,tcshare';
export const TREE_AGGREGATES = 'count,total,own,share,mean,median,tflops,peak,bw,tcshare';
