/**
 * Contractions, from their ops' arguments: einsum, tensordot, inner, trilinear and bilinear products, and outer products.
 * They are sums of products over named indices; the simplest one is a matrix product.
 *
 * For two operands whose indices together have E combinations, it takes E multiply-adds if an index is summed, otherwise E
 * multiplications. More operands are contracted pairwise, from left to right.
 */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type RuleCost } from '../../schema/op-rules.js';
import type { OpCost } from '../../family.js';
import { resolveDimension, integers } from '../../operands.js';
import { tensorListParams, tensor } from '../../work.js';
import { writesOr } from './products.js';
import { elementAt } from '../../../containers/element.js';

/** A tensor, and the name of the index of each dimension. */
interface Indexed {
  readonly indices: readonly string[];
  readonly tensor: Tensor;
}

interface Contracted {
  readonly flops: number;
  readonly result: Tensor;
  /** Whether an index is summed over the product of two operands, which a matrix unit can do. */
  readonly matmul: boolean;
}

/** Extent of every index; null when two operands disagree. Extents of 1 broadcast. */
function extentsOf(operands: readonly Indexed[]): Map<string, number> | null {
  const extents = new Map<string, number>();
  for (const { indices, tensor: operand } of operands) {
    for (const [at, index] of indices.entries()) {
      const extent = operand.shape[at] ?? 1;
      const known = extents.get(index) ?? 1;
      if (known !== 1 && extent !== 1 && known !== extent) return null;
      extents.set(index, known === 1 ? extent : known);
    }
  }
  return extents;
}

const size = (indices: Iterable<string>, extents: ReadonlyMap<string, number>): number =>
  numel([...indices].map((index) => extents.get(index) ?? 1));

/**
 * The contraction of all operands to the kept indices.
 * @param kept indices of the result, in order
 * @returns null when an operand's rank differs from its number of indices, or extents disagree
 */
function contract(operands: readonly Indexed[], kept: readonly string[]): Contracted | null {
  const [first, ...rest] = operands;
  if (first === undefined || operands.some(({ indices, tensor: t }) => indices.length !== t.shape.length)) return null;
  const extents = extentsOf(operands);
  if (extents === null) return null;
  let left = new Set(first.indices);
  let flops = rest.length === 0 && [...left].some((index) => !kept.includes(index)) ? size(left, extents) : 0;
  let matmul = false;
  for (const [at, { indices }] of rest.entries()) {
    const later = new Set([...kept, ...rest.slice(at + 1).flatMap((operand) => operand.indices)]);
    const met = new Set([...left, ...indices]);
    const summed = [...met].some((index) => !later.has(index));
    flops += (summed ? 2 : 1) * size(met, extents);
    matmul ||= summed;
    left = new Set([...met].filter((index) => later.has(index)));
  }
  const shape = kept.map((index) => extents.get(index) ?? 1);
  return { flops, matmul, result: tensor(shape, first.tensor.dtype) };
}

const SOURCE = '2 per multiply-add, for every combination of indices';
const FORMULA = 'flops = 2·Π(sizes of all indices), 1·Π if no index is summed; bytes = operands read + result written';

const unspecified = (operands: readonly Tensor[], unknown: string): OpCost => ({
  flops: null,
  writes: null,
  params: tensorListParams(operands),
  matmul: true,
  formula: FORMULA,
  source: SOURCE,
  unknown,
});

function contracted(operands: readonly Indexed[], kept: readonly string[]): OpCost | null {
  const found = contract(operands, kept);
  if (found === null) return null;
  const { flops, matmul, result } = found;
  const reads = operands.map(({ tensor }) => tensor);
  const params = tensorListParams(reads);
  return {
    flops,
    reads,
    writes: [result],
    params,
    matmul,
    severalProducts: operands.length > 2,
    formula: FORMULA,
    source: SOURCE,
  };
}

/** Names of the dimensions of a tensor, numbered from 0. */
const numbered = (letter: string, { shape }: Tensor): string[] => shape.map((_, at) => `${letter}${String(at)}`);

const letters = (term: string): string[] => term.match(/[A-Za-z]/g) ?? [];

/** Indices of one operand: its letters, and those of `...` numbered from the last. */
function indicesOf(term: string, rank: number): string[] | null {
  const [before = '', after = '', ...more] = term.split('...');
  if (more.length > 0 || !/^[A-Za-z]*$/.test(before + after)) return null;
  const dots = term.includes('...') ? rank - before.length - after.length : 0;
  if (dots < 0) return null;
  const covered = Array.from({ length: dots }, (_, i) => `…${String(dots - i)}`);
  return [...letters(before), ...covered, ...letters(after)];
}

/** Indices of the result for an equation without `->`: those of `...`, then letters that occur once, sorted. */
function implied(operands: readonly Indexed[]): string[] {
  const all = operands.flatMap(({ indices }) => indices);
  const dots = [...new Set(all.filter((index) => index.startsWith('…')))].sort((a, b) => (a < b ? 1 : -1));
  const once = all.filter((index) => !index.startsWith('…') && all.indexOf(index) === all.lastIndexOf(index));
  return [...dots, ...once.sort()];
}

/** An equation such as `bij,bjk->bik` on a tensor list. */
const einsum: RuleCost = (bound) => {
  const [operands, equation] = [bound.tensors('operands'), bound.value('equation')];
  if (operands.length === 0) return null;
  if (typeof equation !== 'string') return unspecified(operands, 'the equation is unspecified');
  const [left = '', right, ...more] = equation.replace(/\s/g, '').split('->');
  const terms = left.split(',');
  if (more.length > 0 || terms.length !== operands.length) return null;
  const indexed: Indexed[] = [];
  for (const [at, tensor] of operands.entries()) {
    const indices = indicesOf(elementAt(terms, at), tensor.shape.length);
    if (indices === null) return null;
    indexed.push({ indices, tensor });
  }
  const dots = implied(indexed).filter((index) => index.startsWith('…'));
  const kept = right === undefined ? implied(indexed) : indicesOf(right.replace('...', ''), right.length);
  if (kept === null) return null;
  return contracted(indexed, right?.includes('...') === true ? [...dots, ...kept] : kept);
};

/** Resolves dimensions of a tensor of that rank; null when one is out of range. */
function dimensions(dims: readonly number[], rank: number): number[] | null {
  const found = dims.map((dim) => resolveDimension(dim, rank)).filter((dim) => dim !== null);
  return found.length === dims.length ? found : null;
}

/** Sum over pairs of dimensions, one from each tensor. */
const tensordot = withTensors('a b', (a, b, bound) => {
  const [given, others] = [bound.value('dims_a'), bound.value('dims_b')];
  if (given === undefined || others === undefined) return unspecified([a, b], 'the summed dimensions are unspecified');
  const [summed, opposite] = [integers(given), integers(others)];
  const dimsA = summed === null ? null : dimensions(summed, a.shape.length);
  const dimsB = opposite === null ? null : dimensions(opposite, b.shape.length);
  if (dimsA === null || dimsB?.length !== dimsA.length) return null;
  const left = numbered('a', a);
  const right = numbered('b', b).map((name, at) => {
    const pair = dimsB.indexOf(at);
    return pair < 0 ? name : elementAt(left, elementAt(dimsA, pair));
  });
  const kept = [...left.filter((name) => !right.includes(name)), ...right.filter((name) => !left.includes(name))];
  const operands = [
    { indices: left, tensor: a },
    { indices: right, tensor: b },
  ];
  return contracted(operands, kept);
});

/** Sum over the last dimension of both: each row of one tensor by each row of the other. */
const inner = withTensors('a b', (a, b) => {
  if (a.shape.at(-1) !== b.shape.at(-1) || a.shape.length === 0) return null;
  const [left, right] = [numbered('a', a).slice(0, -1), numbered('b', b).slice(0, -1)];
  const [x, y] = [
    { indices: [...left, 'k'], tensor: a },
    { indices: [...right, 'k'], tensor: b },
  ];
  return contracted([x, y], [...left, ...right]);
});

/** Indices of a tensor that is expanded at the given dimensions of the common ones. */
function expanded(tensor: Tensor | undefined, at: unknown, rank: number): Indexed | null {
  const dims = Array.isArray(at) ? (at as readonly unknown[]) : null;
  if (tensor === undefined || dims === null) return null;
  const indices = Array.from({ length: rank }, (_, dim) => dim).filter((dim) => !dims.includes(dim));
  return indices.length === tensor.shape.length ? { indices: indices.map(String), tensor } : null;
}

/** Three tensors are multiplied over common dimensions, and some of these are summed: bilinear layers. */
const trilinear = withTensors('a b c', (a, b, c, bound) => {
  const all = [a, b, c];
  const [summed, firstAt] = [bound.value('sum'), bound.value('expand_a')];
  if (summed === undefined || firstAt === undefined) return unspecified(all, 'the summed dimensions are unspecified');
  const sums = integers(summed);
  const rank = a.shape.length + (Array.isArray(firstAt) ? firstAt.length : 0);
  const operands = ['a', 'b', 'c'].map((name, i) => expanded(all[i], bound.value(`expand_${name}`), rank));
  const found = operands.filter((operand) => operand !== null);
  if (found.length !== 3 || sums === null) return null;
  const kept = Array.from({ length: rank }, (_, dim) => dim).filter((dim) => !sums.includes(dim));
  return contracted(found, kept.map(String));
});

/** x·W·y + b for each row of x and y, for each output; W is [out, in1, in2]. */
const bilinear = withTensors('x w y', (x, w, y) => {
  if (x.shape.length === 0) return null;
  const rows = numbered('r', x).slice(0, -1);
  const indices = [
    [...rows, 'i'],
    ['o', 'i', 'j'],
    [...rows, 'j'],
  ];
  const operands = [x, w, y].map((tensor, at) => ({ indices: elementAt(indices, at), tensor }));
  return contracted(operands, [...rows, 'o']);
});

/** u·vᵀ: a multiplication for every pair, and an addition when it is added to a matrix. */
const outer = withTensors('u v', (u, v, bound) => {
  if (u.shape.length !== 1 || v.shape.length !== 1) return null;
  const shape = [extentAt(u, 0), extentAt(v, 0)];
  const added = bound.tensor('c') !== null;
  return {
    flops: (added ? 2 : 1) * numel(shape),
    writes: writesOr(bound, { shape, dtype: u.dtype }),
    params: tensorListParams([u, v]),
    formula: `flops = ${added ? '2·m·n, a multiply-add' : 'm·n, a multiplication'} for every pair; bytes = operands read + result written`,
    source: SOURCE,
  };
});

export const CONTRACTIONS = rules`
  ${einsum} einsum: equation @operands[] path | equation @operands[]
  ${tensordot} tensordot: @a @b dims_a dims_b
  ${inner} inner: @a @b
  ${trilinear} _trilinear: @a @b @c expand_a expand_b expand_c sum unroll
  ${bilinear} bilinear: @x @y @w @bias?
  ${outer} outer ger: @u @v
  ${outer} addr: @c @u @v beta alpha
  ${outer} addr_: @!c @u @v beta alpha
`;
