/**
 * Convolutions of one to three spatial dimensions, and transposed ones.
 *
 * Every output position takes C/g · prod(kernel) multiply-adds for each of the K channels; in a transposed convolution
 * every input position gives as many to each output channel. Dilation and padding change only the number of positions.
 * The input gradient and the weight gradient take as many again each. Winograd and FFT kernels are given the count of
 * the direct algorithm.
 */
import { numel, value, type Tensor } from '../call.js';
import type { ArgValue, OpCall } from '../../record/record.js';
import type { Family, Param } from '../family.js';
import { opName, tensorAt } from '../operands.js';
import { dtypeParams, productWork, type Product } from '../product.js';

/** Where an op's arguments after the weight stand. */
interface Signature {
  /** Spatial dimensions; null when the weight tells. */
  readonly rank: 1 | 2 | 3 | null;
  readonly transposed: boolean;
  readonly order: readonly string[];
}

const FORWARD = ['input', 'weight', 'bias', 'stride', 'padding', 'dilation', 'groups'];
const TRANSPOSED = ['input', 'weight', 'bias', 'stride', 'padding', 'output_padding', 'groups', 'dilation'];
const GENERAL = ['input', 'weight', 'bias', 'stride', 'padding', 'dilation', 'transposed', 'output_padding', 'groups'];

/** PyTorch's signatures: torch.nn.functional, and the general operator they end in. */
const SIGNATURES: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['conv1d', { rank: 1, transposed: false, order: FORWARD }],
  ['conv2d', { rank: 2, transposed: false, order: FORWARD }],
  ['conv3d', { rank: 3, transposed: false, order: FORWARD }],
  ['conv_transpose1d', { rank: 1, transposed: true, order: TRANSPOSED }],
  ['conv_transpose2d', { rank: 2, transposed: true, order: TRANSPOSED }],
  ['conv_transpose3d', { rank: 3, transposed: true, order: TRANSPOSED }],
  ['convolution', { rank: null, transposed: false, order: GENERAL }],
  ['_convolution', { rank: null, transposed: false, order: GENERAL }],
]);

/** A convolution's numbers; lists run over the spatial dimensions, outermost first. */
interface Geometry {
  readonly batch: number;
  readonly channels: number;
  readonly filters: number;
  readonly groups: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  /** Per dimension; 'same' as in the call. */
  readonly padding: readonly (number | 'same')[];
  readonly dilation: readonly number[];
}

const isWhole = (v: ArgValue | undefined): v is number => typeof v === 'number' && Number.isInteger(v) && v >= 0;

/** One number for all dimensions, or one each; null when it is neither. */
function perDimension(given: ArgValue | undefined, rank: number, missing: number): readonly number[] | null {
  const list = given === undefined ? [missing] : Array.isArray(given) ? (given as readonly ArgValue[]) : [given];
  if (!list.every(isWhole) || (list.length !== 1 && list.length !== rank)) return null;
  return list.length === rank ? list : new Array<number>(rank).fill(list[0] ?? missing);
}

function paddingOf(given: ArgValue | undefined, rank: number): readonly (number | 'same')[] | null {
  if (given === 'same') return new Array<'same'>(rank).fill('same');
  return perDimension(given === 'valid' ? 0 : given, rank, 0);
}

/** Positions along one dimension; null when the kernel does not fit. */
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

/** The call's numbers, or null when its arguments make no convolution. */
function geometryOf(call: OpCall, signature: Signature, x: Tensor, w: Tensor, transposed: boolean): Geometry | null {
  const rank = signature.rank ?? w.shape.length - 2;
  if (rank < 1 || rank > 3 || w.shape.length !== rank + 2) return null;
  const at = (name: string): ArgValue | undefined => {
    const index = signature.order.indexOf(name);
    return index < 0 ? undefined : value(call, name, index);
  };
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
  const output = input.map((_, i) => positions(known, i, transposed, extra[i] ?? 0));
  return output.includes(null) ? null : { ...known, output: output.map(Number) };
}

/** PyProf's letters, outermost dimension first; its conv1d is a conv2d of height 1. */
const LETTERS = {
  input: ['D', 'H', 'W'],
  output: ['Z', 'P', 'Q'],
  kernel: ['T', 'R', 'S'],
  padding: ['pd', 'ph', 'pw'],
  stride: ['sd', 'U', 'V'],
  dilation: ['dd', 'dh', 'dw'],
} as const;

/** What a missing dimension is filled with. */
const FILL = { input: 1, output: 1, kernel: 1, padding: 0, stride: 1, dilation: 1 } as const;

function paramsOf(geometry: Geometry, x: Tensor, w: Tensor): Param[] {
  const params: Param[] = [
    ['N', geometry.batch],
    ['C', geometry.channels],
  ];
  addRow(params, geometry, 'input');
  params.push(['K', geometry.filters]);
  for (const key of ['output', 'kernel', 'padding', 'stride', 'dilation'] as const) addRow(params, geometry, key);
  params.push(['g', geometry.groups], ...dtypeParams(x, w));
  return params;
}

/** Adds a letter for each spatial dimension, two at least. */
function addRow(params: Param[], geometry: Geometry, key: keyof typeof LETTERS): void {
  const values = geometry[key];
  const missing = LETTERS[key].length - values.length;
  for (let i = Math.min(1, missing); i < LETTERS[key].length; i++) {
    params.push([LETTERS[key][i] ?? '', values[i - missing] ?? FILL[key]]);
  }
}

function read(call: OpCall): Product | null {
  const signature = SIGNATURES.get(opName(call));
  const x = tensorAt(call, 'input', 0);
  const w = tensorAt(call, 'weight', 1);
  if (signature === undefined || x === null || w === null) return null;
  const general = signature.rank === null && value(call, 'transposed', signature.order.indexOf('transposed')) === true;
  const transposed = signature.transposed || general;
  const geometry = geometryOf(call, signature, x, w, transposed);
  if (geometry === null) return null;
  const { batch, filters, input, output } = geometry;
  const shape = [...(x.shape.length === geometry.input.length + 1 ? [] : [batch]), filters, ...output];
  const params = paramsOf(geometry, x, w);
  return {
    flops: 2 * batch * numel(transposed ? input : output) * numel(w.shape),
    left: x,
    right: w,
    result: { shape, dtype: x.dtype },
    params: () => params,
    formula: transposed
      ? 'flops = 2·N·C·prod(in)·(K/g)·prod(kernel), bytes = |x| + |W| + |y|'
      : 'flops = 2·N·K·prod(out)·(C/g)·prod(kernel), bytes = |x| + |W| + |y|',
    source: 'direct convolution, a multiply-add counted as 2; torch.utils.flop_counter counts alike',
    matmul: true,
    addend: { given: tensorAt(call, 'bias', 2), shape: [filters], fused: false },
    transposed,
  };
}

export const convolution: Family = {
  id: 'convolution',
  title: 'Convolutions of one to three dimensions, grouped and transposed',
  ops: [...SIGNATURES.keys()],
  formulas: [
    'flops = 2·N·K·prod(out)·(C/g)·prod(kernel); forward, input gradient and weight gradient each',
    'transposed: flops = 2·N·C·prod(in)·(K/g)·prod(kernel), with C input and K output channels',
    'bytes = |x| + |W| + |y|',
    'bias kernel: flops = |y|, bytes = 2·|y| + K forward, |y| + K backward',
  ],
  work(call, kernel) {
    const found = read(call);
    return found === null ? null : productWork(found, kernel);
  },
};
