/**
 * A two-layer transformer encoder with a language-model head, batch 8 × 64 tokens, width 256, 4 heads, FP16: one
 * training step as PyTorch 2 shows it under emit_nvtx(record_shapes=True) together with PyProf's hooks: `aten::` names,
 * op ids, sizes, the engine's own ranges on the autograd thread.
 */
import type { Gpu } from './gpu.js';
import { transformerKernels } from './kernels.js';
import type { Argument, Shape } from './markers.js';
import { float, int, none, str, tensor, tuple } from './markers.js';
import type { AtenStep, Step } from './network.js';
import { aten, call, layer, node } from './network.js';
import type { GemmExtents, KernelWork } from './work.js';
import { count, elementwise, gemm, rowwise } from './work.js';

export const BATCH = 8;
export const TOKENS = 64;
export const WIDTH = 256;
const VOCABULARY = 1000;
const HEADS = 4;
const INNER = 4 * WIDTH;
const HEAD_WIDTH = WIDTH / HEADS;
const ROWS = BATCH * TOKENS;
const SIZE = 2;

const F = 'torch.nn.functional';
const half = (shape: Shape): Argument => tensor(shape, 'float16');
const HIDDEN: Shape = [BATCH, TOKENS, WIDTH];
const SCORES: Shape = [BATCH, HEADS, TOKENS, TOKENS];
const HEADED: Shape = [BATCH, HEADS, TOKENS, HEAD_WIDTH];

/** The network's parts for one device, whose GEMM kernels have their own names. */
export interface TransformerParts {
  /** One encoder layer. */
  readonly encoder: (index: number) => Step;
  /** The two linear maps of a layer with their activation. */
  readonly feedForward: Step;
  readonly training: readonly Step[];
  readonly optimizer: Step;
  readonly allReduce: KernelWork;
}

export function transformerParts(gpu: Gpu): TransformerParts {
  const K = transformerKernels(gpu.chip);
  const mm = (layout: 'TN' | 'NN' | 'NT', extents: GemmExtents): KernelWork => gemm(K[`gemm${layout}`], extents, SIZE);
  const view = (from: Shape): AtenStep =>
    aten('view', [from, []], { node: node('ViewBackward0', [aten('reshape', [from, []])]) });

  function linear(shape: Shape, outputs: number): Step {
    const inputs = shape.at(-1) ?? 1;
    const rows = count(shape) / inputs;
    const [x, w] = [
      [rows, inputs],
      [outputs, inputs],
    ];
    const backward = [
      aten('mm', [[rows, outputs], w], { works: [mm('NN', { m: rows, n: inputs, k: outputs })] }),
      aten('mm', [[outputs, rows], x], { works: [mm('NT', { m: outputs, n: inputs, k: rows })] }),
      aten('sum', [[rows, outputs], [], []], { works: [rowwise(K.sum, outputs, rows, 1, SIZE)] }),
    ];
    const addmm = aten('addmm', [[outputs], x, [inputs, outputs], [], []], {
      works: [mm('TN', { m: rows, n: outputs, k: inputs })],
      node: node('AddmmBackward0', backward),
    });
    const body = [aten('t', [w], { node: node('TBackward0', [aten('t', [[inputs, outputs]])]) }), view(shape), addmm];
    const args = [half(shape), half(w), half([outputs])];
    return call(F, 'linear', args, [aten('linear', [shape, w, [outputs]], { body })], ['model.py:41']);
  }

  function layerNorm(name: string): Step {
    const sizes = [HIDDEN, [], [WIDTH], [WIDTH], []];
    const backward = aten('native_layer_norm_backward', [HIDDEN, HIDDEN, [], [ROWS], [ROWS], [WIDTH], [WIDTH], []], {
      works: [
        rowwise(K.layerNormInputGrad, ROWS, WIDTH, 3, SIZE),
        { ...rowwise(K.layerNormWeightGrad, ROWS, WIDTH, 2, SIZE), grid: [WIDTH / 32, 1, 1] },
      ],
    });
    const native = aten('native_layer_norm', sizes, {
      works: [rowwise(K.layerNorm, ROWS, WIDTH, 2, SIZE)],
      node: node('NativeLayerNormBackward0', [backward]),
    });
    const args = [half(HIDDEN), tuple([WIDTH]), half([WIDTH]), half([WIDTH]), float(1e-5)];
    return layer(name, [
      call(F, 'layer_norm', args, [aten('layer_norm', [...sizes, []], { body: [native] })], ['model.py:33']),
    ]);
  }

  function batchedProduct(a: Shape, b: Shape, extents: GemmExtents): Step {
    const { m, n, k } = extents;
    const batch = BATCH * HEADS;
    const [left, right, out] = [
      [batch, m, k],
      [batch, k, n],
      [batch, m, n],
    ];
    const backward = [
      aten('bmm', [[batch, k, m], out], { works: [mm('TN', { m: k, n, k: m, batch })] }),
      aten('bmm', [out, [batch, n, k]], { works: [mm('NT', { m, n: k, k: n, batch })] }),
    ];
    const bmm = aten('bmm', [left, right], {
      works: [mm('NN', { ...extents, batch })],
      node: node('BmmBackward0', backward),
    });
    return call('torch', 'matmul', [half(a), half(b)], [aten('matmul', [a, b], { body: [bmm] })], ['model.py:52']);
  }

  function scale(shape: Shape, factor: number): Step {
    const works = [elementwise(K.scale, count(shape), 2, SIZE)];
    const op = aten('mul', [shape, []], { works, node: node('MulBackward0', [aten('mul', [shape, []], { works })]) });
    return call('Tensor', '__mul__', [half(shape), float(factor)], [op], ['model.py:53']);
  }

  function softmax(shape: Shape): Step {
    const width = shape.at(-1) ?? 1;
    const rows = count(shape) / width;
    const backward = aten('_softmax_backward_data', [shape, shape, [], []], {
      works: [rowwise(K.softmaxBackward, rows / 8, width * 8, 3, SIZE)],
    });
    const inner = aten('_softmax', [shape, [], []], {
      works: [rowwise(K.softmaxForward, rows / 8, width * 8, 2, SIZE)],
      node: node('SoftmaxBackward0', [backward]),
    });
    return call(
      F,
      'softmax',
      [half(shape), int(-1, 'dim')],
      [aten('softmax', [shape, [], []], { body: [inner] })],
      ['model.py:54'],
    );
  }

  function residual(): Step {
    const op = aten('add', [HIDDEN, HIDDEN, []], {
      works: [elementwise(K.add, count(HIDDEN), 3, SIZE)],
      node: node('AddBackward0', []),
    });
    return call('Tensor', '__add__', [half(HIDDEN), half(HIDDEN)], [op], ['model.py:71']);
  }

  function gelu(shape: Shape): Step {
    const backward = aten('gelu_backward', [shape, shape, []], {
      works: [elementwise(K.geluBackward, count(shape), 3, SIZE)],
    });
    const op = aten('gelu', [shape, []], {
      works: [elementwise(K.gelu, count(shape), 2, SIZE)],
      node: node('GeluBackward0', [backward]),
    });
    return call(F, 'gelu', [half(shape)], [op], ['model.py:62']);
  }

  const feedForward = layer('mlp', [
    layer('fc1', [linear(HIDDEN, INNER)]),
    gelu([BATCH, TOKENS, INNER]),
    layer('fc2', [linear([BATCH, TOKENS, INNER], WIDTH)]),
  ]);
  const attention = layer('attention', [
    layer('qkv', [linear(HIDDEN, 3 * WIDTH)]),
    batchedProduct(HEADED, [BATCH, HEADS, HEAD_WIDTH, TOKENS], { m: TOKENS, n: TOKENS, k: HEAD_WIDTH }),
    scale(SCORES, 0.125),
    softmax(SCORES),
    batchedProduct(SCORES, HEADED, { m: TOKENS, n: HEAD_WIDTH, k: TOKENS }),
    layer('out', [linear(HIDDEN, WIDTH)]),
  ]);
  const encoder = (index: number): Step =>
    layer(`encoder.${index}`, [layerNorm('norm1'), attention, residual(), layerNorm('norm2'), feedForward, residual()]);

  function embedding(): Step {
    const ids = [BATCH, TOKENS];
    const weight = [VOCABULARY, WIDTH];
    const backward = aten('embedding_dense_backward', [HIDDEN, ids, [], [], []], {
      works: [
        elementwise(K.fill, count(weight), 1, SIZE),
        { ...elementwise(K.embeddingBackward, count(HIDDEN), 3, SIZE), grid: [WIDTH / 32, 1, 1] },
      ],
    });
    const op = aten('embedding', [weight, ids, [], [], []], {
      works: [elementwise(K.embedding, count(HIDDEN), 2, SIZE)],
      node: node('EmbeddingBackward0', [
        aten('embedding_backward', [HIDDEN, ids, [], [], [], []], { body: [backward] }),
      ]),
    });
    return layer('embedding', [call(F, 'embedding', [tensor(ids, 'int64'), half(weight)], [op], ['model.py:88'])]);
  }

  function loss(): Step {
    const scores = [ROWS, VOCABULARY];
    const logSoftmax = aten('_log_softmax', [scores, [], []], {
      works: [rowwise(K.logSoftmaxForward, ROWS, VOCABULARY, 2, SIZE)],
      node: node('LogSoftmaxBackward0', [
        aten('_log_softmax_backward_data', [scores, scores, [], []], {
          works: [rowwise(K.logSoftmaxBackward, ROWS, VOCABULARY, 3, SIZE)],
        }),
      ]),
    });
    const nll = aten('nll_loss_forward', [scores, [ROWS], [], [], []], {
      works: [rowwise(K.nllForward, 1, ROWS, 2, SIZE)],
      node: node('NllLossBackward0', [
        aten('nll_loss_backward', [[], scores, [ROWS], [], [], [], []], {
          works: [elementwise(K.fill, count(scores), 1, SIZE), rowwise(K.nllBackward, 1, ROWS, 2, SIZE)],
        }),
      ]),
    });
    const body = [
      aten('log_softmax', [scores, [], []], { body: [logSoftmax] }),
      aten('nll_loss_nd', [scores, [ROWS], [], [], []], {
        body: [aten('nll_loss', [scores, [ROWS], [], [], []], { body: [nll] })],
      }),
    ];
    const args = [half(scores), tensor([ROWS], 'int64'), none(), none(), int(-100), none(), str('mean')];
    return call(
      F,
      'cross_entropy',
      args,
      [aten('cross_entropy_loss', [scores, [ROWS], [], [], [], []], { body })],
      ['train.py:77'],
    );
  }

  const parameters = 2 * WIDTH * (4 * WIDTH + 2 * INNER) + 2 * VOCABULARY * WIDTH;
  const optimizer = aten('_foreach_addcdiv_', [], { works: [elementwise(K.adamW, parameters, 7, SIZE)], inner: true });
  return {
    encoder,
    feedForward,
    training: [embedding(), encoder(0), encoder(1), layer('head', [linear(HIDDEN, VOCABULARY)]), loss()],
    optimizer,
    allReduce: { ...elementwise(K.allReduce, 2048, 2, 4), grid: [1, 1, 1] },
  };
}
