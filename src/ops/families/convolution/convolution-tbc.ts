/** Convolutions over time with the layout [time, batch, channels], and their gradients. */
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind } from '../../schema/binding.js';
import { rules, withTensors } from '../../schema/op-rules.js';
import type { Work } from '../../family.js';
import { opName, integer } from '../../operands.js';
import { shapeParams } from '../../product.js';
import { tensor, workOf } from '../../work.js';
import { CONVOLUTION_SOURCE, convolutionFlops } from './convolution-geometry.js';

const BACKWARD = 'conv_tbc_backward';

/** Whether x is [time, batch, C] and w [kernel, C, K]. */
const fit = (x: Tensor, w: Tensor): boolean =>
  x.shape.length === 3 && w.shape.length === 3 && x.shape[2] === w.shape[1];

/** Time steps of the output = time + 2·pad − kernel + 1. */
const forward = withTensors('x w', (x, w, bound) => {
  if (!fit(x, w)) return null;
  const [time = 0, batch = 0] = x.shape;
  const [kernel = 0, , filters = 0] = w.shape;
  const arg = bound.arg('pad');
  const pad = arg === undefined ? 0 : integer(arg.value);
  const cost = {
    matmul: true,
    params: shapeParams({ X: x, W: w }),
    formula: 'flops = 2·N·time(out)·C·K·kernel, bytes = |x| + |W| + |bias| + |y|',
  };
  if (pad === undefined) return { ...cost, flops: null, writes: null, unknown: 'the padding is unspecified' };
  const steps = time + 2 * pad - kernel + 1;
  if (steps < 1) return null;
  const writes = [tensor([steps, batch, filters], x.dtype)];
  return { ...cost, flops: convolutionFlops(batch, steps, w), writes };
});

export const TIME_CONVOLUTION = rules`
  ${forward} conv_tbc: @x @w @bias pad
`;

export const CONV_TBC_OPS: readonly string[] = [...Object.keys(TIME_CONVOLUTION), BACKWARD];

/** Backward: input, weight and bias gradient, always all three. */
export function timeConvolutionParts(call: OpCall): readonly Work[] | null {
  const bound = opName(call) === BACKWARD ? bind(call, '@dy @x @w @bias pad') : null;
  const [dy, x, w] = ['dy', 'x', 'w'].map((name) => bound?.tensor(name) ?? null);
  if (!dy || !x || !w || dy.shape.length !== 3 || !fit(x, w)) return null;
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
    workOf({ ...shared, role: 'bias', flops: numel(dy.shape), reads: [dy], writes: [tensor([filters], dy.dtype)] }),
  ];
}
