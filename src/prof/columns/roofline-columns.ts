/** Columns about the matrix unit and the roofline; see `peaks.ts` for the device's peak rates. */
import { column, derived, int, real, str } from '../../table/column.js';
import { overNeeded } from './counter-columns.js';
import type { KernelColumn } from '../annotate.js';
import { LATENCY_SHARE } from '../roofline/roofline.js';

export const MATRIX_UNIT_COLUMNS: readonly KernelColumn[] = derived([
  column(
    'dtype',
    'Dtype',
    str(7),
    'element type of the arithmetic; tf32 (hf32 on Ascend) where the matrix unit rounds FP32',
    (row) => row.unitUse?.dtype ?? null,
  ),
  column(
    'verdict',
    'Verdict',
    str(6),
    "matrix unit used, judged only by the kernel's name (on Ascend by counters or core class): yes, likely, no",
    ({ tensorCore: { verdict } }) => (verdict === 'unknown' ? null : verdict),
    { narrowHeader: 'Verd' },
  ),
  column(
    'tcwhy',
    'TCWhy',
    str(17),
    'why a product did not use the matrix unit; if it did, the name rule or the counter that shows this',
    (row) => {
      if (row.tc === null || row.tc === '-') return row.tc;
      return row.tc === '?' ? row.model.undetermined.id : (row.unitUse?.why?.id ?? row.tensorCore.rule);
    },
  ),
  column(
    'tceligible',
    'TCEligible',
    int(4),
    '1 if the matrix unit could run it: a product of a supported type whose dimensions are multiples of 16 bytes',
    ({ unitUse }) => {
      const eligible = unitUse?.eligible ?? null;
      return eligible === null ? null : Number(eligible);
    },
    { narrowHeader: 'TCEl' },
  ),
  column(
    'mmflops',
    'MMFLOPs',
    int(12, 'FLOP'),
    'floating-point operations of products only (matrix products, convolutions, attention)',
    (row) => row.productFlops,
  ),
]);

/** FLOPs that the matrix unit counted, next to the FLOPs from the formula. */
export const CUBE_COLUMNS: readonly KernelColumn[] = [
  column(
    'cubeflops',
    'CubeFLOPs',
    int(12, 'FLOP'),
    'Ascend: FLOPs of the cubes, counted or estimated from their share of cycles and peak rate',
    (row) => row.countedFlops,
  ),
  column(
    'cuberatio',
    'CubeRatio',
    real(6, 3),
    'cubeflops / mmflops: above 1 where tiles are padded or extra work is computed',
    ({ countedFlops, productFlops }) => overNeeded(countedFlops, productFlops),
    { narrowHeader: 'CubeR', derived: true },
  ),
];

/** Rates, and the kernel's position under the roofline. */
export const ROOFLINE_COLUMNS: readonly KernelColumn[] = derived([
  column(
    'ai',
    'AI',
    real(8, 2, 'FLOP/B'),
    'arithmetic intensity: FLOPs per byte',
    ({ placement }) => placement.intensity,
  ),
  column(
    'tflops',
    'TFLOP/s',
    real(8, 3, 'TFLOP/s'),
    'FLOPs over time; ! marks values above the peak',
    ({ placement }) => placement.tflops,
    { impossible: ({ placement }) => placement.above.compute },
  ),
  column(
    'gbps',
    'GB/s',
    real(7, 1, 'GB/s'),
    'bytes over time; ! marks values above what memory plus twice the shared cache can supply',
    ({ placement }) => placement.gbps,
    { impossible: ({ placement }) => placement.above.memory },
  ),
  column(
    'peak',
    'Peak%',
    real(6, 2, '%'),
    "share of the device's peak FLOP/s for the type: the matrix unit's where tc is 1, else the vector units'",
    ({ placement }) => placement.computeShare,
    { impossible: ({ placement }) => placement.above.compute },
  ),
  column(
    'bw',
    'BW%',
    real(6, 2, '%'),
    "share of the memory's peak bandwidth; above 100 where operands came from the cache",
    ({ placement }) => placement.memoryShare,
    { impossible: ({ placement }) => placement.above.memory },
  ),
  column(
    'bound',
    'Bound',
    str(7),
    `compute or memory, by the larger share; latency if both are below ${LATENCY_SHARE} %: too small, or launch-bound`,
    ({ placement }) => placement.bound,
  ),
  column(
    'floor',
    'Floor(ns)',
    real(10, 0, 'ns'),
    'minimum time on the device: FLOPs or bytes at their peak, whichever takes longer',
    ({ placement }) => placement.floor,
  ),
  column('gap', 'Gap', real(7, 2), 'time divided by floor', ({ placement }) => placement.gap),
]);
