/** An instruction of a compiled program as a kernel: what it did, and what the tensor engine had to do with it. */
import type { Family } from '../../ops/family.js';
import { instructionWork, operandType } from '../../ops/neuron/instruction-work.js';
import type { TensorCore } from '../../ops/tensor-core.js';
import type { KernelRecord } from '../../record/record.js';
import type { Derived } from './derive.js';
import type { MatrixUnitUse } from './matrix-unit-use.js';

const TENSOR = 'Tensor';

const INSTRUCTION: Family = {
  id: 'instruction',
  title: 'an instruction of a compiled program',
  ops: [],
  formulas: [],
  work: () => null,
};

/** What the instruction did; nothing for an opcode that is not known. */
export function ofInstruction(record: KernelRecord): Derived {
  const work = instructionWork(record);
  if (work === null) return { described: null, label: null, params: null };
  const call = { mod: record.engine ?? 'na', op: record.name, args: [] };
  return {
    described: { index: -1, call, family: INSTRUCTION, work, whole: work, typedBy: null },
    label: null,
    params: [],
  };
}

/** Whether the tensor engine multiplied. */
export const multiplies = (record: KernelRecord, derived: Derived): boolean =>
  record.engine === TENSOR && derived.described?.work.matmul === true;

const ON_ENGINE: TensorCore = { verdict: 'yes', rule: 'tensor-engine' };
const NOT_ON_ENGINE: TensorCore = { verdict: 'no', rule: 'other-engine' };

export const verdictOf = (record: KernelRecord): TensorCore => (record.engine === TENSOR ? ON_ENGINE : NOT_ON_ENGINE);

export function engineUse(record: KernelRecord, derived: Derived): MatrixUnitUse {
  const eligible = multiplies(record, derived);
  return { dtype: operandType(record), eligible, why: null, slowed: null, halfSums: false, shortcut: false };
}
