/** THE table of aggregates of a group of kernels: help, docs, sorting and all formats of `--by` are made from it. */
import { type Column } from '../../table/column.js';
import { type KernelColumn } from '../columns/kernel-column.js';
import type { GroupRow } from './group-rows.js';

type AggregateShape = Pick<KernelColumn, 'type' | 'unit' | 'digits' | 'width' | 'derived'>;

const NS = { type: 'int', unit: 'ns', width: 13 } as const satisfies AggregateShape;
/** Not a whole number of ns. */
const PART_NS = { type: 'real', unit: 'ns', digits: 1, width: 11 } as const satisfies AggregateShape;
const PERCENT = { type: 'real', unit: '%', digits: 2, width: 6 } as const satisfies AggregateShape;
const DERIVED = { derived: true } as const;

const over = (amount: number, by: number): number | null => (by > 0 ? amount / by : null);
const percent = (part: number, whole: number): number | null => (whole > 0 ? (100 * part) / whole : null);

/** Average of shares over time. */
const computeShare = ({ amounts: { peak } }: GroupRow): number | null => over(peak.sum, peak.time);
const memoryShare = ({ amounts: { bandwidth } }: GroupRow): number | null => over(bandwidth.sum, bandwidth.time);

const isAbove = (share: number | null): boolean => share !== null && share > 100;
const aboveCompute = (row: GroupRow): boolean => row.amounts.aboveCompute > 0 && isAbove(computeShare(row));
const aboveMemory = (row: GroupRow): boolean => row.amounts.aboveMemory > 0 && isAbove(memoryShare(row));

/** All columns of groups, in the order of the help. */
export const AGGREGATES: readonly Column<GroupRow>[] = [
  { key: 'count', header: 'Count', type: 'int', width: 8, doc: 'kernels', value: ({ spread }) => spread.count },
  {
    key: 'total',
    header: 'Total(ns)',
    ...NS,
    doc: 'time on the device, added up',
    value: ({ spread }) => spread.total,
  },
  {
    key: 'own',
    header: 'Own(ns)',
    ...NS,
    doc: 'in a tree: time that is in no row beneath this one',
    value: ({ own }) => own,
  },
  {
    key: 'share',
    header: 'Share%',
    ...PERCENT,
    doc: 'share of the time of all kernels that --where lets through',
    value: ({ spread, whole }) => percent(spread.total, whole),
  },
  {
    key: 'mean',
    header: 'Mean(ns)',
    ...PART_NS,
    doc: 'time of a kernel, on average',
    value: ({ spread }) => spread.mean,
  },
  {
    key: 'median',
    header: 'Median(ns)',
    narrowHeader: 'Med(ns)',
    ...PART_NS,
    doc: 'exact median; of an even number of kernels the mean of the middle two',
    value: ({ spread }) => spread.median,
  },
  { key: 'min', header: 'Min(ns)', ...NS, width: 10, doc: 'shortest kernel', value: ({ spread }) => spread.min },
  { key: 'max', header: 'Max(ns)', ...NS, width: 10, doc: 'longest kernel', value: ({ spread }) => spread.max },
  {
    key: 'stddev',
    header: 'StdDev(ns)',
    ...PART_NS,
    doc: 'sample standard deviation; 0 for one kernel',
    value: ({ spread }) => spread.stddev,
  },
  {
    key: 'flops',
    header: 'FLOPs',
    type: 'int',
    unit: 'FLOP',
    width: 15,
    ...DERIVED,
    doc: 'floating-point operations of the kernels whose FLOPs are known; unknown when none are',
    value: ({ amounts: { flops } }) => (flops.kernels > 0 ? flops.sum : null),
  },
  {
    key: 'known',
    header: 'Known%',
    ...PERCENT,
    ...DERIVED,
    doc: 'share of the time in kernels whose FLOPs are known',
    value: ({ amounts: { flops }, spread }) => percent(flops.time, spread.total),
  },
  {
    key: 'bytes',
    header: 'Bytes',
    type: 'int',
    unit: 'bytes',
    width: 15,
    ...DERIVED,
    doc: 'least memory traffic of the kernels whose bytes are known; unknown when none are',
    value: ({ amounts: { bytes } }) => (bytes.kernels > 0 ? bytes.sum : null),
  },
  {
    key: 'knownbytes',
    header: 'KnownBytes%',
    narrowHeader: 'KnoB%',
    ...PERCENT,
    ...DERIVED,
    doc: 'share of the time in kernels whose bytes are known',
    value: ({ amounts: { bytes }, spread }) => percent(bytes.time, spread.total),
  },
  {
    key: 'tflops',
    header: 'TFLOP/s',
    type: 'real',
    unit: 'TFLOP/s',
    digits: 3,
    width: 8,
    ...DERIVED,
    doc: 'FLOPs over the time of the kernels whose FLOPs are known; ! above the peak',
    // FLOP/ns are GFLOP/s.
    value: ({ amounts: { flops } }) => over(flops.sum, 1000 * flops.time),
    impossible: aboveCompute,
  },
  {
    key: 'gbps',
    header: 'GB/s',
    type: 'real',
    unit: 'GB/s',
    digits: 1,
    width: 7,
    ...DERIVED,
    doc: 'bytes over the time of the kernels whose bytes are known; ! above the peak',
    value: ({ amounts: { bytes } }) => over(bytes.sum, bytes.time),
    impossible: aboveMemory,
  },
  {
    key: 'peak',
    header: 'Peak%',
    ...PERCENT,
    ...DERIVED,
    doc: "share of the device's peak FLOP/s, averaged over the time of the kernels whose share is known",
    value: computeShare,
    impossible: aboveCompute,
  },
  {
    key: 'bw',
    header: 'BW%',
    ...PERCENT,
    ...DERIVED,
    doc: "share of the memory's peak bandwidth, averaged over the time of the kernels whose share is known",
    value: memoryShare,
    impossible: aboveMemory,
  },
  {
    key: 'tcshare',
    header: 'TC%',
    ...PERCENT,
    ...DERIVED,
    doc: 'share of the time in kernels that are known to use the matrix unit; unknown when it is known of none',
    value: ({ amounts: { matrixUnit }, spread }) =>
      matrixUnit.kernels === 0 ? null : percent(matrixUnit.sum, spread.total),
  },
  {
    key: 'tcknown',
    header: 'TCKnown%',
    narrowHeader: 'TCKno%',
    ...PERCENT,
    ...DERIVED,
    doc: 'share of the time in kernels of which it is known whether they use the matrix unit',
    value: ({ amounts: { matrixUnit }, spread }) => percent(matrixUnit.time, spread.total),
  },
  {
    key: 'level',
    header: 'Level',
    narrowHeader: 'Lev',
    type: 'int',
    width: 3,
    doc: 'in a tree: steps from the top, from 1',
    value: ({ level }) => level,
  },
];

/** Columns after the keys without -c. */
export const DEFAULT_AGGREGATES = 'count,total,share,mean,median,min,max,tflops,peak,bw,tcshare';
export const TREE_AGGREGATES = 'count,total,own,share,mean,median,tflops,peak,bw,tcshare';
