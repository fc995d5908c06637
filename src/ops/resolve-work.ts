/** Resolves the work of a kernel: finds the op call around its launch that describes it. */
import type { OpCall } from '../record/record.js';
import type { Family, KernelFacts, Work } from './family.js';
import { reconstructArguments, withEachOperandOnce } from './schema/argument-reconstruction.js';
import { withAnyType, inferDtypes, type TypedBy } from './schema/dtype-inference.js';
import { opName } from './operands.js';
import { familyOf } from './table.js';
import { workOf } from './work.js';

/** The call that describes a kernel, its family, and the work of the op. */
export interface ResolvedWork {
  /** Index of the describing call; -1 when the work comes from the kernel itself. */
  readonly index: number;
  readonly call: OpCall;
  readonly family: Family;
  /** The work of the kernel, if its name determines its part of the call. */
  readonly work: Work;
  /** The work of the whole call, which may have several kernels. */
  readonly whole: Work;
  /** The source from which missing dtypes were inferred; null when none is missing. */
  readonly typedBy: TypedBy | null;
}

/**
 * The work of a kernel, from the innermost call around its launch that has a formula for its arguments. When a dispatcher
 * op's arguments leave something unspecified, an enclosing op of the same family may specify it (a convolution's backward
 * around the op of a single gradient).
 * @param calls outermost first
 * @returns null when no call has a formula
 */
export function resolveWork(calls: readonly OpCall[], kernel: KernelFacts): ResolvedWork | null {
  let partial: ResolvedWork | null = null;
  for (let index = calls.length - 1; index >= 0; index--) {
    const found = resolveWorkAt(calls, index, kernel);
    if (found === null || (partial !== null && found.family !== partial.family)) continue;
    if (found.call.from === undefined) return partial ?? found;
    if (calls[index]?.from === 'sizes' ? isComplete(found, kernel) : isWorkKnown(found.whole))
      return partial === null ? found : { ...found, work: withRoleOf(partial.work, found.work) };
    partial ??= found;
  }
  return partial ?? movedWork(calls);
}

/** The work of an innermost op that only moves elements, when its arguments are missing or fit no formula. */
function movedWork(calls: readonly OpCall[]): ResolvedWork | null {
  const call = calls.at(-1);
  if (call?.mod !== 'aten' || call.from !== 'dispatcher') return null;
  const family = familyOf(call);
  if (family?.onlyMoves?.test(opName(call)) !== true) return null;
  const unknown = `the arguments of ${call.op} do not fit a formula`;
  const cost = {
    flops: 0,
    writes: null,
    params: [],
    formula: 'flops = 0',
    source: 'the op only moves elements',
    unknown,
  };
  const work = workOf(cost);
  return { index: calls.length - 1, call, family, work, whole: work, typedBy: null };
}

function resolveWorkAt(calls: readonly OpCall[], index: number, kernel: KernelFacts): ResolvedWork | null {
  const written = withKnownResult(calls, index);
  const family = written === undefined ? null : familyOf(written);
  if (written === undefined || family === null) return null;
  const operands = withEachOperandOnce(reconstructArguments(written), calls[index - 1]);
  const { call, typedBy } = inferDtypes(operands, kernel.name);
  if (call.from === undefined) {
    const work = family.work(call, kernel);
    return work === null ? null : { index, call, family, work, whole: work, typedBy };
  }
  const work = family.work(call, asDispatched(kernel));
  const whole = family.work(call, nameless(kernel)) ?? work;
  if (work === null || whole === null) return null;
  // The kernel's name may contain data that the call does not state, such as the training mode of a batch
  // normalisation.
  const isByName = work.byName === true || (!isWorkKnown(whole) && work.role !== 'helper');
  const known = isByName ? work : whole;
  return { index, call, family, work, whole: known, typedBy };
}

/** The call with the result's extents from a call of the same family on the same tensors: `conv2d` around `convolution`. */
function withKnownResult(calls: readonly OpCall[], index: number): OpCall | undefined {
  const call = calls[index];
  if (call?.from !== 'dispatcher' || call.out !== undefined) return call;
  const other = calls.find((candidate) => candidate.out !== undefined && hasTensorsOf(candidate, call));
  return other?.out === undefined || familyOf(other) !== familyOf(call) ? call : { ...call, out: other.out };
}

const hasTensorsOf = (a: OpCall, b: OpCall): boolean =>
  [0, 1].every((i) => String(a.args[i]?.shape) === String(b.args[i]?.shape));

/** A kernel without name facts, whose work is that of the whole op. */
const nameless = ({ serving = null }: KernelFacts): KernelFacts => ({
  ...{ name: '', short: '', dir: 'fprop', sub: 0, grid: null, block: null },
  serving,
});

const isWorkKnown = ({ flops, bytes }: Work): boolean => flops !== null && bytes !== null;

/**
 * Whether only dtypes may be unspecified. Dtypes may follow from the name of one of the call's kernels but not of another,
 * and yet all its kernels must have the same describing call.
 */
const isComplete = ({ call, family, whole }: ResolvedWork, kernel: KernelFacts): boolean =>
  isWorkKnown(whole) ||
  (whole.flops !== null && isWorkKnown(family.work(withAnyType(call), nameless(kernel)) ?? whole));

/** The inner op may name the gradient that it computes. */
const withRoleOf = ({ role }: Work, work: Work): Work =>
  work.role !== 'helper' && (role === 'dgrad' || role === 'wgrad') ? { ...work, role } : work;

/** The facts of a kernel of a dispatcher call: see `KernelFacts`. */
const asDispatched = (kernel: KernelFacts): KernelFacts => ({ ...kernel, dir: 'fprop', sub: 0, convention: null });
