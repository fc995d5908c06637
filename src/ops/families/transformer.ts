/**
 * PyTorch's fast path of transformer modules: a whole multi-head attention, or a whole encoder layer, as one op.
 *
 * Where such an op runs as others that are told too, those describe the kernels; this one is for what is left.
 */
import { dtypeShort, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { inputs, opName, tensorAt } from '../operands.js';
import { argumentOrder, named, type NamedArguments } from '../argument-order.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE =
  'products of the definition of a transformer layer, each at FMA = 2; arguments: PyTorch native_functions.yaml';

/** Sequences of equal length: [batch, positions, embedding]. */
interface Sequences {
  readonly batch: number;
  readonly positions: number;
  readonly embedding: number;
}

function sequences(of: Tensor | null): Sequences | null {
  const [batch, positions, embedding] = of?.shape ?? [];
  if (of?.shape.length !== 3 || batch === undefined || positions === undefined || embedding === undefined) return null;
  return { batch, positions, embedding };
}

/** Projections of q, k and v, scores and weighted values over all heads together, projection of the result. */
function attentionFlops(q: Sequences, keys: number): number {
  const { batch, positions, embedding } = q;
  const projections = 2 * positions * embedding ** 2 + 2 * keys * embedding ** 2;
  return 2 * batch * (projections + 2 * positions * keys * embedding);
}

const ATTENTION = [
  argumentOrder(
    'q k v embedding:int heads:int qkv_weight qkv_bias weight bias mask? need_weights:bool average_weights:bool',
  ),
];

/** Each operand once: one tensor may be query, key and value, and then their extents are the same. */
function distinct(args: NamedArguments): Tensor[] {
  const [q, k, v] = [args.tensor('q'), args.tensor('k'), args.tensor('v')];
  const isSelf = [k, v].every((other) => other?.shape.join() === q?.shape.join());
  const sources = isSelf ? [q] : [q, k, v];
  const others = ['qkv_weight', 'qkv_bias', 'weight', 'bias', 'mask'].map((name) => args.tensor(name));
  return [...sources, ...others].filter((one) => one !== null);
}

/** The averaged weights [B, Sq, Sk], or those of each head, where they are wanted. */
function weightsOf(args: NamedArguments, q: Sequences, keys: number, dtype: string): Tensor[] {
  if (args.flag('need_weights') === false) return [];
  const heads = args.flag('average_weights') === false ? (args.number('heads') ?? 1) : 1;
  return [tensor([q.batch, heads, q.positions, keys], dtype)];
}

function attentionWork(call: OpCall): Work | null {
  const args = named(call, ATTENTION);
  const source = args?.tensor('q') ?? null;
  const [q, k] = [sequences(source), sequences(args?.tensor('k') ?? null)];
  if (args === null || source === null || q === null || k === null) return null;
  return {
    ...trafficWork({
      flops: attentionFlops(q, k.positions),
      reads: distinct(args),
      writes: [source, ...weightsOf(args, q, k.positions, source.dtype)],
      params: [
        ['B', q.batch],
        ['Sq', q.positions],
        ['Sk', k.positions],
        ['E', q.embedding],
        ['', dtypeShort(source.dtype)],
      ],
      formula: 'flops = 2·B·(2·Sq·E² + 2·Sk·E² + 2·Sq·Sk·E); bytes = operands + out (+ weights where wanted)',
      source: SOURCE,
    }),
    matmul: true,
  };
}

/** Positions of the two feed-forward weights, [F, E] and [E, F], among the layer's arguments. */
const FEED_FORWARD = [14, 16] as const;

function layerWork(call: OpCall): Work | null {
  const source = tensorAt(call, 'src', 0);
  const [at, weight] = [sequences(source), tensorAt(call, 'ffn_weight_1', FEED_FORWARD[0])];
  const [hidden, embedding] = weight?.shape ?? [];
  if (source === null || at === null || hidden === undefined || embedding !== at.embedding) return null;
  return {
    ...trafficWork({
      flops: attentionFlops(at, at.positions) + 4 * at.batch * at.positions * at.embedding * hidden,
      reads: inputs(call) ?? [],
      writes: [source],
      params: [
        ['B', at.batch],
        ['S', at.positions],
        ['E', at.embedding],
        ['F', hidden],
        ['', dtypeShort(source.dtype)],
      ],
      formula: 'flops = 2·B·(4·S·E² + 2·S²·E + 2·S·E·F), norms and activation not counted; bytes = operands + out',
      source: SOURCE,
    }),
    matmul: true,
  };
}

/** The bias added to q, k and v, and q scaled: [B, S, 3·E] → 3 × [B, heads, S, E/heads]. */
function rescaleWork(call: OpCall): Work | null {
  const [qkv, bias] = [tensorAt(call, 'qkv', 0), tensorAt(call, 'qkv_bias', 1)];
  if (qkv === null || bias === null) return null;
  return trafficWork({
    flops: numel(qkv.shape) + numel(qkv.shape) / 3,
    reads: [qkv, bias],
    writes: [qkv],
    params: tensorParams(qkv),
    formula: 'flops = E (bias) + E/3 (scale of q); bytes = qkv + bias + q, k and v',
    source: SOURCE,
  });
}

const WORK: Readonly<Record<string, (call: OpCall) => Work | null>> = {
  _native_multi_head_attention: attentionWork,
  _transformer_encoder_layer_fwd: layerWork,
  _transform_bias_rescale_qkv: rescaleWork,
};

export const transformer: Family = {
  id: 'transformer',
  title: 'Fused transformer layers: multi-head attention and encoder layer of the fast path',
  ops: Object.keys(WORK),
  formulas: [
    'multi-head attention: flops = 2·B·(2·Sq·E² + 2·Sk·E² + 2·Sq·Sk·E): three projections in, scores, weighted values, one out',
    'encoder layer: flops = 2·B·(4·S·E² + 2·S²·E + 2·S·E·F), norms and activation not counted',
    'bias and scale of q, k, v: flops = E + E/3',
  ],
  work(call: OpCall, kernel: KernelFacts) {
    return kernel.dir === 'bprop' ? null : (WORK[opName(call)]?.(call) ?? null);
  },
};
