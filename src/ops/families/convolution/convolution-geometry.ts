/** The geometry of a convolution: extents, stride, padding, dilation, and the resulting output extents. */
import { append, elementAt } from '../../../containers/element.js';
import { numel, type Tensor } from '../../call.js';
import type { ArgValue } from '../../../record/record.js';
import type { Param } from '../../family.js';
import { dtypeParams } from '../../product.js';

/** Extents and settings of a convolution; lists are over the spatial dimensions, outermost first. */
export interface Geometry {
  readonly batch: number;
  readonly channels: number;
  readonly filters: number;
  readonly groups: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  /** Padding of each dimension; 'same' as in the call. */
  readonly padding: readonly (number | 'same')[];
  readonly dilation: readonly number[];
}

/** The value of an argument by name; undefined when the call does not pass it. */
type SettingReader = (name: string) => ArgValue | undefined;

const isWhole = (v: ArgValue | undefined): v is number => typeof v === 'number' && Number.isInteger(v) && v >= 0;

/** One number for all dimensions, or one for each; null for anything else. */
function perDimension(given: ArgValue | undefined, rank: number, missing: number): readonly number[] | null {
  const list = given === undefined ? [missing] : Array.isArray(given) ? (given as readonly ArgValue[]) : [given];
  if (!list.every(isWhole) || (list.length !== 1 && list.length !== rank)) return null;
  return list.length === rank ? list : new Array<number>(rank).fill(list[0] ?? missing);
}

function paddingOf(given: ArgValue | undefined, rank: number): readonly (number | 'same')[] | null {
  if (given === 'same') return new Array<'same'>(rank).fill('same');
  return perDimension(given === 'valid' ? 0 : given, rank, 0);
}

/** Output extent of one dimension; null when the kernel does not fit. */
function positions(geometry: Omit<Geometry, 'output'>, i: number, transposed: boolean, extra: number): number | null {
  const { input, kernel, stride, padding, dilation } = geometry;
  const [size = 0, r = 1, step = 1, pad = 0, spread = 1] = [input[i], kernel[i], stride[i], padding[i], dilation[i]];
  if (pad === 'same') return step === 1 ? size : null;
  const reach = spread * (r - 1) + 1;
  const count = transposed
    ? (size - 1) * step - 2 * pad + reach + extra
    : step === 0
      ? 0
      : Math.floor((size + 2 * pad - reach) / step) + 1;
  return count >= 1 ? count : null;
}

/** Spatial rank of a convolution with this weight, 1 to 3; null when the weight has another rank. */
export function spatialRank(weight: Tensor, expected: number | null = null): 1 | 2 | 3 | null {
  const rank = weight.shape.length - 2;
  if (expected !== null && rank !== expected) return null;
  return rank === 1 || rank === 2 || rank === 3 ? rank : null;
}

/** For x [(N,) C, …] and w [K, C/g, …], or [C, K/g, …] when transposed; null when they do not fit each other. */
export function geometryOf(
  at: SettingReader,
  rank: number,
  x: Tensor,
  w: Tensor,
  transposed: boolean,
): Geometry | null {
  const stride = perDimension(at('stride'), rank, 1);
  const dilation = perDimension(at('dilation'), rank, 1);
  const extra = perDimension(at('output_padding'), rank, 0);
  const padding = paddingOf(at('padding'), rank);
  const groups = at('groups') ?? 1;
  if (stride === null || dilation === null || extra === null || padding === null) return null;
  if (!isWhole(groups) || groups === 0) return null;
  const [batch = 1, channels = 0, ...input] = x.shape.length === rank + 1 ? [1, ...x.shape] : x.shape;
  const [first = 0, second = 0, ...kernel] = w.shape;
  if (input.length !== rank || channels !== (transposed ? first : second * groups)) return null;
  const filters = transposed ? second * groups : first;
  const known = { batch, channels, filters, groups, input, kernel, stride, padding, dilation };
  const output = input.map((_, i) => positions(known, i, transposed, elementAt(extra, i)));
  return output.includes(null) ? null : { ...known, output: output.map(Number) };
}

/** PyProf's letters, outermost dimension first; a conv1d is shown as a conv2d of height 1. */
const LETTERS = {
  input: ['D', 'H', 'W'],
  output: ['Z', 'P', 'Q'],
  kernel: ['T', 'R', 'S'],
  padding: ['pd', 'ph', 'pw'],
  stride: ['sd', 'U', 'V'],
  dilation: ['dd', 'dh', 'dw'],
} as const;

/** Values for dimensions that the convolution does not have. */
const FILL = { input: 1, output: 1, kernel: 1, padding: 0, stride: 1, dilation: 1 } as const;

/** `N=8,C=64,H=56,W=56,K=128,P=56,Q=56,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1,g=1,fp16,` */
export function geometryParams(geometry: Geometry, x: Tensor, w: Tensor): Param[] {
  const params: Param[] = [
    ['N', geometry.batch],
    ['C', geometry.channels],
  ];
  addRow(params, geometry, 'input');
  params.push(['K', geometry.filters]);
  for (const key of ['output', 'kernel', 'padding', 'stride', 'dilation'] as const) addRow(params, geometry, key);
  append(params, [['g', geometry.groups], ...dtypeParams(x, w)]);
  return params;
}

/** Adds a letter for each spatial dimension, at least two. */
function addRow(params: Param[], geometry: Geometry, key: keyof typeof LETTERS): void {
  const values = geometry[key];
  const missing = LETTERS[key].length - values.length;
  for (let i = Math.min(1, missing); i < LETTERS[key].length; i++) {
    params.push([elementAt(LETTERS[key], i), values[i - missing] ?? FILL[key]]);
  }
}

export const CONVOLUTION_SOURCE = 'direct convolution, a multiply-add counted as 2, as in torch.utils.flop_counter';

/** FLOPs of a batch of convolutions: a multiply-add for each position and weight. */
export const convolutionFlops = (batch: number, positionCount: number, w: Tensor): number =>
  2 * batch * positionCount * numel(w.shape);

export const convolutionFormula = (transposed: boolean, read: string): string =>
  `flops = ${transposed ? '2·N·C·prod(in)·(K/g)' : '2·N·K·prod(out)·(C/g)'}·prod(kernel), bytes = ${read} + |y|`;
