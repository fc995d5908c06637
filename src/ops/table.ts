/**
 * Op name → family. The order of FAMILIES is the order of the generated docs; an op may be in one family only. A name
 * that ends in `*` stands for all names that begin so and that no family has in full.
 */
import type { OpCall } from '../record/record.js';
import type { Family } from './family.js';
import { activation } from './families/activation.js';
import { activationGradients } from './families/activation-gradients.js';
import { apexNormalization } from './families/apex-normalization.js';
import { attention } from './families/attention.js';
import { blas } from './families/blas.js';
import { collective } from './families/collective.js';
import { conversion } from './families/conversion.js';
import { convolution } from './families/convolution.js';
import { copying } from './families/copying.js';
import { detection } from './families/detection.js';
import { distance } from './families/distance.js';
import { dropout } from './families/dropout.js';
import { eightBitKernels } from './families/eight-bit-kernels.js';
import { embedding } from './families/embedding.js';
import { equality } from './families/equality.js';
import { filling } from './families/filling.js';
import { foreach } from './families/foreach.js';
import { fourier } from './families/fourier.js';
import { fusedAttentionFunctions } from './families/fused-attention-functions.js';
import { fusedOptimizer } from './families/fused-optimizer.js';
import { fusedPointwise } from './families/fused-pointwise.js';
import { fusedRecurrent } from './families/fused-recurrent.js';
import { indexing } from './families/indexing.js';
import { interpolation } from './families/interpolation.js';
import { joining } from './families/joining.js';
import { keyValueCache } from './families/key-value-cache.js';
import { linearAlgebra } from './families/linear-algebra.js';
import { linearFunctions } from './families/linear-functions.js';
import { loss } from './families/loss.js';
import { mixtureOfExperts } from './families/mixture-of-experts.js';
import { normalization } from './families/normalization.js';
import { optimizer } from './families/optimizer.js';
import { ordering } from './families/ordering.js';
import { pointwise } from './families/pointwise.js';
import { pooling } from './families/pooling.js';
import { quantization } from './families/quantization.js';
import { ragged } from './families/ragged.js';
import { random } from './families/random.js';
import { recurrent } from './families/recurrent.js';
import { recurrentGates } from './families/recurrent-gates.js';
import { reduction } from './families/reduction.js';
import { rotaryFunctions } from './families/rotary-functions.js';
import { scan } from './families/scan.js';
import { slicing } from './families/slicing.js';
import { softmax } from './families/softmax.js';
import { tableBatchedEmbedding } from './families/table-batched-embedding.js';
import { tensorIndexing } from './families/tensor-indexing.js';
import { tokenPermutation } from './families/token-permutation.js';
import { trainingFunctions } from './families/training-functions.js';
import { transformer } from './families/transformer.js';
import { triton } from './families/triton.js';
import { opName } from './operands.js';

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
