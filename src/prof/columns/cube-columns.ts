/** The columns on FLOPs that the matrix unit counted, next to those of the formula. */
import { column, int, real } from '../../table/column-kinds.js';
import type { Annotated } from '../annotate.js';
import type { KernelColumn } from './kernel-column.js';

/** Counted over needed; above 1 where tiles are not filled. */
function ratio(row: Annotated): number | null {
  const [counted, needed] = [row.countedFlops, row.productFlops];
  return counted === null || needed === null || needed === 0 ? null : counted / needed;
}

export const CUBE_COLUMNS: readonly KernelColumn[] = [
  column(
    'cubeflops',
    'CubeFLOPs',
    int(12, 'FLOP'),
    'Ascend: operations that the cubes did, as counted, or by their share of cycles and the rate for the type',
    (row) => row.countedFlops,
  ),
  column(
    'cuberatio',
    'CubeRatio',
    real(6, 3),
    'cubeflops over mmflops: above 1 where tiles are padded, or more is computed than needed',
    ratio,
    { narrowHeader: 'CubeR', derived: true },
  ),
];
