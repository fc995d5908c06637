/** The strings of a generated profile. Each kernel has its own: shapes and values are made from its number. */
import {
  callMarker,
  engineMarker,
  float,
  int,
  layerMarker,
  nodeMarker,
  tensor,
  tuple,
} from '../samples/programs/markers.js';
import { atenMarker } from '../samples/programs/markers.js';
import { LENET_KERNELS, transformerKernels } from '../samples/programs/kernels.js';

const FP16 = transformerKernels('GV100');

/** One kernel per op of OPS, in its order. */
export const KERNEL_NAMES = [
  FP16.gemmTN,
  LENET_KERNELS.threshold,
  LENET_KERNELS.convForward,
  FP16.softmaxForward,
  FP16.add,
];

interface Op {
  readonly aten: string;
  readonly node: string;
  /** The call marker of the i-th kernel. */
  readonly call: (i: number) => string;
}

/** An extent that no two kernels share. */
const rows = (i: number): number => 64 + i;

const F = 'torch.nn.functional';
const OPS: readonly Op[] = [
  {
    aten: 'addmm',
    node: 'AddmmBackward0',
    call: (i) =>
      callMarker(F, 'linear', [
        tensor([rows(i), 1024], 'float16'),
        tensor([4096, 1024], 'float16'),
        tensor([4096], 'float16'),
      ]),
  },
  {
    aten: 'relu',
    node: 'ReluBackward0',
    call: (i) => callMarker(F, 'relu', [tensor([rows(i), 4096], 'float32')]),
  },
  {
    aten: 'cudnn_convolution',
    node: 'CudnnConvolutionBackward0',
    call: (i) =>
      callMarker(F, 'conv2d', [
        tensor([rows(i), 3, 32, 32], 'float32'),
        tensor([16, 3, 5, 5], 'float32'),
        tensor([16], 'float32'),
        tuple([1, 1]),
        tuple([0, 0]),
        tuple([1, 1]),
        int(1),
      ]),
  },
  {
    aten: '_softmax',
    node: 'SoftmaxBackward0',
    call: (i) => callMarker(F, 'softmax', [tensor([rows(i), 64], 'float16'), int(-1, 'dim')]),
  },
  {
    aten: 'mul',
    node: 'MulBackward0',
    call: (i) => callMarker('Tensor', '__mul__', [tensor([256, 256], 'float32'), float(1 + i / 8192)]),
  },
];

/**
 * Strings around kernel `i`, outermost first; all differ from those of every other kernel (the op ids do, too). The op
 * follows from the sequence number, so that a backward kernel has its forward kernel's op. A backward kernel has the
 * engine's range where a forward one has its call marker.
 * @param like the kernel whose layer and shapes it has: itself, or one of an earlier step
 */
export function rangeTexts(i: number, seq: number, backward: boolean, like = i): readonly [string, string, string] {
  const op = OPS[seq % OPS.length];
  if (op === undefined) throw new Error('no ops');
  const opId = 3 * i;
  const outer =
    i % 2 === 0 ? layerMarker(`encoder.${i % 48}.block.${like}`) : `step ${Math.floor(i / 800)} microbatch ${like}`;
  if (backward) {
    return [outer, engineMarker(op.node, opId + 1), nodeMarker('since-1.11', op.node, seq, opId + 2)];
  }
  return [outer, op.call(like), atenMarker('since-1.11', op.aten, seq, opId, [])];
}
