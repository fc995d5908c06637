/**
 * LeNet-5 on 64 images of 32 × 32 under torch.profiler: on one of two A100s with today's framework, gradients exchanged
 * after the backward pass, and on a V100 with the framework of early 2021.
 */
import { A100, V100 } from './gpu.js';
import { BATCH, Layers } from './kineto-layers.js';
import type { Exchange, Generation, Step } from './kineto-ops.js';
import {
  annotation,
  backward,
  bool,
  f32,
  float,
  frame,
  i64,
  int,
  list,
  none,
  op,
  tensors,
  wait,
} from './kineto-ops.js';
import type { KinetoCapture } from './kineto-run.js';
import { KinetoRun } from './kineto-run.js';
import { PARAMETERS } from './lenet.js';
import { Recording } from './recording.js';
import { count, elementwise } from './work.js';

const SIZE = 4;
const CLASSES = 10;

/** 61,706: LeNet-5 with biases. */
const ELEMENTS = PARAMETERS.map(count).reduce((sum, elements) => sum + elements, 0);

function network(layers: Layers): Step {
  const forward = [
    layers.conv([1, 6], 32, true),
    layers.relu([BATCH, 6, 28, 28]),
    layers.pool([BATCH, 6, 28, 28]),
    layers.conv([6, 16], 14, false),
    layers.relu([BATCH, 16, 10, 10]),
    layers.pool([BATCH, 16, 10, 10]),
    layers.flatten([BATCH, 16, 5, 5]),
    layers.linear(400, 120),
    layers.relu([BATCH, 120]),
    layers.linear(120, 84),
    layers.relu([BATCH, 84]),
    layers.linear(84, CLASSES),
  ];
  return layers.module('LeNet', 'lenet.py(24): forward', forward);
}

/** A tensor of the host goes to the device. */
function toDevice(generation: Generation, input: ReturnType<typeof f32>, bytes: number): Step {
  const copied = { kind: 'copy', copy: 'HtoD', bytes, pinned: true } as const;
  const copy = op('aten::copy_', [input, input, bool(true)], [copied]);
  if (generation === '2021') return op('aten::to', [input, none, int(6), bool(true), bool(false), none], [copy]);
  const type = int(input.kind === 'tensor' && input.type === 'float' ? 6 : 4);
  const made = op('aten::_to_copy', [input, type, int(0), none, none, bool(true), none], [copy]);
  return op('aten::to', [input, type, int(0), none, none, bool(true), bool(false), none], [made]);
}

const EXCHANGE: Exchange = { name: 'allreduce', elements: ELEMENTS, ranks: [0, 1] };

/** All gradients, as one buffer. */
function exchanged(layers: Layers): Step {
  const bucket = tensors([[ELEMENTS]]);
  const work = elementwise(layers.kernel('allReduce'), ELEMENTS, 3, SIZE);
  const ranks = [int(0), int(1), int(EXCHANGE.ranks.length)];
  const comms = op(
    'record_param_comms',
    [bucket, none, none, int(0), none, list(), list(), ...ranks],
    [annotation('nccl:all_reduce', [work], false)],
    { exchange: EXCHANGE },
  );
  return op('c10d::allreduce_', [bucket, none, none, none, int(-1)], [comms]);
}

/** One update a parameter in 2021, one for all today. */
function updates(layers: Layers): Step[] {
  const rate = -0.01;
  if (layers.generation === '2021') {
    return PARAMETERS.map((shape) =>
      op('aten::add_', [f32(shape), f32(shape), float(rate)], [layers.elementwise('update', shape, 3)]),
    );
  }
  const work = layers.elementwise('update', [ELEMENTS], 3);
  return [op('aten::_foreach_add_', [tensors(PARAMETERS), tensors(PARAMETERS), float(rate)], [work])];
}

function trainingStep(number: number, generation: Generation): Step {
  const layers = new Layers(generation);
  const old = generation === '2021';
  const ones = op(
    'aten::ones_like',
    [f32([]), int(6), int(0), none, bool(false), int(1)],
    [op('aten::fill_', [f32([]), int(1)], [layers.elementwise('fill', [], 1)])],
  );
  const readLoss = [{ kind: 'copy', copy: 'DtoH', bytes: SIZE, pinned: false } as const, wait];
  const body = [
    frame('train.py(45): batch', [
      toDevice(generation, f32([BATCH, 1, 32, 32]), BATCH * 32 * 32 * SIZE),
      toDevice(generation, i64([BATCH]), BATCH * 8),
    ]),
    annotation('Optimizer.zero_grad#SGD.zero_grad', old ? PARAMETERS.map((shape) => layers.zeros(shape)) : [], false),
    network(layers),
    layers.crossEntropy(CLASSES),
    frame(layers.code('torch/_tensor.py(648): backward', 'torch/tensor.py(245): backward'), [
      frame(layers.code('torch/autograd/__init__.py(353): backward', 'torch/autograd/__init__.py(145): backward'), [
        ones,
        backward(old ? [] : [exchanged(layers)]),
      ]),
    ]),
    annotation('Optimizer.step#SGD.step', updates(layers), false),
    op('aten::item', [f32([])], [op('aten::_local_scalar_dense', [f32([])], readLoss)]),
  ];
  return annotation(`ProfilerStep#${number}`, [frame('train.py(61): <module>', [frame('train.py(44): train', body)])]);
}

/** Two steps today, one in 2021, whose uncompressed trace is the longer a step. */
const STEPS: Readonly<Record<Generation, readonly number[]>> = { '2021': [5], today: [3, 4] };

export function kinetoLenet(generation: Generation): KinetoCapture {
  const old = generation === '2021';
  const recording = new Recording(
    'train.py',
    [old ? V100 : A100],
    old ? 1_613_142_623_460_016_000n : 1_755_869_512_400_123_456n,
    1998,
  );
  const process = recording.process(4242, old ? 'python' : 'python3', 0);
  const main = recording.thread(process, 4242, -354_666_688, process.name, 250_000);
  const autograd = recording.thread(process, 4260, 452_974_336, process.name, 250_000);
  const layers = new Layers(generation);
  const run = new KinetoRun(
    {
      recording,
      generation,
      main,
      autograd,
      stream: 7,
      exchangeStream: 20,
      accumulate: (shape) => layers.elementwise('add', shape, 3),
    },
    890,
  );
  for (const number of STEPS[generation]) run.run([trainingStep(number, generation)]);
  return run.capture();
}
