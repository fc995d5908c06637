/** The table of work models, including that of GPUs, which uses the op calls around the launch and the kernel's name. */
import { matrixUnitByName, matrixUnitCell, tensorCore, type TensorCore } from '../../ops/kernels/tensor-core.js';
import { dtypeShort } from '../../record/element-types.js';
import { statedWork } from '../../ops/families/hlo.js';
import type { Device, KernelRecord, OpCall } from '../../record/record.js';
import { ASCEND } from './ascend-model.js';
import { deriveFromCalls, NO_WORK, familyOfRecords, workOfKernel, type DerivedWork } from './derived-work.js';
import {
  matrixUnitUse,
  matrixUnitUseByName,
  BY_NAME,
  type JudgedKernel,
  type MatrixUnitCell,
  type WorkModel,
} from './work-model.js';
import { categoryByName } from '../../ops/kernels/kernel-name.js';
import { instructionCategory, instructionWork, operandType } from '../../ops/neuron/instruction-work.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import { isNeuronInstruction } from '../../record/neuron/neuron-cores.js';

const TENSOR = 'Tensor';

/** Work of the instructions of a compiled program, which the engines of a NeuronCore execute. */
const INSTRUCTION = familyOfRecords('instruction', 'an instruction of a compiled program');

/** Work of an instruction; an opcode without a formula has none. */
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

const cellOfInstruction = (isProduct: boolean | null): MatrixUnitCell =>
  isProduct === null ? '?' : isProduct ? 1 : '-';

const ON_ENGINE: TensorCore = { verdict: 'yes', rule: 'tensor-engine' };
const NOT_ON_ENGINE: TensorCore = { verdict: 'no', rule: 'other-engine' };

export const NEURON: WorkModel = {
  isOf: isNeuronInstruction,
  derive: (_, record) => workOf(record),
  categoryOf: instructionCategory,
  matrixUnitCell: ({ record, described }) =>
    described === null ? null : cellOfInstruction(multiplies(record, described)),
  verdictOf: ({ engine }) => (engine === TENSOR ? ON_ENGINE : NOT_ON_ENGINE),
  judgedBy: 'by its engine',
  undetermined: { id: 'trace', text: 'a device trace does not say whether a MATMUL multiplies or only transposes' },
  matrixUnitUse: ({ record, described }) =>
    described === null
      ? null
      : {
          dtype: operandType(record),
          eligible: multiplies(record, described),
          ...{ why: null, slowed: null, halfSums: false, shortcut: false },
        },
  whyUnknown: ({ name }) => `no formula for the opcode ${name}`,
};

/** Work that a compiler states for each instruction of its program. The call names the instruction's operation. */
const STATED = familyOfRecords(
  'xla-instruction',
  'an instruction of an XLA program, with the work that the compiler states',
);

function workStated(calls: readonly OpCall[], record: KernelRecord): DerivedWork {
  const byShapes = deriveFromCalls(calls, record);
  const work = statedWork(record, byShapes.described?.work.matmul === true);
  if (work === null) return byShapes;
  const call = byShapes.described?.call ?? { mod: 'hlo', op: record.name, args: [] };
  return { ...byShapes, described: workOfKernel(call, STATED, work) };
}

const ON_MXU: TensorCore = { verdict: 'yes', rule: 'hlo' };
const NOT_ON_MXU: TensorCore = { verdict: 'no', rule: 'hlo' };

const TPU: WorkModel = {
  isOf: (_, device) => device?.vendor === 'google',
  derive: workStated,
  categoryOf: categoryByName,
  matrixUnitCell: ({ described }) => (described === null ? null : described.work.matmul ? 1 : '-'),
  verdictOf: (record) => (workStated(record.calls, record).described?.work.matmul === true ? ON_MXU : NOT_ON_MXU),
  judgedBy: 'by its instruction',
  undetermined: BY_NAME,
  matrixUnitUse: ({ described }, isProduct) =>
    described === null
      ? null
      : {
          dtype: dtypeShort(described.call.args[0]?.dtype ?? 'na'),
          ...{ eligible: isProduct, why: null, slowed: null, halfSums: false, shortcut: false },
        },
};

const CELLS = { '1': 1, '0': 0, '-': '-', '?': '?', na: null } as const;

function cellOf({ record: { name }, arch, described }: JudgedKernel): MatrixUnitCell {
  const work = described?.work ?? null;
  return CELLS[work === null ? matrixUnitByName(name, arch) : matrixUnitCell(work, name, arch)];
}

export const GPU: WorkModel = {
  isOf: () => true,
  derive: deriveFromCalls,
  categoryOf: categoryByName,
  matrixUnitCell: cellOf,
  verdictOf: ({ name }, arch) => tensorCore(name, arch),
  judgedBy: 'by its name',
  undetermined: BY_NAME,
  matrixUnitUse: ({ record: { name }, arch, described }, isProduct) => {
    if (described !== null) return matrixUnitUse(described.call, isProduct, name, arch);
    return isProduct ? matrixUnitUseByName(name, arch) : null;
  },
};

/** The first match is used; the last one is for all other devices. */
const WORK_MODELS: readonly WorkModel[] = [NEURON, ASCEND, TPU, GPU];

/** @param device the device on which the kernel ran; null when the profile does not describe it */
export const workModelOf = (record: KernelRecord, device: Device | null): WorkModel =>
  WORK_MODELS.find((model) => model.isOf(record, device)) ?? GPU;
