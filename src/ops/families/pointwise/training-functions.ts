/**
 * Pointwise kernels of training libraries: gated activations, softmax with a scale, cross entropy, indexed products.
 *
 * Most are autograd functions, of which the profiler records tensors, numbers and booleans, in older versions tensors alone.
 */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';
import { SOFTMAX } from '../reduction/fused-softmax.js';
import { accumulated } from '../normalization/layer-normalization.js';

const SOURCE =
  'operations per element; arguments: megatron/core/fusions (fused_bias_swiglu.py, fused_bias_geglu.py, fused_bias_gelu.py) ' +
  'of Megatron-LM, apex/contrib/xentropy/softmax_xentropy.py and apex/contrib/index_mul_2d/index_mul_2d.py of apex, ' +
  'transformer_engine/pytorch/softmax.py and csrc/stable/registration.cpp of TransformerEngine';

/** Activation and product. */
const GATED = 2;

/** Half of the last dimension is the gate of the other half; a bias is added before, weights of rows after. */
const gated = withTensors('input', (input, bound) => {
  const width = input.shape.at(-1);
  if (width === undefined || width % 2 !== 0) return null;
  const result = tensor([...input.shape.slice(0, -1), width / 2], input.dtype);
  const [biases, weights] = [bound.tensors('bias').length, bound.tensors('weights').length];
  return {
    flops: (GATED + weights) * numel(result.shape) + biases * numel(input.shape),
    writes: [result],
    formula: 'flops = 2·E(result), with a bias E(input) more, with weights E(result) more; bytes = operands + result',
  };
});

const biased = withTensors('input', (input) => ({
  flops: 2 * numel(input.shape),
  writes: [input],
  formula: 'flops = 2·E (bias, activation); bytes = input + bias + result',
}));

/** With a scale. */
const SCALED_SOFTMAX = { forward: SOFTMAX.forward + 1, backward: SOFTMAX.backward + 1 } as const;

/** The unmasked part of a causal matrix: all columns in the last row, one less in each row before it. */
function unmasked({ shape, dtype }: Tensor): Tensor | null {
  const [rows = 0, columns = 0] = shape.slice(-2);
  if (shape.length < 2 || rows > columns) return null;
  return tensor([numel(shape.slice(0, -2)), rows * columns - (rows * (rows - 1)) / 2], dtype);
}

/** Masked elements of the result are written as 0. */
const causal = (perElement: number, operands: number): RuleCost =>
  withTensors('input', (input) => {
    const part = unmasked(input);
    if (part === null) return null;
    return {
      flops: perElement * numel(part.shape),
      reads: new Array<Tensor>(operands).fill(part),
      writes: [input],
      formula: `flops = ${perElement}·E unmasked (rows·columns − rows·(rows − 1)/2 of each matrix); bytes = unmasked operands + whole result`,
    };
  });

/** From the saved result, whatever the mask. */
const scaledBackward = withTensors('input', (gradient) => ({
  flops: SCALED_SOFTMAX.backward * numel(gradient.shape),
  writes: [gradient],
  formula: `flops = ${SCALED_SOFTMAX.backward}·E; bytes = gradient + saved result + gradient of the input`,
}));

/** Maximum, subtraction, exponential, sum: no probability is written, but each row's loss and log-sum-exp. */
const ENTROPY = 4;

const crossEntropy = withTensors('logits labels', (logits, labels, bound) => {
  const exact = accumulated(logits.dtype);
  const losses = tensor(labels.shape, bound.flag('to_float') === true ? exact : logits.dtype);
  return {
    flops: ENTROPY * numel(logits.shape),
    writes: [losses, tensor(labels.shape, exact)],
    formula: `flops = ${ENTROPY}·E(logits); bytes = logits + labels + losses + log-sum-exp`,
  };
});

/** a[index]·b: only the indexed rows of `a` are read. */
const indexedProduct = withTensors('other source index', (other, source, index) => ({
  flops: numel(other.shape),
  reads: [tensor(other.shape, source.dtype), other, index],
  writes: [other],
  formula: 'flops = E(result); bytes = indexed rows + other operand + index + result',
}));

const STORE = 'in_8_bits:bool offload:bool';

const RULES = rules`
  ${gated} SwiGLUFunction GeGLUFunction: @input ${STORE}
  ${gated} BiasSwiGLUFunction BiasGeGLUFunction: @input @bias ${STORE}
  ${gated} WeightedSwiGLUFunction: @input @weights ${STORE}
  ${biased} GeLUFunction: @input @bias
  ${causal(SCALED_SOFTMAX.forward, 1)} ScaledAlignedCausalMaskedSoftmax scaled_aligned_causal_masked_softmax_forward: @input
      scale
  ${causal(SCALED_SOFTMAX.backward, 2)} scaled_upper_triang_masked_softmax_backward
      scaled_aligned_causal_masked_softmax_backward: @input @output scale
  ${scaledBackward} scaled_softmax_backward scaled_masked_softmax_backward: @input @output scale
  ${crossEntropy} SoftmaxCrossEntropyLoss: @logits @labels smoothing:number padding:int to_float:bool
  ${indexedProduct} IndexMul2d_: @source @other @index
`;

export const trainingFunctions: Family = {
  id: 'training-functions',
  title: 'Training kernels of Megatron, TransformerEngine and apex: gates, causal softmax, cross entropy',
  ops: Object.keys(RULES),
  formulas: [
    'gated activation: flops = 2·E(result), with a bias E(input) more, with weights of rows E(result) more',
    'causal softmax with a scale: flops = 6·E unmasked, backward 5·E unmasked; bytes = unmasked operands + whole result',
    'cross entropy: flops = 4·E(logits); bytes = logits + labels + losses + log-sum-exp',
  ],
  work: workByRules(RULES, SOURCE),
};
