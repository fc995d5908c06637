/**
 * Contractions by their ops' arguments: einsum, tensordot, inner, trilinear and bilinear products, and outer products.
 */
import type { ByName } from '../../by-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { bind } from '../../schema/binding.js';
import type { Work } from '../../family.js';
import { resolveDimension, integers } from '../../operands.js';
import { tensorListParams, workOf } from '../../work.js';
import { contract, type Indexed } from './contraction.js';
import type { ProductFormula } from './products.js';
import { elementAt } from '../../../containers/element.js';

const SOURCE = 'a multiply-add counted as 2 for every value of all indices together';
const FORMULA = 'flops = 2·Π(extents of all indices), 1· where none is summed; bytes = operands read + result written';

/** The work of an op whose indices are unspecified. */
const unspecified = (operands: readonly Tensor[], unknown: string): Work =>
  workOf({
    flops: null,
    writes: null,
    params: tensorListParams(operands),
    matmul: true,
    formula: FORMULA,
    source: SOURCE,
    unknown,
  });

function contracted(operands: readonly Indexed[], kept: readonly string[]): Work | null {
  const found = contract(operands, kept);
  if (found === null) return null;
  const reads = operands.map(({ tensor }) => tensor);
  return workOf({
    flops: found.flops,
    reads,
    writes: [found.result],
    params: tensorListParams(reads),
    matmul: found.matmul,
    formula: FORMULA,
    source: SOURCE,
  });
}

const letters = (term: string): string[] => term.match(/[A-Za-z]/g) ?? [];

/** Indices of one operand: its letters, those of `...` numbered from the last. */
function indicesOf(term: string, rank: number): string[] | null {
  const [before = '', after = '', ...more] = term.split('...');
  if (more.length > 0 || !/^[A-Za-z]*$/.test(before + after)) return null;
  const dots = term.includes('...') ? rank - before.length - after.length : 0;
  if (dots < 0) return null;
  const covered = Array.from({ length: dots }, (_, i) => `…${String(dots - i)}`);
  return [...letters(before), ...covered, ...letters(after)];
}

/** Indices of the result of an equation without `->`: those of `...`, then letters that occur once, sorted. */
function implied(operands: readonly Indexed[]): string[] {
  const all = operands.flatMap(({ indices }) => indices);
  const dots = [...new Set(all.filter((index) => index.startsWith('…')))].sort((a, b) => (a < b ? 1 : -1));
  const once = all.filter((index) => !index.startsWith('…') && all.indexOf(index) === all.lastIndexOf(index));
  return [...dots, ...once.sort()];
}

/** `bij,bjk->bik` of a list of tensors. */
function einsum(call: OpCall): Work | null {
  const bound = bind(call, 'equation @operands[] path', 'equation @operands[]');
  const operands = bound?.tensors('operands') ?? [];
  if (bound === null || operands.length === 0) return null;
  const equation = bound.value('equation');
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
}

/** The given dimensions of a tensor of that rank; null when one is out of range. */
function dimensions(dims: readonly number[], rank: number): number[] | null {
  const found = dims.map((dim) => resolveDimension(dim, rank)).filter((dim) => dim !== null);
  return found.length === dims.length ? found : null;
}

/** Sum over pairs of dimensions, one of each tensor. */
function tensordot(call: OpCall): Work | null {
  const bound = bind(call, '@a @b dims_a dims_b');
  const [a, b] = [bound?.tensor('a') ?? null, bound?.tensor('b') ?? null];
  if (bound === null || a === null || b === null) return null;
  const [given, others] = [bound.value('dims_a'), bound.value('dims_b')];
  if (given === undefined || others === undefined) return unspecified([a, b], 'the summed dimensions are unspecified');
  const [dimsA, dimsB] = [
    dimensions(integers(given) ?? [NaN], a.shape.length),
    dimensions(integers(others) ?? [NaN], b.shape.length),
  ];
  if (dimsA === null || dimsB?.length !== dimsA.length) return null;
  const left = a.shape.map((_, at) => `a${String(at)}`);
  const right = b.shape.map((_, at) => left[dimsA[dimsB.indexOf(at)] ?? -1] ?? `b${String(at)}`);
  const kept = [...left.filter((name) => !right.includes(name)), ...right.filter((name) => !left.includes(name))];
  return contracted(
    [
      { indices: left, tensor: a },
      { indices: right, tensor: b },
    ],
    kept,
  );
}

/** Sum over the last dimension of both: every row of the one by every row of the other. */
function inner(call: OpCall): Work | null {
  const bound = bind(call, '@a @b');
  const [a, b] = [bound?.tensor('a') ?? null, bound?.tensor('b') ?? null];
  if (a === null || b === null || a.shape.at(-1) !== b.shape.at(-1) || a.shape.length === 0) return null;
  const left = [...a.shape.slice(1).map((_, at) => `a${String(at)}`), 'k'];
  const right = [...b.shape.slice(1).map((_, at) => `b${String(at)}`), 'k'];
  const kept = [...left.slice(0, -1), ...right.slice(0, -1)];
  return contracted(
    [
      { indices: left, tensor: a },
      { indices: right, tensor: b },
    ],
    kept,
  );
}

/** Indices of a tensor that is expanded at the given dimensions of the common ones. */
function expanded(tensor: Tensor | undefined, at: unknown, rank: number): Indexed | null {
  const dims = Array.isArray(at) ? (at as readonly unknown[]) : null;
  if (tensor === undefined || dims === null) return null;
  const indices = Array.from({ length: rank }, (_, dim) => dim).filter((dim) => !dims.includes(dim));
  return indices.length === tensor.shape.length ? { indices: indices.map(String), tensor } : null;
}

/** Three tensors multiplied over common dimensions, some of them summed: bilinear layers. */
function trilinear(call: OpCall): Work | null {
  const bound = bind(call, '@a @b @c expand_a expand_b expand_c sum unroll');
  if (bound === null) return null;
  const all = bound.tensorsOf('a b c');
  const [summed, firstAt] = [bound.value('sum'), bound.value('expand_a')];
  if (summed === undefined || firstAt === undefined) return unspecified(all, 'the summed dimensions are unspecified');
  const sums = integers(summed);
  const rank = (all[0]?.shape.length ?? 0) + (Array.isArray(firstAt) ? firstAt.length : 0);
  const operands = ['a', 'b', 'c'].map((name, i) => expanded(all[i], bound.value(`expand_${name}`), rank));
  const found = operands.filter((operand) => operand !== null);
  if (found.length !== 3 || sums === null) return null;
  const kept = Array.from({ length: rank }, (_, dim) => dim).filter((dim) => !sums.includes(dim));
  return contracted(found, kept.map(String));
}

/** x·W·y + b of every row of x and y, for every output: W is [out, in1, in2]. */
function bilinear(call: OpCall): Work | null {
  const bound = bind(call, '@x @y @w @bias?');
  const [x, y, w] = [bound?.tensor('x') ?? null, bound?.tensor('y') ?? null, bound?.tensor('w') ?? null];
  if (x === null || y === null || w === null || x.shape.length === 0) return null;
  const rows = x.shape.slice(1).map((_, at) => `r${String(at)}`);
  return contracted(
    [
      { indices: [...rows, 'i'], tensor: x },
      { indices: ['o', 'i', 'j'], tensor: w },
      { indices: [...rows, 'j'], tensor: y },
    ],
    [...rows, 'o'],
  );
}

/** u·vᵀ: a multiplication for every pair; one add more where it is added to a matrix. */
function outer(signature: string): ProductFormula {
  return (call) => {
    const bound = bind(call, signature);
    const [u, v] = [bound?.tensor('u') ?? null, bound?.tensor('v') ?? null];
    if (bound === null || u?.shape.length !== 1 || v?.shape.length !== 1) return null;
    const shape = [extentAt(u, 0), extentAt(v, 0)];
    const added = bound.tensor('c') !== null;
    return workOf({
      flops: (added ? 2 : 1) * numel(shape),
      reads: bound.reads,
      writes: bound.writes.length > 0 ? bound.writes : [{ shape, dtype: u.dtype }],
      params: tensorListParams([u, v]),
      formula: `flops = ${added ? '2·m·n, a multiply-add' : 'm·n, a multiplication'} for every pair; bytes = operands read + result written`,
      source: SOURCE,
    });
  };
}

export const CONTRACTIONS: ByName<ProductFormula> = {
  einsum,
  tensordot,
  inner,
  _trilinear: trilinear,
  bilinear,
  outer: outer('@u @v'),
  ger: outer('@u @v'),
  addr: outer('@c @u @v beta alpha'),
  addr_: outer('@!c @u @v beta alpha'),
};
