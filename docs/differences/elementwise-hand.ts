/**
 * The answers to the probes of elementwise ops, reductions, normalisations and memory movement, worked out a second time
 * by formulas written apart from src/ops.
 */
import type { Cells, Probe } from './probe.js';

const SIZE: Readonly<Record<string, number>> = {
  float32: 4,
  float16: 2,
  bfloat16: 2,
  bool: 1,
  int64: 8,
  int: 4,
  float: 4,
};
const SHORT: Readonly<Record<string, string>> = {
  float32: 'fp32',
  float16: 'fp16',
  bfloat16: 'bf16',
  int: 'int32',
  float: 'fp32',
};

interface Operand {
  readonly shape: readonly number[];
  /** Elements. */
  readonly n: number;
  /** Bytes an element. */
  readonly size: number;
  readonly bytes: number;
  readonly short: string;
}

function operand(shape: readonly number[], type: string): Operand {
  const n = shape.reduce((a, b) => a * b, 1);
  const size = SIZE[type] ?? NaN;
  return { shape, n, size, bytes: n * size, short: SHORT[type] ?? type };
}

/** The tensors of a probe; where it has none, its first number, which stands for a tensor without dimensions. */
export function operands({ call }: Probe): Operand[] {
  const found = call.args.filter((arg) => arg.type === 'tensor');
  if (found.length > 0) return found.map(({ shape = [], dtype = '' }) => operand(shape, dtype));
  return call.args.slice(0, 1).map(({ type }) => operand([1], type));
}

const python = (shape: readonly number[]): string =>
  shape.length === 1 ? `(${String(shape[0])},)` : `(${shape.join(',')})`;

const total = (list: readonly Operand[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0);

interface Sum {
  readonly all: readonly Operand[];
  readonly x: Operand;
  /** Result of a pointwise op: the largest extents, the largest elements. */
  readonly n: number;
  readonly bytes: number;
  readonly backward: boolean;
  /** Value of the argument at a position. */
  readonly at: (position: number) => unknown;
}

/** FLOPs and bytes. */
type Answer = readonly [flops: number, bytes: number];

/** One operation per result element; backward reads the gradient and what was saved. */
const saved = ({ all, n, bytes, backward }: Sum): Answer => [n, backward ? total(all) + 2 * bytes : total(all) + bytes];
const truth = ({ all, n, x }: Sum): Answer => [n, total(all) + n * (x.short === 'bool' ? x.size : 1)];

function sum({ all, n, bytes, backward, at }: Sum): Answer {
  const factor = all.length === 2 && typeof at(1) === 'number' ? 2 : 1;
  if (!backward) return [factor * n, total(all) + bytes];
  const reduced = all.filter((one) => one.n < n);
  return [reduced.length * n, bytes + (reduced.length > 0 ? total(reduced) : bytes)];
}

const product = ({ all, n, bytes, backward }: Sum): Answer => [n, backward ? 3 * bytes : total(all) + bytes];
const unchanged = ({ x }: Sum): Answer => [0, 2 * x.bytes];
const filled = (): Answer => [0, 3 * 4 * 4];
const batchNormalised = ({ x, backward }: Sum): Answer => [8 * x.n, (backward ? 3 : 2) * x.bytes];
/** With a mean and a deviation of 4 bytes for each of so many rows or groups. */
const normalised =
  (flops: number, count: number) =>
  ({ x }: Sum): Answer => [flops * x.n, 2 * x.bytes + count * 2 * 4];
const softmaxBytes = ({ x, backward }: Sum): number => (backward ? 3 : 2) * x.bytes;
const masked = ({ x, all }: Sum): Answer => [0, 2 * x.bytes + (all[1]?.bytes ?? NaN)];

/** A reduction of the probes is over everything, but for `torch.sum(x, 1)` of 64 × 64. */
function reduced(forward: (n: number) => number, backward: (n: number) => number, rereads: boolean) {
  return ({ x, at, backward: isBackward }: Sum): Answer => {
    const results = at(1) === 1 ? 64 : 1;
    const passes = isBackward && rereads ? 2 : 1;
    return [isBackward ? backward(x.n) : forward(x.n), passes * (x.bytes + results * x.size)];
  };
}

/** Picked elements: copied forward, added backward. */
const picked = (n: number, size: number, indices: number, backward: boolean): Answer =>
  backward ? [n, 3 * n * size + 8 * indices] : [0, 2 * n * size + 8 * indices];

const FORMULAS: Readonly<Record<string, (sum: Sum) => Answer>> = {
  add: sum,
  add_: sum,
  __radd__: sum,
  mul: product,
  exp: saved,
  tanh: saved,
  sigmoid: saved,
  pow: saved,
  clamp: saved,
  sqrt: saved,
  erf: saved,
  digamma: saved,
  atan2: saved,
  __gt__: truth,
  __eq__: truth,
  __and__: truth,
  // a + w·(b − a): a difference, a product, a sum; the gradient times w
  lerp: ({ all, n, bytes, backward }) => (backward ? [n, 2 * bytes] : [3 * n, total(all) + bytes]),
  round: ({ n, bytes, backward }) => (backward ? [0, bytes] : [n, 2 * bytes]),
  relu: ({ x }) => [x.n, 2 * x.bytes],
  gelu: ({ x }) => [x.n, 2 * x.bytes],
  silu: ({ x }) => [x.n, 2 * x.bytes],
  hardswish: ({ x }) => [x.n, 2 * x.bytes],
  prelu: ({ x, all }) => [x.n, 2 * x.bytes + (all[1]?.bytes ?? NaN)],
  // half of the elements, a sigmoid and a product each
  glu: ({ x }) => [(2 * x.n) / 2, x.bytes + x.bytes / 2],
  to: unchanged,
  long: ({ x }) => [0, x.bytes + 8 * x.n],
  // The probe's kernel is the elementwise one, which backward makes the products of gradient and result
  softmax: (sum) => [sum.backward ? sum.x.n : 5 * sum.x.n, softmaxBytes(sum)],
  log_softmax: (sum) => [(sum.backward ? 4 : 5) * sum.x.n, softmaxBytes(sum)],
  batch_norm: batchNormalised,
  layer_norm: normalised(4, 8 * 128),
  group_norm: normalised(5, 8 * 32),
  // 28 × 28 windows of 2 × 2 in each of 8 · 64 planes; values of 4 bytes and positions of 8
  max_pool2d: ({ x }) => [8 * 64 * 28 * 28 * 4, x.bytes + 8 * 64 * 28 * 28 * 12],
  sum: reduced(
    (n) => n,
    () => 0,
    false,
  ),
  mean: reduced(
    (n) => n + 1,
    (n) => n,
    false,
  ),
  norm: reduced(
    (n) => 2 * n + 1,
    (n) => n + 1,
    true,
  ),
  any: ({ x }) => [x.n, x.bytes + 1],
  // A mask of one byte per element beside input and result
  dropout: ({ x, backward }) => [(backward ? 2 : 5) * x.n, 2 * x.bytes + x.n],
  // The probe's kernel is the elementwise one, which zeroes the gradient of the table
  embedding: ({ all }) => [0, all[1]?.bytes ?? NaN],
  cat: ({ all, x }) => [0, total(all) + x.size * all.reduce((n, one) => n + one.n, 0)],
  gather: ({ x, all, backward }) => picked(all[1]?.n ?? NaN, x.size, all[1]?.n ?? NaN, backward),
  // 9 slices of 64
  index_select: ({ x, backward }) => picked(9 * 64, x.size, 9, backward),
  masked_select: masked,
  masked_scatter_: masked,
  reshape: unchanged,
  // scale 1, moments 3 and 4, root and epsilon 2, step 3; six passes of fp32, two of fp16
  adam: ({ x }) => [(1 + 3 + 4 + 2 + 3) * x.n, (6 * 4 + 2 * 2) * x.n],
  zeros: filled,
  full: filled,
  copy_: ({ all }) => [0, total(all)],
};

/** Ops whose params name all operands. */
const LISTED = /^(add_?|__radd__|mul|__\w+__|lerp|atan2|cat)$/;
const TARGETS: Readonly<Record<string, string>> = { to: 'fp32', float: 'fp32', long: 'int64', copy_: 'fp32' };

/** `T=(64,64),fp32,`; ops on several operands `T=[(64,64),(64,64)],fp32,fp16,`. */
export function paramsByHand(probe: Probe): string {
  const { op } = probe.call;
  if (/^(ones|zeros|full)$/.test(op)) return 'T=(3,4),fp32,';
  const all = operands(probe);
  if (LISTED.test(op)) {
    const types = [...new Set(all.map(({ short }) => short))];
    return `T=[${all.map(({ shape }) => python(shape)).join(',')}],${types.join(',')},`;
  }
  const [x] = all;
  const target = TARGETS[op] === undefined ? '' : `${TARGETS[op]},`;
  return x === undefined ? '' : `T=${python(x.shape)},${x.short},${target}`;
}

/** What the cells of a probe must be; {} for an op of another part. */
export function elementwiseByHand(probe: Probe): Partial<Cells> {
  const { op, args } = probe.call;
  const all = operands(probe);
  const x = all[0] ?? operand([], 'float');
  const rank = Math.max(...all.map(({ shape }) => shape.length));
  const extents = Array.from({ length: rank }, (_, i) => Math.max(...all.map(({ shape }) => shape[i] ?? 1)));
  const n = extents.reduce((a, b) => a * b, 1);
  const bytes = n * Math.max(...all.map(({ size }) => size));
  const at = (position: number): unknown => args[position]?.value;
  const answer = FORMULAS[op]?.({ all, x, n, bytes, backward: probe.kernel.dir === 'bprop', at });
  if (answer === undefined) return {};
  return { flops: answer[0], bytes: answer[1], tc: '-', params: paramsByHand(probe) };
}
