/**
 * Convolutions over time with the layout [time, batch, channels], and their gradients.
 */
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import type { OpCost, Work } from '../../family.js';
import { opName, integer } from '../../operands.js';
import { tensor, workOf } from '../../work.js';
import { CONVOLUTION_SOURCE, convolutionFlops } from './convolution-geometry.js';
import { shapeParams } from '../../product.js';

export const CONV_TBC_OPS: readonly string[] = ['conv_tbc', 'conv_tbc_backward'];

interface TimeConvolution {
  readonly bound: BoundArguments;
  /** [time, batch, C]. */
  readonly x: Tensor;
  /** [kernel, C, K]. */
  readonly w: Tensor;
}

function operands(call: OpCall, signature: string): TimeConvolution | null {
  const bound = bind(call, signature);
  const [x, w] = [bound?.tensor('x') ?? null, bound?.tensor('w') ?? null];
  if (bound === null || x?.shape.length !== 3 || w?.shape.length !== 3 || x.shape[2] !== w.shape[1]) return null;
  return { bound, x, w };
}

/** Forward: time steps of the output = time + 2·pad − kernel + 1. */
export function timeConvolution(call: OpCall): Work | null {
  if (opName(call) !== 'conv_tbc') return null;
  const found = operands(call, '@x @w @bias pad');
  if (found === null) return null;
  const { bound, x, w } = found;
  const [time = 0, batch = 0] = x.shape;
  const [kernel = 0, , filters = 0] = w.shape;
  const arg = bound.arg('pad');
  const pad = arg === undefined ? 0 : integer(arg.value);
  const steps = pad === undefined ? null : time + 2 * pad - kernel + 1;
  if (steps !== null && steps < 1) return null;
  const cost: OpCost & { readonly source: string } = {
    flops: steps === null ? null : convolutionFlops(batch, steps, w),
    reads: bound.reads,
    writes: steps === null ? null : [tensor([steps, batch, filters], x.dtype)],
    matmul: true,
    params: shapeParams({ X: x, W: w }),
    formula: 'flops = 2·N·time(out)·C·K·kernel, bytes = |x| + |W| + |bias| + |y|',
    source: CONVOLUTION_SOURCE,
  };
  return workOf(steps === null ? { ...cost, unknown: 'the padding is unspecified' } : cost);
}

/** Backward: input, weight and bias gradient, always all three. */
export function timeConvolutionParts(call: OpCall): readonly Work[] | null {
  const found = opName(call) === 'conv_tbc_backward' ? operands(call, '@dy @x @w @bias pad') : null;
  const dy = found?.bound.tensor('dy') ?? null;
  if (found === null || dy?.shape.length !== 3) return null;
  const { x, w } = found;
  const [steps = 0, batch = 0, filters = 0] = dy.shape;
  const shared = {
    params: shapeParams({ dY: dy, X: x, W: w }),
    formula: 'flops = 2·N·time(out)·C·K·kernel for each gradient; bytes = operands read + gradient written',
    source: CONVOLUTION_SOURCE,
  };
  const flops = convolutionFlops(batch, steps, w);
  return [
    workOf({ ...shared, role: 'dgrad', matmul: true, flops, reads: [dy, w], writes: [x] }),
    workOf({ ...shared, role: 'wgrad', matmul: true, flops, reads: [dy, x], writes: [w] }),
    workOf({
      ...{ ...shared, role: 'bias', flops: numel(dy.shape), reads: [dy] },
      writes: [tensor([filters], dy.dtype)],
    }),
  ];
}
