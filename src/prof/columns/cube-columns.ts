/** The columns on FLOPs that the matrix unit counted, next to those of the formula. */
import type { Annotated } from '../annotate.js';
import type { KernelColumn } from './kernel-column.js';

/** Counted over needed; above 1 where tiles are not filled. */
function ratio(row: Annotated): number | null {
  const [counted, needed] = [row.countedFlops, row.productFlops];
  return counted === null || needed === null || needed === 0 ? null : counted / needed;
}

export const CUBE_COLUMNS: readonly KernelColumn[] = [
  {
    key: 'cubeflops',
    header: 'CubeFLOPs',
    unit: 'FLOP',
    type: 'int',
    width: 12,
    doc: 'Ascend: operations that the cubes did, as counted, or by their share of cycles and the rate for the type',
    value: (row) => row.countedFlops,
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
