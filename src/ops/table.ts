/**
 * Maps op names to families, one for each op, in the order of the docs. A trailing `*` matches any suffix; exact names take
 * precedence.
 */
import type { OpCall } from '../record/record.js';
import type { Category } from './category.js';
import type { Family } from './family.js';
import { activation, activationGradients, dropout } from './families/pointwise/activation.js';
import { apexNormalization } from './families/normalization/fused-normalization.js';
import { attention } from './families/attention/attention.js';
import { blas } from './families/products/blas.js';
import { collective } from './families/collective.js';
import { conversion } from './families/pointwise/conversion.js';
import { convolution } from './families/convolution/convolution.js';
import { copying } from './families/movement/copying.js';
import { detection } from './families/interpolation/detection.js';
import { distance, linearAlgebra } from './families/products/linear-algebra.js';
import { eightBitKernels, quantization } from './families/pointwise/quantization.js';
import { embedding } from './families/embedding/embedding.js';
import { equality, pointwise } from './families/pointwise/pointwise.js';
import { filling } from './families/movement/filling.js';
import { foreach } from './families/pointwise/foreach.js';
import { fourier } from './families/fourier.js';
import {
  fusedAttentionFunctions,
  rotaryFunctions,
  keyValueCache,
} from './families/attention/fused-attention-functions.js';
import { fusedOptimizer, optimizer } from './families/optimizer.js';
import { fusedPointwise, trainingFunctions } from './families/pointwise/fused-pointwise.js';
import { fusedRecurrent } from './families/recurrent/fused-recurrent.js';
import { hlo } from './families/hlo.js';
import { indexing, tensorIndexing } from './families/movement/indexing.js';
import { interpolation } from './families/interpolation/interpolation.js';
import { joining, slicing } from './families/movement/slicing.js';
import { linearFunctions } from './families/products/linear-functions.js';
import { loss } from './families/reduction/loss.js';
import { mixtureOfExperts, tokenPermutation } from './families/products/mixture-of-experts.js';
import { normalization } from './families/normalization/normalization.js';
import { ordering } from './families/movement/ordering.js';
import { pooling } from './families/pooling.js';
import { quantizedRows } from './families/embedding/quantized-rows.js';
import { ragged } from './families/embedding/ragged.js';
import { random } from './families/random.js';
import { recurrent, recurrentGates } from './families/recurrent/recurrent.js';
import { reduction, scan } from './families/reduction/reduction.js';
import { softmax } from './families/reduction/softmax.js';
import { tableBatchedEmbedding } from './families/embedding/table-batched-embedding.js';
import { transformer } from './families/attention/transformer.js';
import { triton } from './families/pointwise/triton.js';
import { opName } from './operands.js';

/** All families, in the order of the generated docs. An op belongs to one family only. */
export const FAMILIES: readonly Family[] = [
  blas,
  linearFunctions,
  convolution,
  distance,
  linearAlgebra,
  fourier,
  attention,
  fusedAttentionFunctions,
  transformer,
  recurrent,
  fusedRecurrent,
  recurrentGates,
  pointwise,
  activation,
  activationGradients,
  fusedPointwise,
  rotaryFunctions,
  trainingFunctions,
  eightBitKernels,
  normalization,
  apexNormalization,
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
  quantization,
  quantizedRows,
  filling,
  random,
  dropout,
  keyValueCache,
  mixtureOfExperts,
  tokenPermutation,
  collective,
  triton,
  optimizer,
  foreach,
  fusedOptimizer,
  hlo,
];

const BY_NAME = new Map<string, Family>();
/** Op names that are also in the table with a module. The module matters only for these names. */
const WITH_MODULE = new Set<string>();
/** Families of generated names, by the beginning of these names. */
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

/** The category that the op of a call states; null for an op without a family, and for one whose kernels differ. */
export function categoryOfCall(call: OpCall): Category | null {
  const category = familyOf(call)?.category ?? null;
  return typeof category === 'function' ? category(call) : category;
}

/** The category of the innermost call that states one. */
export function categoryOfCalls(calls: readonly OpCall[]): Category | null {
  for (const call of [...calls].reverse()) {
    const category = categoryOfCall(call);
    if (category !== null) return category;
  }
  return null;
}
