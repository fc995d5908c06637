/** Interpolation, grid sampling and rearrangement of patches. */
import { numel, type Tensor } from '../../call.js';
import type { ArgValue } from '../../../record/record.js';
import type { Family } from '../../family.js';
import { rules, ruleWork, withTensors, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { opName } from '../../operands.js';
import { tensor } from '../../work.js';
import { PATCH_RULES } from './patches.js';
import { interpolationCall } from './python-interpolation.js';
import { rankInName } from '../rank-in-name.js';

const SOURCE = 'operations of the definition: an interpolation of k values is k products and k − 1 sums';

/** Input values per result in each dimension. */
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

/** Extents of the result: of `output_size`, of a scale for each dimension, or of the tensor that an out form gives. */
function enlarged(bound: BoundCall, input: Tensor): Tensor | null {
  const rank = rankInName(opName(bound.call));
  const [size, scales] = [bound.integers('output_size'), numbers(bound.value('scale_factors'))];
  if (input.shape.length < rank) return null;
  const [kept, own] = [input.shape.slice(0, -rank), input.shape.slice(-rank)];
  const extents = size ?? (scales === null ? null : own.map((extent, i) => Math.floor(extent * (scales[i] ?? 0))));
  if (extents?.length === rank) return tensor([...kept, ...extents], input.dtype);
  return bound.outs[0] ?? null;
}

/** Interpolations along one line: the last dimension for every line of taps, and so on inwards. */
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

const UNSPECIFIED = 'the extents of the result are unspecified';

const upsampled = withTensors('self', (input, bound) => {
  const op = opName(bound.call);
  const result = enlarged(bound, input);
  const bytes = 'bytes = input + result';
  if (result === null)
    return { flops: tapsOf(op) === 1 ? 0 : null, writes: null, formula: bytes, unknown: UNSPECIFIED };
  const each = perResult(op, input, result);
  // Of the nearest elements, only those that are in the result are read.
  const touched = each === 0 && numel(result.shape) < numel(input.shape) ? result : input;
  const formula = `flops = ${each}·E(result); ${bytes}`;
  return { flops: each * numel(result.shape), reads: [touched], writes: [result], formula };
});

/** Each gradient is added to every element that it came from, with its weight. */
const upsampledBackward = withTensors('grad_output', (gradient, bound) => {
  const op = opName(bound.call);
  const size = bound.integers('input_size');
  const input = size === null ? bound.outs[0] : tensor(size, gradient.dtype);
  const [taps, rank] = [tapsOf(op), rankInName(op)];
  const bytes = 'bytes = gradient + gradient of the input';
  if (input === undefined) {
    const flops = isSmoothed(op) ? null : (taps === 1 ? 1 : 2 * taps ** rank) * numel(gradient.shape);
    return { flops, writes: null, formula: bytes, unknown: 'the extents of the input are unspecified' };
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
  /** Input elements per result. */
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
  // Scale and shift of each coordinate, its whole part and the rest; the weights are products of the rests.
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

/** The function in Python, whatever its mode. */
const INTERPOLATE = 'interpolate';

export const interpolation: Family = {
  id: 'interpolation',
  title: 'Interpolation, grid sampling, patches',
  ops: [...Object.keys(RULES), INTERPOLATE],
  formulas: [
    'upsample: flops = (2k − 1)·lines·E(result), k values in each dimension, interpolated line by line (bilinear 9, trilinear 21, bicubic 35; nearest 0); bytes = input + result',
    'upsample backward: flops = 2·k^d·E(gradient) (nearest 1); bytes = gradient + gradient of the input',
    'grid_sampler: flops = 2·k^d·E(result) + the points and their weights; bytes = input + grid + result',
    'im2col, pixel_shuffle: flops = 0; col2im: flops = E(columns); bytes = input + result',
  ],
  work: (call, kernel) => {
    const dispatched = opName(call) === INTERPOLATE ? interpolationCall(call, kernel) : call;
    return dispatched === null ? null : ruleWork(RULES, dispatched, kernel, SOURCE);
  },
};
