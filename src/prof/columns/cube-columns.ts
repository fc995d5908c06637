/** The columns on what the cubes of an Ascend device counted, beside what the formula says. */
import { cubeFlops } from '../../ops/ascend/cube.js';
import type { Annotated } from '../annotate.js';
import type { KernelColumn } from './kernel-column.js';

/** Counted over needed; above 1 where tiles are not filled. */
function ratio(row: Annotated): number | null {
  const [measured, needed] = [row.isOnAscend ? cubeFlops(row.record) : null, row.productFlops];
  return measured === null || needed === null || needed === 0 ? null : measured / needed;
}

export const CUBE_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'cubeflops',
    header: 'CubeFLOPs',
    unit: 'FLOP',
    type: 'int',
    width: 12,
    doc: 'Ascend: operations that the cubes did, as counted, or by their share of cycles and the rate for the type',
    value: (row) => (row.isOnAscend ? cubeFlops(row.record) : null),
  },
  {
    key: 'cuberatio',
    header: 'CubeRatio',
    narrowHeader: 'CubeR',
    type: 'real',
    digits: 3,
    width: 6,
    derived: true,
    doc: 'cubeflops over mmflops: above 1 where tiles are padded, or more is computed than needed',
    value: ratio,
  },
];
