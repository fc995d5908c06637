/**
 * Which of the calls around a launch describes its kernel, and what the kernel and the whole call have to do.
 */
import type { OpCall } from '../record/record.js';
import type { Family, KernelFacts, Work } from './family.js';
import { reconstructArguments } from './schema/argument-reconstruction.js';
import { withAnyType, inferDtypes, type TypedBy } from './schema/dtype-inference.js';
import { familyOf } from './table.js';

export interface ResolvedWork {
  /** Index of the describing call; -1 where the kernel itself tells what it does. */
  readonly index: number;
  readonly call: OpCall;
  readonly family: Family;
  /** The work that its name alone gives the kernel. */
  readonly work: Work;
  /** The work of the whole call, which may have several kernels. */
  readonly whole: Work;
  /** Where element types were taken from that the call does not tell; null where it tells all. */
  readonly typedBy: TypedBy | null;
}

/**
 * The innermost of the calls around a launch that has a formula for its arguments: it describes the kernel. Where
 * arguments of the dispatcher's op do not tell all, an op around it of the same family may (a convolution's backward
 * around the one that computes a single gradient).
 * @param calls outermost first
 */
export function resolveWork(calls: readonly OpCall[], kernel: KernelFacts): ResolvedWork | null {
  let partial: ResolvedWork | null = null;
  for (let index = calls.length - 1; index >= 0; index--) {
    const found = resolveWorkAt(calls, index, kernel);
    if (found === null || (partial !== null && found.family !== partial.family)) continue;
    if (found.call.from === undefined) return partial ?? found;
    if (calls[index]?.from === 'sizes' ? isComplete(found) : isWorkKnown(found.whole))
      return partial === null ? found : { ...found, work: withRoleOf(partial.work, found.work) };
    partial ??= found;
  }
  return partial;
}

function resolveWorkAt(calls: readonly OpCall[], index: number, kernel: KernelFacts): ResolvedWork | null {
  const written = withKnownResult(calls, index);
  const family = written === undefined ? null : familyOf(written);
  if (written === undefined || family === null) return null;
  const { call, typedBy } = inferDtypes(reconstructArguments(written), kernel.name);
  if (call.from === undefined) {
    const work = family.work(call, kernel);
    return work === null ? null : { index, call, family, work, whole: work, typedBy };
  }
  const work = family.work(call, asDispatched(kernel));
  const whole = family.work(call, NAMELESS) ?? work;
  if (work === null || whole === null) return null;
  // Some ops are only told by their kernels: a batch normalisation, whether it trains.
  const told = isWorkKnown(whole) || work.role === 'helper' ? whole : work;
  return { index, call, family, work, whole: told, typedBy };
}

/**
 * The call with the extents of its result where another call of the chain, of the same family and the same tensors, has
 * them: `conv2d` around `convolution`.
 */
function withKnownResult(calls: readonly OpCall[], index: number): OpCall | undefined {
  const call = calls[index];
  if (call?.from !== 'dispatcher' || call.out !== undefined) return call;
  const other = calls.find((candidate) => candidate.out !== undefined && hasTensorsOf(candidate, call));
  return other?.out === undefined || familyOf(other) !== familyOf(call) ? call : { ...call, out: other.out };
}

const hasTensorsOf = (a: OpCall, b: OpCall): boolean =>
  [0, 1].every((i) => String(a.args[i]?.shape) === String(b.args[i]?.shape));

/** A kernel of which nothing is known: what a family says of it is the work of the whole op. */
const NAMELESS: KernelFacts = { name: '', short: '', dir: 'fprop', sub: 0, grid: null, block: null };

const isWorkKnown = ({ flops, bytes }: Work): boolean => flops !== null && bytes !== null;

/**
 * Whether the call tells all but element types. These may be known by one of its kernels' names and not by another's,
 * and all of them must have the same describing call.
 */
const isComplete = ({ call, family, whole }: ResolvedWork): boolean =>
  isWorkKnown(whole) || (whole.flops !== null && isWorkKnown(family.work(withAnyType(call), NAMELESS) ?? whole));

/** The inner op may say which gradient it computes. */
const withRoleOf = ({ role }: Work, work: Work): Work =>
  work.role !== 'helper' && (role === 'dgrad' || role === 'wgrad') ? { ...work, role } : work;

/** A kernel that does the call itself, first and alone: see `KernelFacts`. */
const asDispatched = (kernel: KernelFacts): KernelFacts => ({ ...kernel, dir: 'fprop', sub: 0 });
