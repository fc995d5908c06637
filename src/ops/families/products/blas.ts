/**
 * Matrix products: linear layers, mm, bmm, matmul and similar ops.
 *
 * A product of m×k by k×n is m·n·k multiply-adds, 2·m·n·k FLOPs; its two gradients are products of the same three extents,
 * so each costs the same. Bytes: both operands read once, the result written once.
 */
import { dispatcherNames, entryOf, named, type ByName } from '../../by-name.js';
import { argumentValue, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Param, KernelRole } from '../../family.js';
import { isDispatched } from '../../schema/dispatched.js';
import { ruleWork, type OpRules } from '../../schema/op-rules.js';
import { tensorOf, tensorsAmong } from '../../operands.js';
import { dtypeParams, productWork, shapeParams, workUnlessHelper, type ProductCost } from '../../product.js';
import { showShape } from '../../work.js';
import { CUSTOM_PRODUCTS } from './custom-products.js';
import { CONTRACTIONS } from './einsum.js';
import {
  GROUPED_PRODUCTS,
  gemmParams,
  gemmExtents,
  broadcastsTo,
  ATEN_PRODUCTS,
  PRODUCT_SOURCE,
  SPARSE_PRODUCTS,
} from './products.js';

/**
 * The call's tensors in the order of `names`: each by any of its keywords, else the next positional tensor. Numbers between
 * them are skipped, as in the old form addmm(beta, C, alpha, A, B). Null when one is missing.
 */
function operands(call: OpCall, ...names: readonly (readonly string[])[]): Tensor[] | null {
  const queue = tensorsAmong(positional(call));
  const found: Tensor[] = [];
  let next = 0;
  for (const keys of names) {
    const named = call.args.find(({ name }) => keys.includes(name));
    const operand = named === undefined ? queue[next++] : tensorOf(named);
    if (operand === undefined || operand === null) return null;
    found.push(operand);
  }
  return found;
}

/** GEMM, or GEMV when an operand is a vector, with column-major M, N, K as in BLAS. */
function gemm(a: Tensor, b: Tensor, c?: { readonly given: Tensor; readonly unread: boolean }): ProductCost | null {
  const e = gemmExtents(a.shape, b.shape);
  if (e === null) return null;
  const batches = numel(e.batch);
  return {
    flops: 2 * batches * e.m * e.n * e.k,
    reads: [a, b],
    writes: [{ shape: e.result, dtype: a.dtype }],
    params: [...gemmParams(e), ...dtypeParams(a, b)],
    formula:
      `flops = 2·${e.batch.length > 0 ? 'b·' : ''}m·n·k` +
      `${c === undefined ? '' : ' (adding C, alpha and beta not counted)'}, bytes = |A| + |B| + |A·B|`,
    source: PRODUCT_SOURCE,
    matmul: e.m > 1 || e.n > 1 || a.shape.length > 1 || b.shape.length > 1,
    ...(c === undefined ? {} : { addend: { ...c, shape: c.given.shape, fused: true, symbol: 'C' } }),
  };
}

const ranks = (tensors: readonly Tensor[], ...expected: readonly number[]): boolean =>
  tensors.every(({ shape }, i) => shape.length === expected[i]);

const LEFT = ['self', 'input', 'mat1', 'batch1'] as const;
const RIGHT = ['mat2', 'other', 'tensor2', 'batch2', 'vec', 'vec2', 'tensor'] as const;
const ADDEND = ['self', 'input'] as const;

/** A·B with operands of exactly these ranks. */
function plain(leftRank: number, rightRank: number): (call: OpCall) => ProductCost | null {
  return (call) => {
    const [a, b] = operands(call, LEFT, RIGHT) ?? [];
    return a === undefined || b === undefined || !ranks([a, b], leftRank, rightRank) ? null : gemm(a, b);
  };
}

/** C + A·B with factors of exactly these ranks; C is any tensor that broadcasts to the result. */
function withAddend(leftRank: number, rightRank: number): (call: OpCall) => ProductCost | null {
  return (call) => {
    const [c, a, b] = operands(call, ADDEND, ['mat1', 'batch1', 'mat', 'tensor1'], RIGHT) ?? [];
    if (c === undefined || a === undefined || b === undefined || !ranks([a, b], leftRank, rightRank)) return null;
    const found = gemm(a, b, { given: c, unread: argumentValue(call, 'beta', -1) === 0 });
    return found !== null && broadcastsTo(c.shape, found.writes[0].shape) ? found : null;
  };
}

/** C + Σ A[i]·B[i]: the products of a batch summed into one matrix. */
function addbmm(call: OpCall): ProductCost | null {
  const batched = withAddend(3, 3)(call);
  if (batched === null) return null;
  const [{ shape, dtype }] = batched.writes;
  return {
    ...batched,
    writes: [{ shape: shape.slice(1), dtype }],
    formula: 'flops = 2·b·m·n·k (adding C not counted), bytes = |A| + |B| + |ΣA·B|',
  };
}

/** matmul of any ranks; the params show the operands, because M, N, K do not show how batches broadcast. */
function matmul(call: OpCall): ProductCost | null {
  const [a, b] = operands(call, LEFT, RIGHT) ?? [];
  const found = a === undefined || b === undefined ? null : gemm(a, b);
  if (a === undefined || b === undefined || found === null) return null;
  const params = shapeParams({ A: a, B: b });
  return { ...found, params };
}

type Letter = 'm' | 'n' | 'k';

const FORWARD_ORDER = Object.entries({ M: 'm', N: 'n', K: 'k' } as const);

/** M, N, K of a linear layer's product in column-major order: y = x·Wᵀ, dx = dy·W, dW = dyᵀ·x. */
const LINEAR_ORDERS: Readonly<Record<KernelRole, readonly (readonly [key: string, extent: Letter])[]>> = {
  main: FORWARD_ORDER,
  dgrad: Object.entries({ M: 'k', N: 'n', K: 'm' } as const),
  wgrad: Object.entries({ M: 'k', N: 'm', K: 'n' } as const),
  bias: FORWARD_ORDER.slice(0, 2),
  helper: FORWARD_ORDER,
  trial: FORWARD_ORDER,
};

/** The params are the operands' extents when it is unknown which product a backward kernel computes. */
function linearParams(extents: Readonly<Record<Letter, string | number>>, x: Tensor, w: Tensor) {
  return (role: KernelRole, { dir }: KernelFacts): readonly Param[] => {
    const isUndetermined = role === 'main' && dir === 'bprop';
    return isUndetermined
      ? shapeParams({ X: x, W: w })
      : [...LINEAR_ORDERS[role].map(([key, extent]): Param => [key, extents[extent]]), ...dtypeParams(x, w)];
  };
}

const INPUT = ['input', 'self'];
const WEIGHT = ['weight'];
const BIAS = ['bias'];

/** y = x·Wᵀ + b with x [..., k], W [m, k], b [m]. */
function linear(call: OpCall): ProductCost | null {
  const [x, w, bias = null] = operands(call, INPUT, WEIGHT, BIAS) ?? operands(call, INPUT, WEIGHT) ?? [];
  const [m, k] = w?.shape ?? [];
  if (x === undefined || w?.shape.length !== 2 || m === undefined || k === undefined || x.shape.at(-1) !== k)
    return null;
  const rows = x.shape.slice(0, -1);
  if (bias !== null && (bias.shape.length !== 1 || bias.shape[0] !== m)) return null;
  return {
    flops: 2 * m * numel(rows) * k,
    reads: [x, w],
    writes: [{ shape: [...rows, m], dtype: x.dtype }],
    params: [],
    paramsOf: linearParams({ m, n: rows.length === 1 ? numel(rows) : showShape(rows), k }, x, w),
    formula: 'flops = 2·m·n·k (bias not counted), bytes = |x| + |W| + |y|',
    source: PRODUCT_SOURCE,
    matmul: true,
    addend: { given: bias, shape: [m], fused: false, symbol: 'b', label: 'bias' },
  };
}

const READERS: ByName<(call: OpCall) => ProductCost | null> = {
  linear,
  ...named('mm', plain(2, 2)),
  ...named('bmm', plain(3, 3)),
  ...named('mv', plain(2, 1)),
  ...named('dot vdot', plain(1, 1)),
  ...named('matmul __matmul__', matmul),
  ...named('addmm addmm_', withAddend(2, 2)),
  ...named('baddbmm baddbmm_', withAddend(3, 3)),
  ...named('addbmm addbmm_', addbmm),
  ...named('addmv addmv_', withAddend(2, 1)),
};

const DISPATCHED: OpRules = {
  ...ATEN_PRODUCTS,
  ...SPARSE_PRODUCTS,
  ...GROUPED_PRODUCTS,
  ...CONTRACTIONS,
  ...CUSTOM_PRODUCTS,
};

export const blas: Family = {
  id: 'blas',
  title: 'Matrix products: linear layers, mm, bmm, matmul, scaled, grouped and quantized ones, contractions',
  category: 'gemm',
  ops: [
    ...Object.keys(READERS),
    ...dispatcherNames(Object.keys(DISPATCHED).filter((op) => !Object.hasOwn(READERS, op))),
  ],
  formulas: [
    'flops = 2·b·m·n·k, forward, input gradient and weight gradient each; b = product of the batch dimensions',
    'bytes = operands read (A, B, C unless beta is 0, scales, bias) + result written; gradients: |A| + |B| + |A·B|; a broadcast operand is read once',
    '`--convention pyprof`: Python calls are counted without C and bias',
    'contraction (einsum, tensordot): flops = 2·Π(sizes of all indices), 1·Π if no index is summed',
    'grouped: flops = 2·m·n·k with the total rows of all groups; each weight read once',
    'bias kernel: flops = |out|, bytes = 2·|out| + |bias| forward, |out| + |bias| backward',
  ],
  work(call: OpCall, kernel: KernelFacts) {
    if (isDispatched(call)) {
      const whole = ruleWork(DISPATCHED, call, kernel, PRODUCT_SOURCE);
      return whole === null ? null : workUnlessHelper(whole, kernel);
    }
    const found = entryOf(READERS, call)?.(call) ?? null;
    return found === null ? null : productWork(found, kernel);
  },
};
