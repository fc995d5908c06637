/**
 * LeNet-5 on 64 images of 32 × 32, two training steps, as PyTorch 1.5 with PyProf's hooks on a V100 would show them:
 * ATen names without `aten::`, sequence numbers alone, FP32 GEMMs without tensor cores.
 */
import { V100 } from './gpu.js';
import { LENET_KERNELS as K } from './kernels.js';
import type { Argument, Shape } from './markers.js';
import { bool, float, int, none, str, tensor, tuple } from './markers.js';
import type { AtenStep, Step } from './network.js';
import { aten, call, Framework, layer, node } from './network.js';
import { Recording } from './recording.js';
import type { Timeline } from './timeline.js';
import type { Work } from './work.js';
import { count, elementwise, gemm, rowwise } from './work.js';

const SIZE = 4;
const BATCH = 64;
const TORCH = '/opt/conda/lib/python3.6/site-packages/torch/nn';
const f32 = (shape: Shape, name = ''): Argument => tensor(shape, 'float32', name);
const modules = (file: string): string[] => ['lenet.py:24', `${TORCH}/modules/module.py:532`, `${TORCH}/${file}`];

/** A gradient added to the one that is there already. */
const sumUp = (shape: Shape): AtenStep =>
  aten('add_', [shape, shape], { works: [elementwise(K.add, count(shape), 3, SIZE)] });

interface Conv {
  readonly name: string;
  readonly channels: readonly [inputs: number, outputs: number];
  /** Extent of the square input image. */
  readonly side: number;
  /** Nothing below it needs a gradient. */
  readonly first: boolean;
}

const FILTER = 5;

/** Implicit GEMM: 2·N·K·P·Q·C·R·S operations. */
const convolution = (kernel: typeof K.convForward, [inputs, outputs]: Conv['channels'], side: number): Work => {
  const out = side - FILTER + 1;
  const extents = { m: BATCH * out * out, n: outputs, k: inputs * FILTER * FILTER };
  return {
    ...gemm(kernel, extents, SIZE),
    grid: [Math.ceil(extents.m / kernel.threads), Math.ceil(outputs / 32), 1],
    bytes: SIZE * (BATCH * inputs * side * side + outputs * extents.k + BATCH * outputs * out * out),
  };
};

function conv({ name, channels, side, first }: Conv): Step {
  const [inputs, outputs] = channels;
  const out = side - FILTER + 1;
  const [x, w, y] = [
    [BATCH, inputs, side, side],
    [outputs, inputs, FILTER, FILTER],
    [BATCH, outputs, out, out],
  ];
  const bias = elementwise(K.add, count(y), 3, SIZE);
  const inputGrad = aten('cudnn_convolution_backward_input', [], {
    works: [convolution(K.convInputGrad, channels, side)],
  });
  const weightGrad = aten('cudnn_convolution_backward_weight', [], {
    works: [{ kind: 'set', bytes: count(w) * SIZE, value: 0 }, convolution(K.convWeightGrad, channels, side)],
  });
  const biasGrad = aten('sum', [], { works: [rowwise(K.sum, outputs, count(y) / outputs, 1, SIZE)] });
  const backward = aten('cudnn_convolution_backward', [], {
    body: [...(first ? [] : [inputGrad]), weightGrad],
  });
  const leaf = aten('cudnn_convolution', [], {
    works: [convolution(K.convForward, channels, side), bias],
    node: node('CudnnConvolutionBackward', [backward, biasGrad], [sumUp([outputs]), sumUp(w)]),
  });
  const args = [f32(x), f32(w), f32([outputs]), tuple([1, 1]), tuple([0, 0]), tuple([1, 1]), int(1)];
  const op = aten('conv2d', [], {
    body: [aten('convolution', [], { body: [aten('_convolution', [], { body: [leaf] })] })],
  });
  const text = `${inputs}, ${outputs}, kernel_size=(5, 5), stride=(1, 1)`;
  return layer(
    name,
    [call('torch.nn.functional', 'conv2d', args, [op], modules('modules/conv.py:345'))],
    ['Conv2d', text],
  );
}

function relu(shape: Shape): Step {
  const pass = elementwise(K.threshold, count(shape), 3, SIZE);
  const op = aten('relu', [], {
    works: [pass],
    node: node('ReluBackward0', [aten('threshold_backward', [], { works: [pass] })]),
  });
  return call('torch.nn.functional', 'relu', [f32(shape)], [op], ['lenet.py:26', `${TORCH}/functional.py:914`]);
}

function pool(shape: Shape): Step {
  const elements = count(shape);
  const backward = aten('max_pool2d_with_indices_backward', [], {
    works: [elementwise(K.fill, elements, 1, SIZE), elementwise(K.poolBackward, elements, 2, SIZE)],
  });
  const leaf = aten('max_pool2d_with_indices', [], {
    works: [elementwise(K.poolForward, elements / 4, 6, SIZE)],
    node: node('MaxPool2DWithIndicesBackward', [backward]),
  });
  const args = [f32(shape), int(2), none('stride'), int(0, 'padding'), int(1, 'dilation'), bool(false, 'ceil_mode')];
  const op = aten('max_pool2d', [], { body: [leaf] });
  return call('torch.nn.functional', 'max_pool2d', args, [op], ['lenet.py:28', `${TORCH}/functional.py:488`]);
}

function flatten(): Step {
  const op = aten('view', [], { node: node('ViewBackward', [aten('reshape', [])]) });
  return call('Tensor', 'view', [f32([BATCH, 16, 5, 5]), int(BATCH), int(400)], [op], ['lenet.py:31']);
}

function linear(name: string, inputs: number, outputs: number): Step {
  const transposed = aten('t', [], { node: node('TBackward', [aten('t', [])], [sumUp([outputs, inputs])]) });
  const backward = [
    aten('mm', [], { works: [gemm(K.gemmNN, { m: BATCH, n: inputs, k: outputs }, SIZE)] }),
    aten('mm', [], { works: [gemm(K.gemmNT, { m: outputs, n: inputs, k: BATCH }, SIZE)] }),
    aten('sum', [], { works: [rowwise(K.sum, outputs, BATCH, 1, SIZE)] }),
  ];
  const addmm = aten('addmm', [], {
    works: [elementwise(K.add, BATCH * outputs, 3, SIZE), gemm(K.gemmTN, { m: BATCH, n: outputs, k: inputs }, SIZE)],
    node: node('AddmmBackward', backward, [sumUp([outputs])]),
  });
  const [x, w, b] = [f32([BATCH, inputs]), f32([outputs, inputs]), f32([outputs])];
  const inner = [`${TORCH}/functional.py:1370`];
  const body = [
    call('Tensor', 't', [w], [transposed], inner),
    call('torch', 'addmm', [b, x, f32([inputs, outputs])], [addmm], inner),
  ];
  const text = `in_features=${inputs}, out_features=${outputs}, bias=True`;
  return layer(
    name,
    [call('torch.nn.functional', 'linear', [x, w, b], body, modules('modules/linear.py:87'))],
    ['Linear', text],
  );
}

function loss(classes: number): Step {
  const scores = [BATCH, classes];
  const [forward, backward] = [
    rowwise(K.softmaxForward, BATCH, classes, 2, SIZE),
    rowwise(K.softmaxBackward, BATCH, classes, 3, SIZE),
  ];
  const logSoftmax = aten('_log_softmax', [], {
    works: [forward],
    node: node('LogSoftmaxBackward', [aten('_log_softmax_backward_data', [], { works: [backward] })]),
  });
  const nll = aten('nll_loss', [], {
    works: [rowwise(K.nllForward, 1, BATCH, 2, SIZE)],
    node: node('NllLossBackward', [
      aten('nll_loss_backward', [], {
        works: [elementwise(K.fill, BATCH * classes, 1, SIZE), rowwise(K.nllBackward, 1, BATCH, 2, SIZE)],
      }),
    ]),
  });
  const target = tensor([BATCH], 'int64');
  const body = [
    call(
      'torch.nn.functional',
      'log_softmax',
      [f32(scores), int(1)],
      [aten('log_softmax', [], { body: [logSoftmax] })],
    ),
    call(
      'torch.nn.functional',
      'nll_loss',
      [f32(scores), target, none(), none(), int(-100), none(), str('mean')],
      [nll],
    ),
  ];
  return call('torch.nn.functional', 'cross_entropy', [f32(scores), target], body, ['train.py:50']);
}

const FORWARD: readonly Step[] = [
  conv({ name: 'conv1', channels: [1, 6], side: 32, first: true }),
  relu([BATCH, 6, 28, 28]),
  pool([BATCH, 6, 28, 28]),
  conv({ name: 'conv2', channels: [6, 16], side: 14, first: false }),
  relu([BATCH, 16, 10, 10]),
  pool([BATCH, 16, 10, 10]),
  flatten(),
  layer('classifier', [
    linear('fc1', 400, 120),
    relu([BATCH, 120]),
    linear('fc2', 120, 84),
    relu([BATCH, 84]),
    linear('fc3', 84, 10),
  ]),
];

/** Weights and biases, in order. */
export const PARAMETERS: readonly Shape[] = [
  [6, 1, 5, 5],
  [6],
  [16, 6, 5, 5],
  [16],
  [120, 400],
  [120],
  [84, 120],
  [84],
  [10, 84],
  [10],
];

const zeroGrad = (shape: Shape): Step =>
  call(
    'Tensor',
    'zero_',
    [f32(shape)],
    [aten('zero_', [], { works: [{ kind: 'set', bytes: count(shape) * SIZE, value: 0 }] })],
    ['train.py:47'],
  );

const descend = (shape: Shape): Step =>
  call(
    'Tensor',
    'add_',
    [f32(shape), float(-0.01), f32(shape)],
    [aten('add_', [], { works: [elementwise(K.add, count(shape), 3, SIZE)] })],
    ['train.py:53', '/opt/conda/lib/python3.6/site-packages/torch/optim/sgd.py:106'],
  );

const toDevice = (shape: Shape, dtype: string, bytes: number): Step => {
  const copy = aten('copy_', [], { works: [{ kind: 'copy', copy: 'HtoD', bytes, pinned: true }] });
  return call(
    'Tensor',
    'cuda',
    [tensor(shape, dtype), bool(true, 'non_blocking')],
    [aten('to', [], { body: [copy] })],
    ['train.py:45'],
  );
};

const BATCH_IN: readonly Step[] = [
  toDevice([BATCH, 1, 32, 32], 'float32', BATCH * 32 * 32 * SIZE),
  toDevice([BATCH], 'int64', BATCH * 8),
];

const readLoss: Step = aten('_local_scalar_dense', [], {
  works: [{ kind: 'copy', copy: 'DtoH', bytes: SIZE, pinned: false }],
});

/** All device work of the steps, in order. */
const worksOf = (steps: readonly Step[]): Work[] =>
  steps.flatMap((step) => [...(step.kind === 'aten' ? step.works : []), ...worksOf(step.body)]);

/**
 * @param graph whether the run ends with two replays of the network as a CUDA graph, recorded as a whole (nvprof
 *   cannot record that)
 */
export function lenet({ graph }: { readonly graph: boolean }): Timeline {
  const recording = new Recording('train.py', [V100], 1_600_000_000_123_456_789n, 1998);
  const process = recording.process(4242, 'python3.6', 0);
  const main = recording.thread(process, 4242, -354_666_688, 'python3.6', 250_000);
  const autograd = recording.thread(process, 4260, 452_974_336, 'python3.6', 250_000);
  const framework = new Framework({
    recording,
    era: 'before-1.11',
    main,
    autograd,
    stream: 7,
    frames: ['train.py:48'],
  });
  recording.mark(main, 'epoch 0');
  for (const iteration of [0, 1]) {
    recording.within(main, `iteration ${iteration}`, () => {
      framework.forward([...BATCH_IN, ...PARAMETERS.map(zeroGrad), ...FORWARD, loss(10)]);
      framework.backward();
      framework.forward(PARAMETERS.map(descend));
      framework.forward([readLoss]);
      recording.synchronize(main, 7);
    });
  }
  if (graph) {
    recording.within(main, 'validation', () => {
      for (let i = 0; i < 2; i++) recording.replayWhole(main, 7, { id: 1, executable: 2 }, worksOf(FORWARD));
      recording.synchronize(main, 7);
    });
  }
  return recording.timeline();
}
