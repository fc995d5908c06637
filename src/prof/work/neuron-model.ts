/** Work of the instructions of a compiled program, which the engines of a NeuronCore run. */
import { instructionWork, operandType } from '../../ops/neuron/instruction-work.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { TensorCore } from '../../ops/kernels/tensor-core.js';
import { isNeuronInstruction } from '../../record/neuron/engines.js';
import type { KernelRecord } from '../../record/record.js';
import { NO_WORK, familyOfRecords, workOfKernel, type DerivedWork } from './derived-work.js';
import type { MatrixUnitCell, WorkModel } from './work-model.js';

const TENSOR = 'Tensor';

const INSTRUCTION = familyOfRecords('instruction', 'an instruction of a compiled program');

/** None for an opcode without a formula. */
function workOf(record: KernelRecord): DerivedWork {
  const work = instructionWork(record);
  if (work === null) return NO_WORK;
  const call = { mod: record.engine ?? 'na', op: record.name, args: [] };
  return { described: workOfKernel(call, INSTRUCTION, work), label: null, params: [] };
}

/** Whether the tensor engine multiplied; null for a MATMUL of a device trace, which does not say whether it only transposes. */
function multiplies({ engine, labels }: KernelRecord, { work }: ResolvedWork): boolean | null {
  if (engine !== TENSOR || !work.matmul) return false;
  return work.flops === null && labels?.['type'] === undefined ? null : true;
}

const cellOf = (isProduct: boolean | null): MatrixUnitCell => (isProduct === null ? '?' : isProduct ? 1 : '-');

const ON_ENGINE: TensorCore = { verdict: 'yes', rule: 'tensor-engine' };
const NOT_ON_ENGINE: TensorCore = { verdict: 'no', rule: 'other-engine' };

export const NEURON: WorkModel = {
  isOf: isNeuronInstruction,
  derive: (_, record) => workOf(record),
  matrixUnitCell: ({ record, described }) => (described === null ? null : cellOf(multiplies(record, described))),
  verdictOf: ({ engine }) => (engine === TENSOR ? ON_ENGINE : NOT_ON_ENGINE),
  judgedBy: 'by its engine',
  undetermined: { id: 'trace', text: 'a device trace does not say whether a MATMUL multiplies or only transposes' },
  matrixUnitUse: ({ record, described }) => ({
    dtype: operandType(record),
    eligible: multiplies(record, described),
    ...{ why: null, slowed: null, halfSums: false, shortcut: false },
  }),
  whyUnknown: ({ name }) => `no formula for the opcode ${name}`,
};
