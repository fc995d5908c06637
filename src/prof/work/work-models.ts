/** The table of work models, including that of GPUs, which uses the op calls around the launch and the kernel's name. */
import { matrixUnitByName, matrixUnitCell, tensorCore, type TensorCore } from '../../ops/kernels/tensor-core.js';
import { dtypeShort } from '../../record/element-types.js';
import { statedWork } from '../../ops/families/hlo.js';
import type { Device, KernelRecord, OpCall } from '../../record/record.js';
import { deriveFromCalls, NO_WORK, familyOfRecords, workOfKernel, type DerivedWork } from './derived-work.js';
import {
  matrixUnitUse,
  matrixUnitUseByName,
  BY_NAME,
  type JudgedKernel,
  type MatrixUnitCell,
  type WorkModel,
  type MatrixUnitUse,
} from './work-model.js';
import { categoryByName, kernelKind } from '../../ops/kernels/kernel-name.js';
import { instructionCategory, instructionWork, operandType } from '../../ops/neuron/instruction-work.js';
import { type ResolvedWork, resolveWork } from '../../ops/resolve-work.js';
import { isNeuronInstruction, isOnCoreClass } from '../../record/neuron/neuron-cores.js';
import { cubeFlops, cubeVerdict, kernelType } from '../../ops/ascend/cube.js';
import { ascendWork, operatorCategory } from '../../ops/ascend/kernel-work.js';
import { kernelTensors, operatorType, positionsOf, present } from '../../ops/ascend/kernel-tensors.js';
import { renderParam, type Convention, type Work } from '../../ops/family.js';
import { mathType, matrixTypes } from '../../ops/kernels/matrix-unit.js';
import type { Reason } from '../../ops/kernels/tensor-core-advice.js';
import { helperWork } from '../../ops/work.js';
import type { ServingStep } from '../../record/serving-step.js';

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

const KERNEL = familyOfRecords('ascend-kernel', 'a kernel by its own operands');

const isKnown = ({ flops, bytes }: Work): boolean => flops !== null && bytes !== null;

/**
 * Work from the ops around the launch if their arguments determine it; the kernels of one op then share it. Otherwise from
 * the kernel's own operands as the profiler records them, which belong to this kernel alone.
 */
function deriveOnAscend(
  calls: readonly OpCall[],
  record: KernelRecord,
  serving: ServingStep | null,
  convention: Convention | null,
): DerivedWork {
  const { name, dir, sub, grid, block } = record;
  const kernel = { name, short: operatorType(record), dir, sub, grid, block };
  const derived = deriveFromCalls(calls, kernel, serving, convention);
  const { described } = derived;
  if (described !== null && isKnown(described.whole)) {
    return record.callIds !== undefined && kernelKind(kernel) === 'helper' ? asHelper(derived, described) : derived;
  }
  const resolved = ofConvolution(calls, kernel, record, described) ?? ofOperands(record);
  if (resolved === null || (described !== null && !isKnown(resolved.work))) return derived;
  return { described: resolved, label: derived.label, params: resolved.work.params.map(renderParam) };
}

/** The kernel as a helper: it only prepares or moves data. */
const asHelper = (derived: DerivedWork, described: ResolvedWork): DerivedWork => ({
  ...derived,
  described: { ...described, work: helperWork(described.work.params, "type of the kernel's operator") },
});

function ofOperands(record: KernelRecord): ResolvedWork | null {
  const work = ascendWork(record);
  if (work === null) return null;
  const call: OpCall = { mod: record.engine ?? 'na', op: operatorType(record), args: [] };
  return workOfKernel(call, KERNEL, work);
}

/** A convolution whose call has no stride and padding: the extents of the result are taken from its kernel. */
function ofConvolution(
  calls: readonly OpCall[],
  kernel: Parameters<typeof resolveWork>[1],
  record: KernelRecord,
  partial: ResolvedWork | null,
): ResolvedWork | null {
  if (partial?.family.id !== 'convolution') return null;
  if (partial.work.role === 'helper') {
    const work = helperWork(partial.work.params, "type of the kernel's operator");
    return { ...partial, index: -1, work, whole: work };
  }
  const [result] = present(kernelTensors(record)?.outputs ?? []);
  const at = result === undefined ? null : positionsOf(result);
  const filters = partial.call.args[1]?.shape?.[0];
  if (at === null || filters === undefined || !kernel.short.startsWith('Conv2D')) return null;
  const [n, h, w] = at;
  const withResult = calls.map((call) => ({ ...call, out: [[n, filters, h, w]] }));
  const found = resolveWork(withResult, kernel);
  return found === null || !isKnown(found.whole) ? null : { ...found, index: -1 };
}

function cubeCell({ record, arch, described }: JudgedKernel): MatrixUnitCell {
  const work = described?.work ?? null;
  const { verdict, rule } = cubeVerdict(record, arch);
  const used = verdict === 'yes' || verdict === 'likely';
  if (used && rule === 'aic_mac_time') return 1;
  if (work === null) return used ? 1 : null;
  if (!work.matmul || work.role === 'helper' || work.role === 'bias') return '-';
  return used ? 1 : verdict === 'no' ? 0 : '?';
}

const BY_RULE: Readonly<Record<string, string>> = {
  aic_mac_time: 'the device counted the time in which the cube multiplied',
  'core-class': 'the class of cores that the kernel ran on',
  'task-type': 'the type of the task; the profile has no counters',
};

const SLOW: Reason = { id: 'fp32', text: 'the cube does FP32 at a quarter of the rate of FP16 and BF16' };

/** Why a product is, or is not, on the cube. */
function whyOf(record: KernelRecord, dtype: string | null, verdict: TensorCore, arch: string | undefined): Reason {
  const judged = { id: verdict.rule, text: BY_RULE[verdict.rule] ?? 'not known' };
  if (verdict.verdict !== 'no') return judged;
  const type = mathType(dtype);
  const types = matrixTypes(arch);
  if (type !== null && types?.includes(type) === false)
    return { id: 'dtype', text: `the cube of ${arch ?? 'this device'} does not multiply ${type}` };
  if (record.engine === 'AI_VECTOR_CORE' || record.engine === 'MIX_AIV')
    return {
      id: 'vector-core',
      text: 'the kernel ran on vector cores: the operator has no cube implementation for this call',
    };
  return record.engine === 'AI_CPU'
    ? { id: 'ai-cpu', text: 'the kernel ran on the AI CPUs, which have no cube' }
    : judged;
}

function cubeUse({ record, arch, described }: JudgedKernel, isProduct: boolean): MatrixUnitUse | null {
  if (described === null && !isProduct) return null;
  const ofCall = described === null ? null : matrixUnitUse(described.call, isProduct, record.name, arch);
  const dtype = kernelType(record) ?? ofCall?.dtype ?? null;
  const shared = { dtype, halfSums: false, shortcut: false };
  if (!isProduct) return { ...shared, eligible: false, why: null, slowed: null };
  const verdict = cubeVerdict(record, arch);
  const type = mathType(dtype);
  const types = matrixTypes(arch);
  return {
    ...shared,
    eligible: types === null ? null : type !== null && types.includes(type),
    why: whyOf(record, dtype, verdict, arch),
    slowed: type === 'fp32' && verdict.verdict !== 'no' ? SLOW : null,
  };
}

/**
 * Work of kernels on Ascend devices: from the op calls around the launch if they have the arguments, else from the
 * kernel's own operands. Also use of the cube (the matrix unit), from the device's counters.
 */
export const ASCEND: WorkModel = {
  isOf: (record, device) => device?.vendor === 'huawei' || isOnCoreClass(record),
  derive: deriveOnAscend,
  categoryOf: (record) =>
    operatorCategory(record) ?? categoryByName({ name: record.name, short: operatorType(record) }),
  matrixUnitCell: cubeCell,
  verdictOf: cubeVerdict,
  judgedBy: 'by its counters or core class',
  undetermined: BY_NAME,
  matrixUnitUse: cubeUse,
  countedFlops: cubeFlops,
  // FP32 is rounded to HF32 unless the program forbids it. Only newer profiles have the label.
  mayRoundConvolutions: ({ labels }) => labels?.['hf32'] === undefined,
};

/** The first match is used; the last one is for all other devices. */
const WORK_MODELS: readonly WorkModel[] = [NEURON, ASCEND, TPU, GPU];

/** @param device the device on which the kernel ran; null when the profile does not describe it */
export const workModelOf = (record: KernelRecord, device: Device | null): WorkModel =>
  WORK_MODELS.find((model) => model.isOf(record, device)) ?? GPU;
