/**
 * Op name → family. The order of FAMILIES is the order of the generated docs; an op may be in one family only. A name
 * that ends in `*` stands for all names that begin so and that no family has in full.
 */
import type { OpCall } from '../record/record.js';
import type { Family, KernelFacts, Work } from './family.js';
import { activation } from './families/activation.js';
import { activationGradients } from './families/activation-gradients.js';
import { attention } from './families/attention.js';
import { blas } from './families/blas.js';
import { collective } from './families/collective.js';
import { conversion } from './families/conversion.js';
import { convolution } from './families/convolution.js';
import { copying } from './families/copying.js';
import { detection } from './families/detection.js';
import { distance } from './families/distance.js';
import { dropout } from './families/dropout.js';
import { embedding } from './families/embedding.js';
import { equality } from './families/equality.js';
import { filling } from './families/filling.js';
import { fourier } from './families/fourier.js';
import { fusedRecurrent } from './families/fused-recurrent.js';
import { foreach } from './families/foreach.js';
import { fusedOptimizer } from './families/fused-optimizer.js';
import { fusedPointwise } from './families/fused-pointwise.js';
import { indexing } from './families/indexing.js';
import { interpolation } from './families/interpolation.js';
import { joining } from './families/joining.js';
import { keyValueCache } from './families/key-value-cache.js';
import { linearAlgebra } from './families/linear-algebra.js';
import { loss } from './families/loss.js';
import { mixtureOfExperts } from './families/mixture-of-experts.js';
import { normalization } from './families/normalization.js';
import { optimizer } from './families/optimizer.js';
import { ordering } from './families/ordering.js';
import { pointwise } from './families/pointwise.js';
import { pooling } from './families/pooling.js';
import { ragged } from './families/ragged.js';
import { random } from './families/random.js';
import { recurrent } from './families/recurrent.js';
import { recurrentGates } from './families/recurrent-gates.js';
import { reduction } from './families/reduction.js';
import { scan } from './families/scan.js';
import { slicing } from './families/slicing.js';
import { softmax } from './families/softmax.js';
import { tableBatchedEmbedding } from './families/table-batched-embedding.js';
import { tensorIndexing } from './families/tensor-indexing.js';
import { transformer } from './families/transformer.js';
import { triton } from './families/triton.js';
import { inSchemaOrder } from './flattened.js';
import { opName } from './operands.js';
import { withAnyType, withToldTypes, type TypedBy } from './told-types.js';

export const FAMILIES: readonly Family[] = [
  blas,
  convolution,
  distance,
  linearAlgebra,
  fourier,
  attention,
  transformer,
  recurrent,
  fusedRecurrent,
  recurrentGates,
  pointwise,
  activation,
  activationGradients,
  fusedPointwise,
  normalization,
  softmax,
  reduction,
  scan,
  equality,
  pooling,
  interpolation,
  detection,
  loss,
  embedding,
  tableBatchedEmbedding,
  ragged,
  indexing,
  tensorIndexing,
  joining,
  ordering,
  copying,
  slicing,
  conversion,
  filling,
  random,
  dropout,
  keyValueCache,
  mixtureOfExperts,
  collective,
  triton,
  optimizer,
  foreach,
  fusedOptimizer,
];

const BY_NAME = new Map<string, Family>();
/** Op names that are in the table together with a module: only for these the module matters. */
const WITH_MODULE = new Set<string>();
/** Families of generated names, by how these begin. */
const PREFIXES: (readonly [start: string, family: Family])[] = [];
for (const family of FAMILIES) {
  for (const op of family.ops) {
    const other = BY_NAME.get(op);
    if (other !== undefined) throw new Error(`op ${op} is in the families ${other.id} and ${family.id}`);
    BY_NAME.set(op, family);
    if (op.endsWith('*')) PREFIXES.push([op.slice(0, -1), family]);
    for (let dot = op.indexOf('.'); dot !== -1; dot = op.indexOf('.', dot + 1)) WITH_MODULE.add(op.slice(dot + 1));
  }
}

/** The family of a call, or null when no family knows the op. `aten::mm` and `mm` are the same op. */
export function familyOf(call: OpCall): Family | null {
  const op = opName(call);
  const ofModule = WITH_MODULE.has(op) ? BY_NAME.get(`${call.mod}.${op}`) : undefined;
  return ofModule ?? BY_NAME.get(op) ?? PREFIXES.find(([start]) => op.startsWith(start))?.[1] ?? null;
}

export interface Described {
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
export function describe(calls: readonly OpCall[], kernel: KernelFacts): Described | null {
  let partial: Described | null = null;
  for (let index = calls.length - 1; index >= 0; index--) {
    const found = describeBy(calls, index, kernel);
    if (found === null || (partial !== null && found.family !== partial.family)) continue;
    if (found.call.from === undefined) return partial ?? found;
    if (calls[index]?.from === 'sizes' ? tellsAll(found) : isKnown(found.whole))
      return partial === null ? found : { ...found, work: withRoleOf(partial.work, found.work) };
    partial ??= found;
  }
  return partial;
}

function describeBy(calls: readonly OpCall[], index: number, kernel: KernelFacts): Described | null {
  const written = calls[index];
  const family = written === undefined ? null : familyOf(written);
  if (written === undefined || family === null) return null;
  const { call, typedBy } = withToldTypes(inSchemaOrder(written), kernel.name);
  if (call.from === undefined) {
    const work = family.work(call, kernel);
    return work === null ? null : { index, call, family, work, whole: work, typedBy };
  }
  const work = family.work(call, doing(kernel));
  const whole = family.work(call, NAMELESS) ?? work;
  if (work === null || whole === null) return null;
  // Some ops are only told by their kernels: a batch normalisation, whether it trains.
  const told = isKnown(whole) || work.role === 'helper' ? whole : work;
  return { index, call, family, work, whole: told, typedBy };
}

/** A kernel of which nothing is known: what a family says of it is the work of the whole op. */
const NAMELESS: KernelFacts = { name: '', short: '', dir: 'fprop', sub: 0, grid: null, block: null };

const isKnown = ({ flops, bytes }: Work): boolean => flops !== null && bytes !== null;

/**
 * Whether the call tells all but element types. These may be known by one of its kernels' names and not by another's,
 * and all of them must have the same describing call.
 */
const tellsAll = ({ call, family, whole }: Described): boolean =>
  isKnown(whole) || (whole.flops !== null && isKnown(family.work(withAnyType(call), NAMELESS) ?? whole));

/** The inner op may say which gradient it computes. */
const withRoleOf = ({ role }: Work, work: Work): Work =>
  work.role !== 'helper' && (role === 'dgrad' || role === 'wgrad') ? { ...work, role } : work;

/** A kernel that does the call itself, first and alone: see `KernelFacts`. */
const doing = (kernel: KernelFacts): KernelFacts => ({ ...kernel, dir: 'fprop', sub: 0 });
