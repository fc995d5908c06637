/**
 * Shapes of matrix products for the benchmarks of BLAS libraries. BLAS is column-major: its first factor is the framework's
 * second one, its M the framework's columns. Layout: `T` for a factor that BLAS transposes, first factor first.
 *
 * Options of hipblaslt-bench: hipBLASLt's clients/benchmarks/client.cpp; of rocblas-bench: rocBLAS's client of that name.
 */
import { numel, type Tensor } from '../../ops/call.js';
import { opName, tensorOf } from '../../ops/operands.js';
import { boundRow } from '../../ops/schema/op-rules.js';
import type { BoundArguments } from '../../ops/schema/binding.js';
import { ATEN_PRODUCTS, gemmExtents, resultType } from '../../ops/families/products/products.js';
import type { Arg, OpCall } from '../../record/record.js';
import { contiguous } from './product-layout.js';
import { pythonComment } from './python-value.js';
import type { Reproduction } from './reproduction.js';
import type { ReproducedOp } from './reproductions.js';

/** A matrix product in terms of BLAS: extents and leading dimensions in elements. */
export interface GemmShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  /** Whether each factor is transposed. */
  readonly transA: boolean;
  readonly transB: boolean;
  readonly lda: number;
  readonly ldb: number;
  /** Distance between the matrices of a batch in elements; 0 for a factor that all products share. */
  readonly strideA: number;
  readonly strideB: number;
  /** Names of element types. */
  readonly a: string;
  readonly b: string;
  readonly d: string;
  /** Whether a vector is added to each row of the framework's result. */
  readonly bias: boolean;
  /** Factor of an added matrix. */
  readonly beta: number;
  /** Type of the arithmetic, where the kernel rounds FP32 operands: `tf32`. */
  readonly arithmetic: string | null;
}

/** A factor as a batch of matrices in memory. */
interface Stored {
  readonly transposed: boolean;
  readonly leading: number;
  readonly distance: number;
}

/**
 * How the last two dimensions of a factor lie in memory; null for a layout that BLAS cannot read. The first one of the two
 * is BLAS's column.
 */
function stored(arg: Arg, shape: readonly number[]): Stored | null {
  const strides = arg.strides ?? contiguous(shape);
  const [rows = 1, columns = 1] = shape.slice(-2);
  const [row = columns, column = 1] = strides.slice(-2);
  const distance = shape.length > 2 ? (strides.at(-3) ?? 0) : 0;
  if (column === 1 || columns === 1) return { transposed: false, leading: Math.max(row, columns), distance };
  if (row === 1 || rows === 1) return { transposed: true, leading: Math.max(column, rows), distance };
  return null;
}

/** The same factor with its last two dimensions exchanged. */
const flipped = ({ transposed, leading, distance }: Stored): Stored => ({ transposed: !transposed, leading, distance });

/** A factor of more than two dimensions whose rows follow each other in memory, as one matrix. */
function folded(arg: Arg, tensor: Tensor): { readonly arg: Arg; readonly shape: readonly number[] } | null {
  const { shape } = tensor;
  if (shape.length <= 2) return { arg, shape };
  const k = shape.at(-1) ?? 1;
  const isContiguous = arg.strides === undefined || String(arg.strides) === String(contiguous(shape));
  return isContiguous ? { arg: { ...arg, strides: [k, 1] }, shape: [numel(shape) / k, k] } : null;
}

/** The two factors, as the product of the framework multiplies them; null for batches that differ. */
function factorsOf(call: OpCall, bound: BoundArguments) {
  const [left, right] = [bound.arg('a'), bound.arg('b')];
  const [a, b] = [tensorOf(left), tensorOf(right)];
  if (left === undefined || right === undefined || a === null || b === null) return null;
  const isRows = /linear$/.test(opName(call));
  const matrix = b.shape.length <= 2 ? folded(left, a) : { arg: left, shape: a.shape };
  if (matrix === null || matrix.shape.length < 2 || b.shape.length < 2) return null;
  const [storedA, storedB] = [stored(matrix.arg, matrix.shape), stored(right, b.shape)];
  if (storedA === null || storedB === null) return null;
  const shapeB = isRows ? [...b.shape].reverse() : b.shape;
  return { a, b, shapeA: matrix.shape, shapeB, storedA, storedB: isRows ? flipped(storedB) : storedB };
}

/** The product of a call; null for a call that one product of BLAS does not compute. */
export function gemmShape({ call, backward }: Reproduction, arithmetic: string | null): GemmShape | null {
  const bound = boundRow(ATEN_PRODUCTS, call)?.bound ?? null;
  const factors = bound === null || backward ? null : factorsOf(call, bound);
  if (bound === null || factors === null) return null;
  const { a, b, shapeA, shapeB, storedA, storedB } = factors;
  const extents = gemmExtents(shapeA, shapeB);
  const batches = [shapeA, shapeB].map((shape) => String(shape.slice(0, -2)));
  if (extents === null || (extents.batch.length > 0 && batches[0] !== batches[1])) return null;
  const addend = bound.tensor('c');
  const isVector = addend !== null && addend.shape.length <= 1;
  return {
    ...{ m: extents.n, n: extents.m, k: extents.k, batch: numel(extents.batch) },
    ...{ transA: storedB.transposed, transB: storedA.transposed },
    ...{ lda: storedB.leading, ldb: storedA.leading, strideA: storedB.distance, strideB: storedA.distance },
    ...{ a: b.dtype, b: a.dtype, d: resultType(bound, a) ?? a.dtype },
    bias: bound.tensor('bias') !== null || isVector,
    beta: addend !== null && !isVector ? (bound.number('beta') ?? 1) : 0,
    arithmetic,
  };
}

/** Whether one product of BLAS computes the call. */
export const isOfProduct = (found: Reproduction): boolean => gemmShape(found, null) !== null;

/** Names of types in AMD's libraries. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ float64: 'f64_r', float32: 'f32_r', float16: 'f16_r', bfloat16: 'bf16_r', int8: 'i8_r', int32: 'i32_r' },
  ...{ float8_e4m3fn: 'f8_r', float8_e5m2: 'bf8_r', float8_e4m3fnuz: 'f8_fnuz_r', float8_e5m2fnuz: 'bf8_fnuz_r' },
};

const typeOf = (dtype: string): string | null => (Object.hasOwn(TYPES, dtype) ? (TYPES[dtype] ?? null) : null);

function computeType({ a, arithmetic }: GemmShape): string {
  if (arithmetic === 'tf32') return 'xf32_r';
  return a === 'float64' ? 'f64_r' : a === 'int8' ? 'i32_r' : 'f32_r';
}

const letter = (transposed: boolean): string => (transposed ? 'T' : 'N');
const layoutOf = ({ transA, transB }: GemmShape): string => letter(transA) + letter(transB);

type OptionValues = readonly (readonly [name: string, value: string | number])[];

/** Options that both programs have: extents, leading dimensions, types. */
function commonOptions(shape: GemmShape, [a, b, d]: readonly string[]): OptionValues {
  const { m, n, k, lda, ldb, strideA, strideB, beta, batch } = shape;
  const batched: OptionValues = [
    ...([['stride_a', strideA], ['stride_b', strideB], ['stride_c', m * n], ['stride_d', m * n]] as const),
    ['batch_count', batch],
  ]; // prettier-ignore
  return [
    ...([['m', m], ['n', n], ['k', k], ['lda', lda], ['ldb', ldb], ['ldc', m], ['ldd', m]] as const),
    ...(batch > 1 ? batched : []),
    ...([['alpha', 1], ['beta', beta], ['a_type', a ?? ''], ['b_type', b ?? '']] as const),
    ...([['c_type', d ?? ''], ['d_type', d ?? ''], ['compute_type', computeType(shape)]] as const),
  ]; // prettier-ignore
}

const written = (options: OptionValues): string =>
  options.map(([name, value]) => `${name.length === 1 ? '-' : '--'}${name} ${value}`).join(' ');

/** Runs before and within the measurement. */
const RUNS = '--cold_iters 10 --iters 50';

/** Command lines of the benchmarks that can do the product: hipblaslt-bench, rocblas-bench. */
function benchLines(shape: GemmShape): string[] {
  const types = [shape.a, shape.b, shape.d].map(typeOf);
  if (types.includes(null)) return [];
  const common = written(commonOptions(shape, types as string[]));
  const [first, second] = [letter(shape.transA), letter(shape.transB)];
  const bias = shape.bias ? ` --bias_vector --bias_type ${types[2] ?? ''}` : '';
  const lt = `hipblaslt-bench --api_method c --transA ${first} --transB ${second} ${common}${bias} ${RUNS}`;
  // rocBLAS multiplies 8-bit floats in another function, and adds no bias.
  if (/^b?f8_/.test(types[0] ?? '')) return [lt];
  const name = shape.batch > 1 ? 'gemm_strided_batched_ex' : 'gemm_ex';
  return [lt, `rocblas-bench -f ${name} --transposeA ${first} --transposeB ${second} ${common} ${RUNS}`];
}

const HEADER = 'M,N,K,batch,layout,type,output,bias,calls,ns,share,op';

/** A product, with the op that it is from. */
export interface ListedShape {
  readonly shape: GemmShape;
  readonly reproduced: ReproducedOp;
}

const typeName = ({ a, b, arithmetic }: GemmShape): string => arithmetic ?? (a === b ? a : `${b}x${a}`);

function csvLine({ shape, reproduced: { found, kernels, callNs, calls, share } }: ListedShape): string {
  const ns = callNs ?? kernels[0]?.ns ?? null;
  const cells = [
    ...[shape.m, shape.n, shape.k, shape.batch, layoutOf(shape), typeName(shape), shape.d, shape.bias ? 1 : 0],
    ...[calls ?? 1, ns === null ? '' : Math.round(ns), share === null ? '' : Number(share.toPrecision(4)), found.name],
  ];
  return cells.join(',');
}

/** Command lines for each product, then a table in CSV. */
export const shapesText = (shapes: readonly ListedShape[]): string =>
  [
    '# M, N and K as in BLAS, which is column-major; layout: T for a factor that BLAS transposes, the first factor first.',
    ...new Set(shapes.flatMap(({ reproduced }) => reproduced.found.remarks.map(pythonComment))),
    ...shapes.flatMap(({ shape }) => benchLines(shape)),
    '',
    HEADER,
    ...shapes.map(csvLine),
    '',
  ].join('\n');
