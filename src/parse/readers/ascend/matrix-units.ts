/**
 * The number of matrix units of a device by the blocks of its kernels. A kernel may have more blocks than the device has
 * units (they queue) or fewer, so that the largest number says nothing; kernels that multiply are written for the device.
 */
import { largest } from '../../../containers/lists.js';
import { isCubeClass } from '../../../record/neuron/engines.js';

/** No device has more; the largest known one has 32. */
const MOST_UNITS = 64;

/**
 * Whether a kernel multiplies on the matrix units.
 * @param core its core class
 * @param counted time or share in which the unit multiplied, by any of its counters; NaN where it was not counted
 */
export const isMatrixKernel = (core: string | null, ...counted: readonly number[]): boolean =>
  isCubeClass(core) && (counted.every(Number.isNaN) || counted.some((value) => value > 0));

/** The largest plausible number of blocks that several of the kernels have, or the only one has; null without one. */
export function unitsByBlocks(blocksOfMatrixKernels: Iterable<number>): number | null {
  const kernels = new Map<number, number>();
  let all = 0;
  for (const blocks of blocksOfMatrixKernels) {
    all++;
    if (blocks >= 1 && blocks <= MOST_UNITS) kernels.set(blocks, (kernels.get(blocks) ?? 0) + 1);
  }
  const agreed = [...kernels].flatMap(([blocks, number]) => (number > 1 || all === 1 ? [blocks] : []));
  return agreed.length === 0 ? null : largest(agreed);
}
