/** im2col, col2im, and pixel and channel shuffles. */
import { elementAt } from '../../../containers/element.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall } from '../../schema/op-rules.js';
import { opName } from '../../operands.js';
import { tensor, writing } from '../../work.js';

const UNSPECIFIED = 'the extents of the patches are unspecified';

/** Numbers for height and width; a single one applies to both. */
const both = (list: readonly number[] | null): readonly [number, number] | null => {
  const [first, second] = list ?? [];
  return first === undefined ? null : [first, second ?? first];
};

/** Input (N, C, H, W) or (C, H, W) → columns (N, C·kh·kw, positions). */
function columns(bound: BoundCall, input: Tensor): Tensor | null {
  const settings = ['kernel_size', 'dilation', 'padding', 'stride'].map((name) => both(bound.integers(name)));
  const [kernel, dilation, padding, stride] = settings.filter((pair) => pair !== null);
  if (kernel === undefined || dilation === undefined || padding === undefined || stride === undefined) return null;
  if (input.shape.length < 3) return null;
  const extents = input.shape.slice(-2);
  const positions = extents.map((extent, i) => {
    const [k, d] = [elementAt(kernel, i), elementAt(dilation, i)];
    const [p, s] = [elementAt(padding, i), elementAt(stride, i)];
    return Math.floor((extent + 2 * p - d * (k - 1) - 1) / s) + 1;
  });
  const channels = extentAt(input, -3) * numel(kernel);
  return tensor([...input.shape.slice(0, -3), channels, numel(positions)], input.dtype);
}

const im2col = withTensors('self', (input, bound) => {
  const result = columns(bound, input) ?? bound.outs[0];
  return { flops: 0, ...writing(result, UNSPECIFIED), formula: 'flops = 0; bytes = input + columns' };
});

/** Columns (N, C·kh·kw, positions) → (N, C, H, W): every element of a column is added to its pixel. */
const col2im = withTensors('self', (input, bound) => {
  const [size, kernel] = [both(bound.integers('output_size')), both(bound.integers('kernel_size'))];
  const channels = kernel === null ? 0 : extentAt(input, -2) / numel(kernel);
  const isKnown = size !== null && Number.isInteger(channels) && channels > 0;
  const result = isKnown ? tensor([...input.shape.slice(0, -2), channels, ...size], input.dtype) : bound.outs[0];
  const formula = 'flops = E(columns); bytes = columns + result';
  return { flops: numel(input.shape), ...writing(result, UNSPECIFIED), formula };
});

/** Nothing but the order of elements changes. */
const reordered = withTensors('self', (input, { call }) => ({
  flops: 0,
  writes: [input],
  formula: `flops = 0; bytes = 2·E·size: ${opName(call)} moves every element`,
}));

export const PATCH_RULES = rules`
  // In older versions the gradient of each has a name of its own; it is the other one.
  ${im2col} im2col col2im_backward: @self kernel_size dilation padding stride
  ${col2im} col2im im2col_backward: @self output_size kernel_size dilation padding stride
  ${reordered} pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle: @self factor
`;
