/** LeNet's layers as ops with their arguments, forward and backward, in the words of either generation. */
import type { GradNode, Step, Generation, OpStep } from './kineto-ops.js';
import { bool, f32, float, frame, i64, int, list, none, op } from './kineto-ops.js';
import type { KernelRole } from './kineto-kernels.js';
import { KINETO_KERNELS } from './kineto-kernels.js';
import type { Shape } from './markers.js';
import type { KernelWork, SetWork } from './work.js';
import { count, elementwise, gemm, rowwise } from './work.js';

const SIZE = 4;
export const BATCH = 64;
const FILTER = 5;

/** Builds layers for one generation of the framework. */
export class Layers {
  readonly #modules = new Map<string, number>();

  constructor(readonly generation: Generation) {}

  kernel(role: KernelRole): (typeof KINETO_KERNELS)[Generation][KernelRole] {
    return KINETO_KERNELS[this.generation][role];
  }

  elementwise(role: KernelRole, shape: Shape, operands: number): KernelWork {
    return elementwise(this.kernel(role), count(shape), operands, SIZE);
  }

  /** Zeros: a kernel in 2021, a memset today. */
  zeros(shape: Shape): OpStep {
    if (this.generation === 'today') return op('aten::zero_', [f32(shape)], [memset(shape)]);
    return op(
      'aten::zero_',
      [f32(shape)],
      [op('aten::fill_', [f32(shape), int(0)], [this.elementwise('fill', shape, 1)])],
    );
  }

  /** A module's call: its frame, that of the caller of all modules, and that of its own code. */
  module(type: string, code: string, body: readonly Step[]): Step {
    const number = this.#modules.get(type) ?? 0;
    this.#modules.set(type, number + 1);
    const own = frame(code, body);
    if (this.generation === '2021') {
      return frame(`/opt/conda/lib/python3.8/site-packages/torch/nn/modules/module.py(889): _call_impl`, [own]);
    }
    return frame(
      `nn.Module: ${type}_${number}`,
      [frame('torch/nn/modules/module.py(1762): _call_impl', [own])],
      number,
    );
  }

  /** Path and line of the framework's code, which differ between the generations. */
  code(today: string, old: string): string {
    return this.generation === 'today' ? today : `/opt/conda/lib/python3.8/site-packages/${old}`;
  }

  builtin(name: string, body: readonly Step[]): Step {
    return frame(`<built-in method ${name} of type object at 0x7f1c8e2a5b00>`, body);
  }

  conv(channels: readonly [inputs: number, outputs: number], side: number, first: boolean): Step {
    const layer = { x: [BATCH, channels[0], side, side], w: [channels[1], channels[0], FILTER, FILTER], first };
    const [x, w, y] = [layer.x, layer.w, resultOf(layer)];
    const bias = w.slice(0, 1);
    const window = [list(1, 1), list(0, 0), list(1, 1)];
    const leaf = op(
      'aten::cudnn_convolution',
      [f32(x), f32(w), list(0, 0), list(1, 1), list(1, 1), int(1), bool(false), bool(false), bool(true)],
      this.#convolutionWorks(layer),
      this.generation === '2021' ? { node: this.#oldConvolutionNode(layer) } : {},
    );
    const sum = { name: 'AddBackward0', gradient: y, body: [this.#biasGrad(y)], parameters: [] };
    const added = op(
      'aten::add_',
      [f32(y), f32([1, ...bias, 1, 1]), int(1)],
      [this.elementwise('add', y, 3)],
      this.generation === '2021' ? { node: sum } : {},
    );
    const common = [...window, bool(false), list(0, 0), int(1)];
    const inner = op(
      'aten::_convolution',
      [f32(x), f32(w), f32(bias), ...common, bool(false), bool(false), bool(true), bool(true)],
      [leaf, this.#reshaped(bias, [1, ...bias, 1, 1]), added],
    );
    const convolution = op(
      'aten::convolution',
      [f32(x), f32(w), f32(bias), ...common],
      [inner],
      this.generation === 'today' ? { node: this.#convolutionNode(layer) } : {},
    );
    const conv2d = op('aten::conv2d', [f32(x), f32(w), f32(bias), ...window, int(1)], [convolution]);
    const forward = this.code('torch/nn/modules/conv.py(554): forward', 'torch/nn/modules/conv.py(399): forward');
    const call = this.code(
      'torch/nn/modules/conv.py(549): _conv_forward',
      'torch/nn/modules/conv.py(395): _conv_forward',
    );
    return this.module('Conv2d', forward, [frame(call, [this.builtin('conv2d', [conv2d])])]);
  }

  relu(x: Shape): Step {
    const node = {
      name: 'ReluBackward0',
      gradient: x,
      body: [op('aten::threshold_backward', [f32(x), f32(x), int(0)], [this.elementwise('reluGrad', x, 3)])],
      parameters: [],
    };
    const clamp = op('aten::clamp_min', [f32(x), int(0)], [this.elementwise('relu', x, 2)]);
    const relu = op('aten::relu', [f32(x)], [clamp], { node });
    const code = this.code('torch/nn/functional.py(1704): relu', 'torch/nn/functional.py(1206): relu');
    return frame(code, [this.builtin('relu', [relu])]);
  }

  /** Windows of 2 × 2; the stride is the window's by default. */
  pool(x: Shape): Step {
    const y = x.map((extent, i) => (i < 2 ? extent : extent / 2));
    const window = [list(2, 2), list(), list(0, 0), list(1, 1), bool(false)];
    const grad = op(
      'aten::max_pool2d_with_indices_backward',
      [f32(y), f32(x), ...window, i64(y)],
      [this.zeros(x), elementwise(this.kernel('poolGrad'), count(x), 2, SIZE)],
    );
    const node = { name: this.#named('MaxPool2DWithIndicesBackward'), gradient: y, body: [grad], parameters: [] };
    const leaf = op(
      'aten::max_pool2d_with_indices',
      [f32(x), ...window],
      [elementwise(this.kernel('pool'), count(y), 6, SIZE)],
      { node },
    );
    const code = this.code('torch/nn/functional.py(830): _max_pool2d', 'torch/nn/functional.py(659): _max_pool2d');
    return frame(code, [this.builtin('max_pool2d', [op('aten::max_pool2d', [f32(x), ...window], [leaf])])]);
  }

  flatten(x: Shape): Step {
    const flat = [BATCH, count(x) / BATCH];
    const node = { name: this.#named('ViewBackward'), gradient: flat, body: [reshape(flat, x)], parameters: [] };
    const view = op('aten::view', [f32(x), list(...flat)], [], { node });
    return this.builtin('flatten', [op('aten::flatten', [f32(x), int(1), int(-1)], [view])]);
  }

  linear(inputs: number, outputs: number): Step {
    const [x, w, b, y] = [[BATCH, inputs], [outputs, inputs], [outputs], [BATCH, outputs]];
    const transposed = [inputs, outputs];
    const turn = { name: this.#named('TBackward'), gradient: transposed, body: [turned(transposed)], parameters: [w] };
    const product = {
      name: this.#named('AddmmBackward'),
      gradient: y,
      body: [
        turned(transposed),
        op('aten::mm', [f32(y), f32(w)], [gemm(this.kernel('gemmNN'), { m: BATCH, n: inputs, k: outputs }, SIZE)]),
        turned(y),
        op(
          'aten::mm',
          [f32([outputs, BATCH]), f32(x)],
          [gemm(this.kernel('gemmNT'), { m: outputs, n: inputs, k: BATCH }, SIZE)],
        ),
        turned([outputs, inputs]),
        op('aten::sum', [f32(y), list(0), bool(true), none], [rowwise(this.kernel('sum'), outputs, BATCH, 1, SIZE)]),
      ],
      parameters: [b],
    };
    const addmm = op(
      'aten::addmm',
      [f32(b), f32(x), f32(transposed), int(1), int(1)],
      [gemm(this.kernel('gemmTN'), { m: BATCH, n: outputs, k: inputs }, SIZE)],
      { node: product },
    );
    const linear = op('aten::linear', [f32(x), f32(w), f32(b)], [turned(w, turn), addmm]);
    const code = this.code('torch/nn/modules/linear.py(125): forward', 'torch/nn/modules/linear.py(94): forward');
    return this.module('Linear', code, [this.builtin('linear', [linear])]);
  }

  crossEntropy(classes: number): Step {
    const x = [BATCH, classes];
    const rest = [none, int(1), int(-100)];
    const dtype = this.generation === 'today' ? int(6) : f32(x);
    const softmaxGrad = op(
      'aten::_log_softmax_backward_data',
      [f32(x), f32(x), int(1), dtype],
      [rowwise(this.kernel('softmaxGrad'), BATCH, classes, 3, SIZE)],
    );
    const softmax = op(
      'aten::_log_softmax',
      [f32(x), int(1), bool(false)],
      [rowwise(this.kernel('softmax'), BATCH, classes, 2, SIZE)],
      { node: { name: this.#named('LogSoftmaxBackward'), gradient: x, body: [softmaxGrad], parameters: [] } },
    );
    const lossGrad = op(
      'aten::nll_loss_backward',
      [f32([]), f32(x), i64([BATCH]), ...rest, f32([])],
      [this.zeros(x), rowwise(this.kernel('lossGrad'), 1, BATCH, 2, SIZE)],
    );
    const args = [f32(x), i64([BATCH]), ...rest];
    const forward = op('aten::nll_loss_forward', args, [rowwise(this.kernel('loss'), 1, BATCH, 2, SIZE)], {
      node: { name: this.#named('NllLossBackward'), gradient: [], body: [lossGrad], parameters: [] },
    });
    const nll = op('aten::nll_loss_nd', args, [op('aten::nll_loss', args, [forward])]);
    const scores = op('aten::log_softmax', [f32(x), int(1), none], [softmax]);
    const smoothing = this.generation === 'today' ? [float(0)] : [];
    const code = this.code(
      'torch/nn/functional.py(3479): cross_entropy',
      'torch/nn/functional.py(2693): cross_entropy',
    );
    return frame(code, [
      this.builtin('cross_entropy_loss', [op('aten::cross_entropy_loss', [...args, ...smoothing], [scores, nll])]),
    ]);
  }

  /** Newer node names end in the number of their overload. */
  #named(node: string): string {
    return this.generation === 'today' ? `${node}0` : node;
  }

  #biasGrad(y: Shape): OpStep {
    const channels = y[1] ?? 1;
    const work = rowwise(this.kernel('sum'), channels, count(y) / channels, 1, SIZE);
    return op('aten::sum', [f32(y), list(0, 2, 3), bool(false), none], [work]);
  }

  /** With an autograd node of its own in 2021. */
  #reshaped(from: Shape, to: Shape): OpStep {
    const node = { name: 'ViewBackward', gradient: to, body: [reshape(to, from)], parameters: [from] };
    const view = op('aten::view', [f32(from), list(...to)], [], this.generation === '2021' ? { node } : {});
    return op('aten::reshape', [f32(from), list(...to)], [view]);
  }

  /** One image channel is too few for the matrix units; with more, the layout is changed for them and back. */
  #convolutionWorks(layer: Convolution): Step[] {
    if (layer.first || this.generation === '2021') {
      return [product(this.kernel(layer.first ? 'directForward' : 'matrixForward'), layer)];
    }
    return [
      this.elementwise('toChannelsLast', layer.x, 2),
      this.elementwise('toChannelsLast', layer.w, 2),
      product(this.kernel('matrixForward'), layer),
      this.elementwise('toChannelsFirst', resultOf(layer), 2),
    ];
  }

  #convolutionNode(layer: Convolution): GradNode {
    const { x, w, first } = layer;
    const y = resultOf(layer);
    const bias = w.slice(0, 1);
    const args = [f32(y), f32(x), f32(w), list(...bias), list(1, 1), list(0, 0), list(1, 1), bool(false), list(0, 0)];
    const inputGrad = [
      this.elementwise('toChannelsLast', y, 2),
      this.elementwise('toChannelsLast', w, 2),
      product(this.kernel('inputGrad'), layer),
      this.elementwise('toChannelsFirst', x, 2),
    ];
    const grad = op(
      'aten::convolution_backward',
      [...args, int(1), list(!first, true, true)],
      [...(first ? [] : inputGrad), memset(w), product(this.kernel('weightGrad'), layer), this.#biasGrad(y)],
    );
    return { name: 'ConvolutionBackward0', gradient: y, body: [grad], parameters: [w, bias] };
  }

  #oldConvolutionNode(layer: Convolution): GradNode {
    const { x, w, first } = layer;
    const y = resultOf(layer);
    const rest = [list(0, 0), list(1, 1), list(1, 1), int(1), bool(false), bool(false), bool(true)];
    const inputGrad = op(
      'aten::cudnn_convolution_backward_input',
      [list(...x), f32(y), f32(w), ...rest],
      [product(this.kernel('inputGrad'), layer)],
    );
    const weightGrad = op(
      'aten::cudnn_convolution_backward_weight',
      [list(...w), f32(y), f32(x), ...rest],
      [memset(w), product(this.kernel('weightGrad'), layer)],
    );
    const grad = op(
      'aten::cudnn_convolution_backward',
      [f32(x), f32(y), f32(w), ...rest, list(!first, true)],
      [...(first ? [] : [inputGrad]), weightGrad],
    );
    return { name: 'CudnnConvolutionBackward', gradient: y, body: [grad], parameters: [w] };
  }
}

interface Convolution {
  readonly x: Shape;
  readonly w: Shape;
  /** Nothing below it needs a gradient. */
  readonly first: boolean;
}

const resultOf = ({ x, w }: Convolution): Shape => [
  BATCH,
  w[0] ?? 1,
  ...x.slice(2).map((extent) => extent - FILTER + 1),
];

/** A convolution or one of its gradients as a product: 2·N·K·P·Q·C·R·S operations. */
function product(kernel: KernelWork['kernel'], layer: Convolution): KernelWork {
  const y = resultOf(layer);
  const outputs = y[1] ?? 1;
  const work = gemm(kernel, { m: count(y) / outputs, n: outputs, k: count(layer.w) / outputs }, SIZE);
  return { ...work, bytes: SIZE * (count(layer.x) + count(layer.w) + count(y)) };
}

const memset = (shape: Shape): SetWork => ({ kind: 'set', bytes: count(shape) * SIZE, value: 0 });

/** Of a matrix, without any work. */
function turned(shape: Shape, node?: GradNode): OpStep {
  const [rows = 1, columns = 1] = shape;
  const strided = op('aten::as_strided', [f32(shape), list(columns, rows), list(1, columns), none]);
  const transpose = op('aten::transpose', [f32(shape), int(0), int(1)], [strided]);
  return op('aten::t', [f32(shape)], [transpose], node === undefined ? {} : { node });
}

const reshape = (from: Shape, to: Shape): OpStep =>
  op('aten::reshape', [f32(from), list(...to)], [op('aten::view', [f32(from), list(...to)])]);
