/**
 * A kernel of an Ascend device: its work, by its op where that tells it and else by its own operands, and what the cube
 * had to do with it.
 */
import { cubeVerdict, kernelType } from '../../ops/ascend/cube.js';
import { ascendWork } from '../../ops/ascend/kernel-work.js';
import { kernelTensors, operatorType, positionsOf, present } from '../../ops/ascend/kernel-tensors.js';
import { resolveWork, type ResolvedWork } from '../../ops/resolve-work.js';
import { renderParam, type Family, type Work } from '../../ops/family.js';
import { kernelKind } from '../../ops/kernels/kernel-kind.js';
import { mathType, matrixTypes } from '../../ops/kernels/matrix-unit.js';
import type { Reason } from '../../ops/kernels/tensor-core-advice.js';
import type { TensorCore } from '../../ops/tensor-core.js';
import { helperWork } from '../../ops/work.js';
import { isOnCoreClass } from '../../record/engines.js';
import type { Device, KernelRecord, OpCall } from '../../record/record.js';
import { derive, type Derived } from './derive.js';
import type { MatrixUnitUse } from './matrix-unit-use.js';

/** Whether the kernel ran on an Ascend device. */
export const isOnAscend = (record: KernelRecord, device: Device | null): boolean =>
  device?.vendor === 'huawei' || isOnCoreClass(record);

const KERNEL: Family = {
  id: 'ascend-kernel',
  title: 'a kernel by its own operands',
  ops: [],
  formulas: [],
  work: () => null,
};

const isKnown = ({ flops, bytes }: Work): boolean => flops !== null && bytes !== null;

/**
 * The work by the ops around the launch where they tell it; kernels of one op then share it. Else by what the profiler
 * tells of the kernel's own operands, which no other kernel shares.
 */
export function deriveOnAscend(calls: readonly OpCall[], record: KernelRecord): Derived {
  const { name, dir, sub, grid, block } = record;
  const kernel = { name, short: operatorType(record), dir, sub, grid, block };
  const derived = derive(calls, kernel);
  const { described } = derived;
  if (described !== null && isKnown(described.whole)) {
    return record.callIds !== undefined && kernelKind(kernel) === 'helper' ? asHelper(derived, described) : derived;
  }
  const own = ofConvolution(calls, kernel, record, described) ?? ofOperands(record);
  if (own === null || (described !== null && !isKnown(own.work))) return derived;
  return { described: own, label: derived.label, params: own.work.params.map(renderParam) };
}

/** What only prepares or moves data is given the op's work where no other kernel of the op can be. */
const asHelper = (derived: Derived, described: ResolvedWork): Derived => ({
  ...derived,
  described: { ...described, work: helperWork(described.work.params, "type of the kernel's operator") },
});

function ofOperands(record: KernelRecord): ResolvedWork | null {
  const work = ascendWork(record);
  if (work === null) return null;
  const call: OpCall = { mod: record.engine ?? 'na', op: operatorType(record), args: [] };
  return { index: -1, call, family: KERNEL, work, whole: work, typedBy: null };
}

/** A convolution whose stride and padding are not told: its kernel tells the extents of the result. */
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
  const told = calls.map((call) => ({ ...call, out: [[n, filters, h, w]] }));
  const found = resolveWork(told, kernel);
  return found === null || !isKnown(found.whole) ? null : { ...found, index: -1 };
}

/** The tc column: see `Annotated.tc`. */
export function cubeCell(work: Work | null, { verdict, rule }: TensorCore): 0 | 1 | '-' | '?' | null {
  const used = verdict === 'yes' || verdict === 'likely';
  if (used && rule === 'aic_mac_time') return 1;
  if (work === null) return used ? 1 : null;
  if (!work.matmul || work.role === 'helper' || work.role === 'bias') return '-';
  return used ? 1 : verdict === 'no' ? 0 : '?';
}

const BY_RULE: Readonly<Record<string, string>> = {
  aic_mac_time: 'the device counted the time in which the cube multiplied',
  'core-class': 'the class of cores that the kernel ran on',
  'task-type': 'the type of the task; the profile tells no counters',
};

const SLOW: Reason = { id: 'fp32', text: 'the cube does FP32 at a quarter of the rate of FP16 and BF16' };

/** Why a product is, or is not, on the cube. */
function whyOf(record: KernelRecord, dtype: string | null, verdict: TensorCore, arch: string | undefined): Reason {
  const judged = { id: verdict.rule, text: BY_RULE[verdict.rule] ?? 'not told' };
  if (verdict.verdict !== 'no') return judged;
  const type = mathType(dtype);
  const types = matrixTypes(arch);
  if (type !== null && types?.includes(type) === false)
    return { id: 'dtype', text: `the cube of ${arch ?? ''} does not multiply ${type}` };
  if (record.engine === 'AI_VECTOR_CORE' || record.engine === 'MIX_AIV')
    return { id: 'vector-core', text: 'the kernel ran on vector cores: its operator has no form for the cube here' };
  return record.engine === 'AI_CPU'
    ? { id: 'ai-cpu', text: 'the kernel ran on the processors beside the cores' }
    : judged;
}

/**
 * @param fallback element type by the op, for kernels whose operands are not told
 * @param isProduct whether the tc column tells of a product
 */
export function cubeUse(
  record: KernelRecord,
  fallback: MatrixUnitUse,
  isProduct: boolean,
  arch: string | undefined,
): MatrixUnitUse {
  const dtype = kernelType(record) ?? fallback.dtype;
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
