/**
 * Interpolation, by the dispatcher's ops and by `torch.nn.functional.interpolate`, which calls one of them; grid sampling;
 * and rearrangement of patches: im2col, col2im, pixel and channel shuffles.
 */
import { numel, argument, argumentValue, extentAt, type Tensor } from '../../call.js';
import type { ArgValue, Arg, OpCall } from '../../../record/record.js';
import type { Family, KernelFacts } from '../../family.js';
import { rules, ruleWork, withTensors, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { opName, tensorAt, rankInName } from '../../operands.js';
import { tensor, writing } from '../../work.js';
import { elementAt } from '../../../containers/element.js';

const PATCH_UNSPECIFIED = 'the size of the patches is unspecified';

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
  return { flops: 0, ...writing(result, PATCH_UNSPECIFIED), formula: 'flops = 0; bytes = input + columns' };
});

/** Columns (N, C·kh·kw, positions) → (N, C, H, W): every element of a column is added to its pixel. */
const col2im = withTensors('self', (input, bound) => {
  const [size, kernel] = [both(bound.integers('output_size')), both(bound.integers('kernel_size'))];
  const channels = kernel === null ? 0 : extentAt(input, -2) / numel(kernel);
  const isKnown = size !== null && Number.isInteger(channels) && channels > 0;
  const result = isKnown ? tensor([...input.shape.slice(0, -2), channels, ...size], input.dtype) : bound.outs[0];
  const formula = 'flops = E(columns); bytes = columns + result';
  return { flops: numel(input.shape), ...writing(result, PATCH_UNSPECIFIED), formula };
});

/** Only the order of elements changes. */
const reordered = withTensors('self', (input, { call }) => ({
  flops: 0,
  writes: [input],
  formula: `flops = 0; bytes = 2·E·size: ${opName(call)} moves every element`,
}));

const PATCH_RULES = rules`
  // In older versions the gradient of each op has a separate name; it computes the other op.
  ${im2col} im2col col2im_backward: @self kernel_size dilation padding stride
  ${col2im} col2im im2col_backward: @self output_size kernel_size dilation padding stride
  ${reordered} pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle: @self factor
`;

/** Mode → op of the dispatcher, by the number of spatial dimensions. */
const OPS: Readonly<Record<string, readonly (string | null)[]>> = {
  nearest: ['upsample_nearest1d', 'upsample_nearest2d', 'upsample_nearest3d'],
  'nearest-exact': ['_upsample_nearest_exact1d', '_upsample_nearest_exact2d', '_upsample_nearest_exact3d'],
  linear: ['upsample_linear1d', null, null],
  bilinear: [null, 'upsample_bilinear2d', null],
  bicubic: [null, 'upsample_bicubic2d', null],
  trilinear: [null, null, 'upsample_trilinear3d'],
};

const listArg = (list: readonly number[]): Arg => ({ name: '', type: 'list', value: list });
const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };

/** One number for each dimension, or one for all; null for anything else. */
function perDimension(given: ArgValue | undefined, rank: number): number[] | null {
  const list = Array.isArray(given) ? (given as readonly ArgValue[]) : [given];
  const numbers = list.filter((item): item is number => typeof item === 'number' && item > 0);
  if (numbers.length !== list.length || (numbers.length !== 1 && numbers.length !== rank)) return null;
  return Array.from({ length: rank }, (_, i) => numbers[i] ?? numbers[0] ?? 1);
}

/**
 * The equivalent dispatcher call; null when the shape of the result is unspecified, or the mode fits no op.
 * interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, …)
 */
function interpolationCall(call: OpCall, { dir }: Pick<KernelFacts, 'dir'>): OpCall | null {
  const input = tensorAt(call, 'input', 0);
  const given = argumentValue(call, 'mode', 3) ?? 'nearest';
  const mode = typeof given === 'string' ? given : '';
  if (input === null) return null;
  const rank = input.shape.length - 2;
  const op = Object.hasOwn(OPS, mode) ? OPS[mode]?.[rank - 1] : undefined;
  if (typeof op !== 'string') return null;
  const inputExtents = input.shape.slice(2);
  const scales = perDimension(argumentValue(call, 'scale_factor', 2), rank);
  const size =
    perDimension(argumentValue(call, 'size', 1), rank) ??
    scales?.map((scale, i) => Math.floor(elementAt(inputExtents, i) * scale));
  if (size === undefined) return null;
  const corners = mode.startsWith('nearest') ? [] : [argument(call, 'align_corners', 4) ?? NOT_GIVEN];
  const rest = [...corners.map((arg): Arg => ({ ...arg, name: '' })), NOT_GIVEN];
  const tensor = (shape: readonly number[]): Arg => ({ name: '', type: 'tensor', shape, dtype: input.dtype });
  const args =
    dir === 'bprop'
      ? [tensor([...input.shape.slice(0, 2), ...size]), listArg(size), listArg(input.shape), ...rest]
      : [tensor(input.shape), listArg(size), ...rest];
  return { mod: 'aten', op: dir === 'bprop' ? `${op}_backward` : op, args, from: 'dispatcher' };
}

const SOURCE = 'interpolating k values takes k multiplications and k − 1 additions';

/** Number of input values per result in each dimension. */
const TAPS: readonly (readonly [RegExp, number])[] = [
  [/cubic/, 4],
  [/linear/, 2],
  [/nearest/, 1],
];

const tapsOf = (op: string): number => TAPS.find(([pattern]) => pattern.test(op))?.[1] ?? 1;

const numbers = (value: ArgValue | undefined): readonly number[] | null => {
  const list = Array.isArray(value) ? (value as readonly ArgValue[]) : [];
  const found = list.filter((item) => typeof item === 'number');
  return found.length > 0 && found.length === list.length ? found : null;
};

/** Extents of the result: from `output_size`, from a scale for each dimension, or from the tensor of an out overload. */
function enlarged(bound: BoundCall, input: Tensor): Tensor | null {
  const rank = rankInName(opName(bound.call));
  const [size, scales] = [bound.integers('output_size'), numbers(bound.value('scale_factors'))];
  if (input.shape.length < rank) return null;
  const [kept, inputExtents] = [input.shape.slice(0, -rank), input.shape.slice(-rank)];
  const extents =
    size ?? (scales === null ? null : inputExtents.map((extent, i) => Math.floor(extent * (scales[i] ?? 0))));
  if (extents?.length === rank) return tensor([...kept, ...extents], input.dtype);
  return bound.outs[0] ?? null;
}

/**
 * Number of one-dimensional interpolations: along the last dimension for every line of taps, then along the previous
 * dimensions.
 */
function linesOf(taps: number, rank: number): number {
  let lines = 0;
  for (let dimension = 0; dimension < rank; dimension++) lines += taps ** dimension;
  return lines;
}

/** Anti-aliasing widens the window by the scale of a reduction. */
function widened(taps: number, rank: number, input: Tensor, result: Tensor): number {
  let product = 1;
  for (let i = 1; i <= rank; i++) {
    const scale = (input.shape.at(-i) ?? 1) / Math.max(1, result.shape.at(-i) ?? 1);
    product *= Math.ceil(taps * Math.max(1, scale));
  }
  return product;
}

const isSmoothed = (op: string): boolean => op.includes('_aa');

/** Operations for one result. */
function perResult(op: string, input: Tensor, result: Tensor): number {
  const [taps, rank] = [tapsOf(op), rankInName(op)];
  if (taps === 1) return 0;
  if (isSmoothed(op)) return 2 * widened(taps, rank, input, result);
  return linesOf(taps, rank) * (2 * taps - 1);
}

const UNSPECIFIED = 'the shape of the result is unspecified';

const upsampled = withTensors('self', (input, bound) => {
  const op = opName(bound.call);
  const result = enlarged(bound, input);
  const bytes = 'bytes = input + result';
  if (result === null)
    return { flops: tapsOf(op) === 1 ? 0 : null, writes: null, formula: bytes, unknown: UNSPECIFIED };
  const each = perResult(op, input, result);
  // Nearest-neighbour modes read only the elements that appear in the result.
  const touched = each === 0 && numel(result.shape) < numel(input.shape) ? result : input;
  const formula = `flops = ${each}·E(result); ${bytes}`;
  return { flops: each * numel(result.shape), reads: [touched], writes: [result], formula };
});

/** Each gradient is added to all elements from which the value was computed, with their weights. */
const upsampledBackward = withTensors('grad_output', (gradient, bound) => {
  const op = opName(bound.call);
  const size = bound.integers('input_size');
  const input = size === null ? bound.outs[0] : tensor(size, gradient.dtype);
  const [taps, rank] = [tapsOf(op), rankInName(op)];
  const bytes = 'bytes = gradient + gradient of the input';
  if (input === undefined) {
    const flops = isSmoothed(op) ? null : (taps === 1 ? 1 : 2 * taps ** rank) * numel(gradient.shape);
    return { flops, writes: null, formula: bytes, unknown: 'the shape of the input is unspecified' };
  }
  const window = isSmoothed(op) ? widened(taps, rank, input, gradient) : taps ** rank;
  const each = taps === 1 ? 1 : 2 * window;
  return { flops: each * numel(gradient.shape), writes: [input], formula: `flops = ${each}·E(gradient); ${bytes}` };
});

/** Interpolation modes by number: 0 linear, 1 nearest, 2 cubic. */
const SAMPLE_TAPS: ReadonlyMap<number | null, number> = new Map([
  [0, 2],
  [1, 1],
  [2, 4],
]);

interface Sampling {
  readonly result: Tensor;
  /** Number of input elements per result. */
  readonly window: number;
  /** Operations to compute all sampling points and their weights. */
  readonly pointFlops: number;
  readonly formula: string;
}

/** Input (N, C, …), grid (N, …, dimensions), result (N, C, …). */
function sampling(input: Tensor, grid: Tensor, bound: BoundCall): Sampling | null {
  const dimensions = input.shape.length - 2;
  if (dimensions < 1) return null;
  const result = tensor([...input.shape.slice(0, 2), ...grid.shape.slice(1, -1)], input.dtype);
  const window = (SAMPLE_TAPS.get(bound.count('mode')) ?? 2) ** dimensions;
  // Scale and shift of each coordinate, its integer part and the fraction; the weights are products of the fractions.
  const perPoint = 4 * dimensions + window * (dimensions - 1);
  const pointFlops = perPoint * numel(grid.shape.slice(0, -1));
  return { result, window, pointFlops, formula: `·E(result) + ${perPoint}·points; bytes = ` };
}

const sampled = withTensors('input grid', (input, grid, bound) => {
  const found = sampling(input, grid, bound);
  if (found === null) return null;
  const { result, window, pointFlops } = found;
  const each = window === 1 ? 0 : 2 * window;
  const formula = `flops = ${each}${found.formula}input + grid + result`;
  return { flops: each * numel(result.shape) + pointFlops, writes: [result], formula };
});

const sampledBackward = withTensors('input grid', (input, grid, bound) => {
  const found = sampling(input, grid, bound);
  if (found === null) return null;
  const { result, window, pointFlops } = found;
  const mask = bound.value('output_mask');
  const [ofInput, ofGrid] = Array.isArray(mask) ? (mask as readonly unknown[]) : [true, true];
  const dimensions = input.shape.length - 2;
  const each = (ofInput === true ? 2 * window : 0) + (ofGrid === true && window > 1 ? 2 * window * dimensions : 0);
  return {
    flops: each * numel(result.shape) + pointFlops,
    writes: [...(ofInput === true ? [input] : []), ...(ofGrid === true ? [grid] : [])],
    formula: `flops = ${each}${found.formula}gradient + input + grid + the gradients computed`,
  };
});

const NEAREST = 'upsample_nearest1d upsample_nearest2d upsample_nearest3d';
const EXACT = '_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d';
const SMOOTH =
  'upsample_linear1d upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa';

/** One scale for each dimension, or, in an overload, all of them in one list. */
const upsamples = (names: string, options: string): OpRules[] =>
  names.split(' ').map((name) => {
    const scales = 'a b c'.slice(0, 2 * rankInName(name) - 1);
    const [forward, backward] = [`@self output_size ${options}`, `@grad_output output_size input_size ${options}`];
    return rules`
      ${upsampled} ${name}: ${forward}scale_factors | ${forward}${scales}
      ${upsampledBackward} ${name}_backward: ${backward}scale_factors | ${backward}${scales}
    `;
  });

const RULES = Object.assign(
  {},
  ...upsamples(`${NEAREST} ${EXACT}`, ''),
  ...upsamples(SMOOTH, 'align_corners '),
  rules`
    ${sampled} grid_sampler grid_sampler_2d grid_sampler_3d cudnn_grid_sampler: @input @grid mode padding align_corners
    ${sampledBackward} grid_sampler_2d_backward grid_sampler_3d_backward:
      @grad_output @input @grid mode padding align_corners output_mask
    ${sampledBackward} cudnn_grid_sampler_backward: @input @grid @grad_output
  `,
  PATCH_RULES,
) as OpRules;

/** The Python function, with any mode. */
const INTERPOLATE = 'interpolate';

export const interpolation: Family = {
  id: 'interpolation',
  title: 'Interpolation, grid sampling, patches',
  category: 'resampling',
  ops: [...Object.keys(RULES), INTERPOLATE],
  formulas: [
    'upsample: flops = (2k − 1)·lines·E(result), k values in each dimension, dimension by dimension (bilinear 9, trilinear 21, bicubic 35; nearest 0); bytes = input + result',
    'upsample backward: flops = 2·k^d·E(gradient) (nearest 1); bytes = gradient + gradient of the input',
    'grid_sampler: flops = 2·k^d·E(result) + the points and their weights; bytes = input + grid + result',
    'im2col, pixel_shuffle: flops = 0; col2im: flops = E(columns); bytes = input + result',
  ],
  work: (call, kernel) => {
    const dispatched = opName(call) === INTERPOLATE ? interpolationCall(call, kernel) : call;
    return dispatched === null ? null : ruleWork(RULES, dispatched, kernel, SOURCE);
  },
};
