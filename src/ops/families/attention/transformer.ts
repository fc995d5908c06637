/**
 * PyTorch's fast path of transformer modules: multi-head attention, or an encoder layer, as one op. Inner ops describe
 * their kernels if they are recorded. This family is for all other kernels.
 */
import { rules, ruleWork, withTensors, type BoundCall } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { namedParams, tensor } from '../../work.js';

const SOURCE =
  'matrix products in the definition of a transformer layer, FMA = 2; arguments: PyTorch native_functions.yaml';

/** Sequences of equal length: [batch, positions, embedding]. */
interface Sequences {
  readonly batch: number;
  readonly positions: number;
  readonly embedding: number;
}

function sequences({ shape }: Tensor): Sequences | null {
  const [batch, positions, embedding] = shape;
  if (shape.length !== 3 || batch === undefined || positions === undefined || embedding === undefined) return null;
  return { batch, positions, embedding };
}

/** Projections of q, k and v, scores and weighted values of all heads, and projection of the result. */
function attentionFlops(q: Sequences, keys: number): number {
  const { batch, positions, embedding } = q;
  const projections = 2 * positions * embedding ** 2 + 2 * keys * embedding ** 2;
  return 2 * batch * (projections + 2 * positions * keys * embedding);
}

/** Lists each operand once. One tensor may be query, key and value at the same time; these then have equal extents. */
function distinct(bound: BoundCall): Tensor[] {
  const [q, k, v] = [bound.tensor('q'), bound.tensor('k'), bound.tensor('v')];
  const isSelf = [k, v].every((other) => other?.shape.join() === q?.shape.join());
  return bound.tensorsOf(`${isSelf ? 'q' : 'q k v'} qkv_weight qkv_bias weight bias mask`);
}

/** The averaged weights [B, Sq, Sk], or those of each head, when they are requested. */
function weightsOf(bound: BoundCall, q: Sequences, keys: number, dtype: string): Tensor[] {
  if (bound.flag('need_weights') === false) return [];
  const heads = bound.flag('average_weights') === false ? (bound.number('heads') ?? 1) : 1;
  return [tensor([q.batch, heads, q.positions, keys], dtype)];
}

const attention = withTensors('q k', (source, keys, bound) => {
  const [q, k] = [sequences(source), sequences(keys)];
  if (q === null || k === null) return null;
  return {
    flops: attentionFlops(q, k.positions),
    reads: distinct(bound),
    writes: [source, ...weightsOf(bound, q, k.positions, source.dtype)],
    params: namedParams({ B: q.batch, Sq: q.positions, Sk: k.positions, E: q.embedding }, source),
    formula: 'flops = 2·B·(2·Sq·E² + 2·Sk·E² + 2·Sq·Sk·E); bytes = operands + out (+ attention weights if requested)',
    matmul: true,
    severalProducts: true,
  };
});

/** The two feed-forward weights are [F, E] and [E, F]. */
const layer = withTensors('src ffn_weight_1', (source, weight) => {
  const at = sequences(source);
  const [hidden, embedding] = weight.shape;
  if (at === null || hidden === undefined || embedding !== at.embedding) return null;
  return {
    flops: attentionFlops(at, at.positions) + 4 * at.batch * at.positions * at.embedding * hidden,
    writes: [source],
    params: namedParams({ B: at.batch, S: at.positions, E: at.embedding, F: hidden }, source),
    formula: 'flops = 2·B·(4·S·E² + 2·S²·E + 2·S·E·F), without norms and activation; bytes = operands + out',
    matmul: true,
    severalProducts: true,
  };
});

/** Adds the bias to q, k and v, and scales q: [B, S, 3·E] → 3 × [B, heads, S, E/heads]. */
const rescaled = withTensors('qkv', (qkv) => ({
  flops: numel(qkv.shape) + numel(qkv.shape) / 3,
  writes: [qkv],
  formula: 'flops = E (bias) + E/3 (scale of q); bytes = qkv + bias + q, k and v',
}));

const RULES = rules`
  ${attention} _native_multi_head_attention: @q @k @v embed_dim heads @qkv_weight @qkv_bias @weight @bias @mask?
      need_weights average_weights mask_type
  ${layer} _transformer_encoder_layer_fwd: @src embed_dim heads @qkv_weight @qkv_bias @weight @bias use_gelu
      norm_first eps @norm_weight_1 @norm_bias_1 @norm_weight_2 @norm_bias_2 @ffn_weight_1 @ffn_bias_1 @ffn_weight_2
      @ffn_bias_2 @mask? mask_type
  ${rescaled} _transform_bias_rescale_qkv: @qkv @qkv_bias heads
`;

export const transformer: Family = {
  id: 'transformer',
  title: 'Fused transformer layers: multi-head attention and encoder layer of the fast path',
  category: 'attention',
  ops: Object.keys(RULES),
  formulas: [
    'multi-head attention: flops = 2·B·(2·Sq·E² + 2·Sk·E² + 2·Sq·Sk·E): three input projections, scores, weighted values, output projection',
    'encoder layer: flops = 2·B·(4·S·E² + 2·S²·E + 2·S·E·F), without norms and activation',
    'bias and scale of q, k, v: flops = E + E/3',
  ],
  work: (call, kernel) => (kernel.dir === 'bprop' ? null : ruleWork(RULES, call, kernel, SOURCE)),
};
