/** Ops of object detection: RoI pooling, non-maximum suppression, deformable convolution. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, workByRules, type BoundCall } from '../../schema/op-rules.js';
import type { Family } from '../../family.js';
import { tensor } from '../../work.js';

const SOURCE = 'operations in the definitions; arguments as registered by torchvision';

/**
 * FLOPs of a sample: an interpolation of four values takes four products and three sums, and there is one sum into the
 * result.
 */
const SAMPLE = 8;

const UNSPECIFIED = "the number of samples depends on the region's size, which is a value in a tensor";

/** Samples per bin: the square of the number in each direction; null when it depends on the regions. */
function samples(bound: BoundCall): number | null {
  const ratio = bound.count('sampling_ratio');
  return ratio === null || ratio === 0 ? null : ratio ** 2;
}

/** [regions, channels, height, width of a bin grid]; null when that is unspecified. */
function bins(bound: BoundCall, regions: Tensor, channels: number, dtype: string): Tensor | null {
  const [height, width] = [bound.count('pooled_height'), bound.count('pooled_width')];
  return height === null || width === null ? null : tensor([extentAt(regions, 0), channels, height, width], dtype);
}

const aligned = withTensors('input regions', (input, regions, bound) => {
  if (input.shape.length !== 4) return null;
  const result = bins(bound, regions, extentAt(input, 1), input.dtype);
  const formula = 'flops = (8·s² + 1)·E(result), s × s samples per bin; bytes = input + regions + result';
  if (result === null) return { flops: null, writes: null, formula, unknown: 'the size of the result is unspecified' };
  const [each, writes] = [samples(bound), [result]];
  if (each === null) return { flops: null, writes, formula, unknown: UNSPECIFIED };
  return { flops: (SAMPLE * each + 1) * numel(result.shape), writes, formula };
});

/** Every gradient is added to the four elements of each sample, with their weights. */
const alignedBackward = withTensors('grad', (gradient, bound) => {
  const extents = ['batch', 'channels', 'height', 'width'].map((name) => bound.count(name));
  const shape = extents.filter((extent) => extent !== null);
  const formula = 'flops = 8·s²·E(gradient), s × s samples per bin; bytes = gradient + regions + gradient of the input';
  if (shape.length < extents.length)
    return { flops: null, writes: null, formula, unknown: 'the shape of the input is unspecified' };
  const [each, writes] = [samples(bound), [tensor(shape, gradient.dtype)]];
  if (each === null) return { flops: null, writes, formula, unknown: UNSPECIFIED };
  return { flops: SAMPLE * each * numel(gradient.shape), writes, formula };
});

/** The maximum of each bin, and its position. */
const pooled = withTensors('input regions', (input, regions, bound) => {
  if (input.shape.length !== 4) return null;
  const result = bins(bound, regions, extentAt(input, 1), input.dtype);
  const formula = 'bytes = input + regions + result + int32 positions';
  const writes = result === null ? null : [result, tensor(result.shape, 'int32')];
  return { flops: null, writes, formula, unknown: UNSPECIFIED };
});

/**
 * FLOPs for two boxes: intersection 9 (four extrema, two differences, two clamps at 0, a product), areas 6, union 2,
 * quotient and comparison 2.
 */
const OVERLAP = 19;
/** Number of boxes for each word of the mask. */
const WORD = 64;

/** Compares every box with those after it; the mask of suppressed boxes is written, and reduced by a second kernel. */
const suppressed = withTensors('boxes', (boxes) => {
  const [count] = boxes.shape;
  if (boxes.shape.length !== 2 || count === undefined) return null;
  return {
    flops: (OVERLAP * count * (count - 1)) / 2,
    reads: [boxes],
    writes: [tensor([count, Math.ceil(count / WORD)], 'int64')],
    formula: `flops = ${OVERLAP}·n·(n − 1)/2; bytes = boxes + mask of n bits for each (sorting by score is a separate op)`,
  };
});

/** Columns of the input at offset positions; the product with the weight is a separate op. */
const deformed = withTensors('input weight offset', (input, weight, offset, bound) => {
  if ([input, weight, offset].some(({ shape }) => shape.length !== 4)) return null;
  const [batch = 0, channels = 0] = input.shape;
  const taps = numel(weight.shape.slice(2));
  const columns = tensor([batch, channels * taps, ...offset.shape.slice(2)], input.dtype);
  const mask = bound.flag('use_mask') === false ? [] : bound.tensorsOf('mask');
  const each = SAMPLE - 1 + mask.length;
  return {
    flops: each * numel(columns.shape),
    reads: [input, offset, ...mask],
    writes: [columns],
    formula: `flops = ${each}·E(columns); bytes = input + offsets + mask + columns (their product is a separate op)`,
  };
});

const RULES = rules`
  ${aligned} torchvision.roi_align: @input @regions spatial_scale pooled_height pooled_width sampling_ratio aligned
  ${alignedBackward} torchvision._roi_align_backward: @grad @regions spatial_scale pooled_height pooled_width batch
      channels height width sampling_ratio aligned
  ${pooled} torchvision.roi_pool: @input @regions spatial_scale pooled_height pooled_width
  ${suppressed} torchvision.nms: @boxes @scores threshold
  ${deformed} torchvision.deform_conv2d: @input @weight @offset @mask @bias stride_h stride_w pad_h pad_w dilation_h
      dilation_w groups offset_groups use_mask
`;

export const detection: Family = {
  id: 'detection',
  title: 'Object detection (torchvision): roi_align, nms, deform_conv2d',
  category: 'other',
  ops: Object.keys(RULES),
  formulas: [
    'roi_align: flops = (8·s² + 1)·E(result), backward 8·s²·E(gradient), unknown if s depends on the regions; bytes = input + regions + result',
    'nms: flops = 19·n·(n − 1)/2; bytes = boxes + mask; deform_conv2d (without its product): flops = 7·E(columns), with a mask 8; bytes = input + offsets + columns',
  ],
  work: workByRules(RULES, SOURCE),
};
