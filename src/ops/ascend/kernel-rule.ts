/** The cost of an Ascend kernel by its operands. */
import type { OpCost } from '../family.js';
import type { KernelTensors } from './kernel-tensors.js';

/** A rule for one kind of operator. Writes are by default all outputs, reads all inputs, as they are stored. */
export type KernelRule = (
  tensors: KernelTensors,
) => Omit<OpCost, 'params' | 'writes'> & Partial<Pick<OpCost, 'writes'>>;
