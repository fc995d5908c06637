/** The columns on the matrix unit and on the roofline; see `peaks.ts` for the device's peak rates. */
import type { KernelColumn } from './kernel-column.js';
import { LATENCY_SHARE } from '../roofline/roofline.js';

/** Use of the matrix unit. */
export const MATRIX_UNIT_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'dtype',
    header: 'Dtype',
    type: 'str',
    width: 7,
    derived: true,
    doc: 'element type the arithmetic runs in; tf32, on Ascend hf32, where the matrix unit rounds FP32',
    value: (row) => row.unitUse?.dtype ?? null,
  },
  {
    key: 'verdict',
    header: 'Verdict',
    narrowHeader: 'Verd',
    type: 'str',
    width: 6,
    derived: true,
    doc: "matrix unit by the kernel's name alone, on Ascend by counters or core class: yes, likely, no",
    value: ({ tensorCore: { verdict } }) => (verdict === 'unknown' ? null : verdict),
  },
  {
    key: 'tcwhy',
    header: 'TCWhy',
    type: 'str',
    width: 17,
    derived: true,
    doc: 'what held a product back from the matrix unit; for one that used it, the rule that its name matches, or the counter that shows it',
    value: (row) => {
      if (row.tc === null || row.tc === '-') return row.tc;
      return row.tc === '?' ? 'name' : (row.unitUse?.why?.id ?? row.tensorCore.rule);
    },
  },
  {
    key: 'tceligible',
    header: 'TCEligible',
    narrowHeader: 'TCEl',
    type: 'int',
    width: 4,
    derived: true,
    doc: '1 where the matrix unit could do it: a product, a type the unit has, extents that are multiples of 16 bytes',
    value: ({ unitUse }) => {
      const eligible = unitUse?.eligible ?? null;
      return eligible === null ? null : Number(eligible);
    },
  },
  {
    key: 'mmflops',
    header: 'MMFLOPs',
    unit: 'FLOP',
    type: 'int',
    width: 12,
    derived: true,
    doc: 'floating-point operations of products (matrix products, convolutions, attention) alone',
    value: (row) => row.productFlops,
  },
];

/** Rates, and the kernel's position under the roofline. */
export const ROOFLINE_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'ai',
    header: 'AI',
    unit: 'FLOP/B',
    type: 'real',
    digits: 2,
    width: 8,
    derived: true,
    doc: 'arithmetic intensity: FLOPs per byte',
    value: ({ placement }) => placement.intensity,
  },
  {
    key: 'tflops',
    header: 'TFLOP/s',
    unit: 'TFLOP/s',
    type: 'real',
    digits: 3,
    width: 8,
    derived: true,
    doc: 'FLOPs over time; ! above the peak',
    value: ({ placement }) => placement.tflops,
    impossible: ({ placement }) => placement.above.compute,
  },
  {
    key: 'gbps',
    header: 'GB/s',
    unit: 'GB/s',
    type: 'real',
    digits: 1,
    width: 7,
    derived: true,
    doc: 'bytes over time; ! above the peak, though the shared cache held twice its size',
    value: ({ placement }) => placement.gbps,
    impossible: ({ placement }) => placement.above.memory,
  },
  {
    key: 'peak',
    header: 'Peak%',
    unit: '%',
    type: 'real',
    digits: 2,
    width: 6,
    derived: true,
    doc: "share of the device's peak FLOP/s for the type, of the matrix unit where tc is 1, else of the vector units",
    value: ({ placement }) => placement.computeShare,
    impossible: ({ placement }) => placement.above.compute,
  },
  {
    key: 'bw',
    header: 'BW%',
    unit: '%',
    type: 'real',
    digits: 2,
    width: 6,
    derived: true,
    doc: "share of the memory's peak bandwidth; above 100 where operands came from the cache",
    value: ({ placement }) => placement.memoryShare,
    impossible: ({ placement }) => placement.above.memory,
  },
  {
    key: 'bound',
    header: 'Bound',
    type: 'str',
    width: 7,
    derived: true,
    doc: `by the larger share: compute, memory; latency where both are below ${LATENCY_SHARE} %`,
    value: ({ placement }) => placement.bound,
  },
  {
    key: 'floor',
    header: 'Floor(ns)',
    unit: 'ns',
    type: 'real',
    digits: 0,
    width: 10,
    derived: true,
    doc: 'time the device needs at least: FLOPs or bytes at their peak, whichever takes longer',
    value: ({ placement }) => placement.floor,
  },
  {
    key: 'gap',
    header: 'Gap',
    type: 'real',
    digits: 2,
    width: 7,
    derived: true,
    doc: 'time over floor',
    value: ({ placement }) => placement.gap,
  },
];
