/**
 * A decoder whose passes are captured into graphs and replayed, as LLM servers do: which kernel each node
 * is, and where it was captured. The writers beside this make profiles of it; what each kernel must be is known here.
 */

type NodeKind = 'kernel' | 'copy';

/** One launch of the model. */
export interface ModelNode {
  readonly kind: NodeKind;
  readonly kernel: string;
  readonly op: string;
  /** Modules around it, outermost first. */
  readonly modules: readonly string[];
  /** The branch of the graph that it is in: branches run on streams of their own. */
  readonly branch: number;
  /** Extents of the op's tensors. */
  readonly dims: readonly (readonly number[])[];
}

/** A graph within a graph, by its position among the captures. */
interface ChildGraph {
  readonly kind: 'graph';
  readonly capture: number;
}

interface ModelCapture {
  /** The annotation around the capture; null without one. */
  readonly name: string | null;
  readonly nodes: readonly (ModelNode | ChildGraph)[];
}

/** One launch of a graph. */
export interface Replay {
  /** Position of the capture; null for a graph whose capture is in no profile. */
  readonly capture: number | null;
  /** Name of the step around the launch; null outside of steps. */
  readonly step: string | null;
  /** Whether the trace lacks the last node, as traces of HIP may. */
  readonly lacksLast: boolean;
}

export interface Decoder {
  readonly captures: readonly ModelCapture[];
  readonly replays: readonly Replay[];
}

const WIDTH = 512;

const GEMM = 'Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT32x32x256_MI16x16x1';

/** The launches of one layer; the copy into the cache runs beside the product of the queries. */
function layer(batch: number, index: number): ModelNode[] {
  const module = (name: string): string[] => ['Decoder_0', `Layer_${index}`, name];
  const node = (kernel: string, op: string, name: string, dims: number[][], branch = 0): ModelNode =>
    ({ kind: 'kernel', kernel, op, modules: module(name), branch, dims }); // prettier-ignore
  const x = [batch, WIDTH];
  return [
    node('void rms_norm_kernel<float, 4>(float*, float const*, int)', 'aten::rms_norm', `RMSNorm_${index}`, [
      x,
      [WIDTH],
    ]),
    node(GEMM, 'aten::mm', `Linear_${index * 2}`, [x, [WIDTH, WIDTH]]),
    node('reshape_and_cache_kernel', 'vllm::reshape_and_cache', `Attention_${index}`, [x, x], 1),
    node('paged_attention_kernel', 'vllm::paged_attention', `Attention_${index}`, [x, x]),
    { ...node('', 'aten::copy_', `Attention_${index}`, [x, x], 1), kind: 'copy' },
    node(GEMM, 'aten::mm', `Linear_${index * 2 + 1}`, [x, [WIDTH, WIDTH]]),
  ];
}

const sampler = (batch: number): ModelNode[] =>
  [
    ['void softmax_warp_forward<float, float, 9>(float*, float const*, int)', 'aten::_softmax'],
    ['void reduce_kernel<512, 1, ArgMaxOps<float>>(ArgMaxOps<float>)', 'aten::argmax'],
  ].map(([kernel = '', op = '']) => ({ kind: 'kernel', kernel, op, modules: ['Sampler_0'], branch: 0, dims: [[batch, WIDTH]] })); // prettier-ignore

/** One piece of a model that is captured piece by piece: all have the same kernels. */
const piece = (index: number): ModelNode[] => layer(32, index).filter(({ branch }) => branch === 0);

const decode = (batch: number): ModelCapture => ({
  name: `capture_${batch}_DECODE`,
  nodes: [...layer(batch, 0), ...layer(batch, 1), { kind: 'graph', capture: batch === 4 ? 0 : 2 }],
});

const step = (batch: number): string => `execute_${batch}_context_0(sq0sk0sqsq0sqsk0)_generation_${batch}(sq${batch}sk${batch * 9}sqsq${batch}sqsk${batch * 9})`; // prettier-ignore

const replay = (capture: number | null, at: string | null, lacksLast = false): Replay => ({
  capture,
  step: at,
  lacksLast,
});

/** Samplers are captured first, then the passes that contain them, then pieces of one sequence. */
export const DECODER: Decoder = {
  captures: [
    { name: null, nodes: sampler(4) },
    decode(4),
    { name: null, nodes: sampler(8) },
    decode(8),
    { name: 'capture_32_PIECEWISE', nodes: piece(0) },
    { name: 'capture_32_PIECEWISE', nodes: piece(1) },
  ],
  replays: [
    replay(1, step(3)),
    replay(3, step(7)),
    replay(3, step(8), true),
    replay(4, 'step[EXTEND bs=1 toks=30]'),
    replay(5, 'step[EXTEND bs=1 toks=30]'),
    replay(1, step(4)),
    replay(null, null),
  ],
};

/** The nodes of a capture, those of graphs within it in their places. */
export function flatNodes({ captures }: Decoder, capture: number): ModelNode[] {
  return (captures[capture]?.nodes ?? []).flatMap((node) =>
    node.kind === 'graph' ? flatNodes({ captures, replays: [] }, node.capture) : [node],
  );
}

/** What a replay puts onto devices; a graph of which nothing is known has one kernel of its own. */
export function workOf(decoder: Decoder, { capture, lacksLast }: Replay): ModelNode[] {
  if (capture === null) {
    return [{ kind: 'kernel', kernel: 'unknown_kernel', op: '', modules: [], branch: 0, dims: [] }];
  }
  const nodes = flatNodes(decoder, capture);
  return lacksLast ? nodes.slice(0, -1) : nodes;
}
