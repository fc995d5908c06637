/** What a rule says of an Ascend kernel's operands. */
import type { KernelTensors, StoredTensor } from './kernel-tensors.js';
import type { Role } from '../family.js';

/** FLOPs of a kind of operator, and how they come about. */
export interface Count {
  /** Null when the operands do not tell them. */
  readonly flops: number | null;
  readonly formula: string;
  readonly role?: Role;
  readonly matmul?: true;
  /** Operands that are written too. */
  readonly rewritten?: readonly StoredTensor[];
}

export type Rule = (tensors: KernelTensors) => Count;
