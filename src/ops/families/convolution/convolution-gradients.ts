/**
 * Gradients of the dispatcher's convolutions (dgrad, wgrad, bias), each a part of its op.
 *
 * The input and the weight gradient take as many multiply-adds each as the convolution: one for each weight at every
 * position of the output (of the input when transposed). Settings are not needed when the extents of both are known.
 */
import { kernelKind, isHelperKernel, namedGradient } from '../../kernels/kernel-name.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { BoundArguments } from '../../schema/binding.js';
import type { KernelFacts, Param, KernelRole, Work } from '../../family.js';
import { integers } from '../../operands.js';
import { shapeParams } from '../../product.js';
import { helperWork, tensor, total, workOf } from '../../work.js';
import { boundRow } from '../../schema/op-rules.js';
import { GRADIENT_FORMS, isTransposed, knownGeometry, type Gradient, type GradientForm } from './convolution-forms.js';
import { CONVOLUTION_SOURCE, convolutionFlops, geometryParams, spatialRank } from './convolution-geometry.js';

/** The operands of a convolution's backward pass. */
interface Backward {
  readonly dy: Tensor;
  /** The input, or the extents of its gradient; null when neither is recorded. */
  readonly x: Tensor | null;
  /** The weight, or the extents of its gradient; null when neither is recorded. */
  readonly w: Tensor | null;
  readonly rank: number;
  /** Null when unspecified. */
  readonly transposed: boolean | null;
  readonly params: readonly Param[];
}

/** An operand, or a tensor with its extents when only these are recorded. */
function operand(bound: BoundArguments, name: string, dtype: string): Tensor | null {
  const given = bound.tensor(name);
  if (given !== null) return given;
  const extents = integers(bound.value(`${name}_size`));
  return extents === null || extents.some((extent) => extent < 0) ? null : tensor(extents, dtype);
}

/** Whether the channels of input, weight and output fit a convolution or a transposed one. */
function agree(dy: Tensor, x: Tensor | null, w: Tensor | null, transposed: boolean): boolean {
  if (w === null) return true;
  const [outer, inner] = transposed ? [x, dy] : [dy, x];
  const [first = 0, second = 0] = w.shape;
  if (outer !== null && outer.shape[1] !== first) return false;
  return inner === null || second === 0 || extentAt(inner, 1) % second === 0;
}

/**
 * The input of a transposed convolution from its output: the result of a plain convolution of the output with the same
 * weight.
 */
function inputOf(bound: BoundArguments, dy: Tensor, w: Tensor | null, rank: number): Tensor | null {
  const geometry = w === null ? null : knownGeometry(bound, dy, w, false, rank);
  return geometry === null ? null : tensor([geometry.batch, geometry.filters, ...geometry.output], dy.dtype);
}

function paramsOf(bound: BoundArguments, known: Omit<Backward, 'params'>): readonly Param[] {
  const { dy, x, w, rank, transposed } = known;
  const geometry =
    x === null || w === null || transposed === null ? null : knownGeometry(bound, x, w, transposed, rank);
  if (geometry !== null && x !== null && w !== null) return geometryParams(geometry, x, w);
  return shapeParams({ dY: dy, ...(x === null ? {} : { X: x }), ...(w === null ? {} : { W: w }) });
}

/** The backward pass of a call; null when its tensors do not fit. */
function backwardOf(bound: BoundArguments, form: GradientForm): Backward | null {
  const dy = bound.tensor('dy');
  if (dy === null || dy.shape.length < 3) return null;
  const w = operand(bound, 'w', dy.dtype);
  const rank = dy.shape.length - 2;
  if (rank > 3 || (w !== null && spatialRank(w, rank) === null)) return null;
  const recorded = isTransposed(bound, form);
  const givenX = operand(bound, 'x', dy.dtype);
  const x = givenX ?? (recorded === true ? inputOf(bound, dy, w, rank) : null);
  if (x !== null && (x.shape.length !== rank + 2 || x.shape[0] !== dy.shape[0])) return null;
  const fitting = [false, true].filter((way) => (recorded ?? way) === way && agree(dy, x, w, way));
  if (fitting.length === 0) return null;
  const transposed = fitting.length === 1 ? (fitting[0] ?? null) : null;
  const known = { dy, x, w, rank, transposed };
  return { ...known, params: paramsOf(bound, known) };
}

/**
 * Number of positions, each of which takes all weights; null when it is unspecified whether the positions are the output's
 * or the input's.
 */
function positionsOf({ dy, x, rank, transposed }: Backward): number | null {
  const output = numel(dy.shape.slice(-rank));
  const input = x === null ? null : numel(x.shape.slice(-rank));
  if (transposed === null) return input === output ? output : null;
  return transposed ? input : output;
}

const FORMULAS: Readonly<Record<Gradient, string>> = {
  dgrad: 'flops = 2·N·S·|W|, S = prod(out), or prod(in) if transposed; bytes = |dY| + |W| + |dX|',
  wgrad: 'flops = 2·N·S·|W|, S = prod(out), or prod(in) if transposed; bytes = |dY| + |X| + |dW|',
  bias: 'flops = |dY|, one add per element; bytes = |dY| + K',
};

const unknownOf = (found: Backward, role: Gradient): string => {
  if (found.w === null) return 'the shape of the weight is unspecified';
  if (positionsOf(found) === null)
    return 'it is unknown whether the convolution is transposed, or its input is unspecified';
  return role === 'wgrad' ? 'the input is unspecified' : 'the shape of the input is unspecified';
};

function part(found: Backward, role: Gradient): Work {
  const { dy, x, w, params } = found;
  const shared = { role, params, formula: FORMULAS[role], source: CONVOLUTION_SOURCE };
  if (role === 'bias') {
    const bias = tensor([extentAt(dy, 1)], dy.dtype);
    return workOf({ ...shared, flops: numel(dy.shape), reads: [dy], writes: [bias] });
  }
  const count = positionsOf(found);
  const flops = w === null || count === null ? null : convolutionFlops(extentAt(dy, 0), count, w);
  if (flops === null || x === null || w === null) {
    return workOf({ ...shared, matmul: true, flops, writes: null, unknown: unknownOf(found, role) });
  }
  const [operand, gradient] = role === 'dgrad' ? [w, x] : [x, w];
  return workOf({ ...shared, matmul: true, flops, reads: [dy, operand], writes: [gradient] });
}

/** Gradients of an `out=` overload, from the tensors passed for them; null for any other call. */
function outGradients(bound: BoundArguments, form: GradientForm): readonly Gradient[] | null {
  const found = form.gives.filter((role) => bound.tensor(role) !== null);
  return found.length === 0 ? null : found;
}

/** Gradients that the call computes; dgrad and wgrad when the mask is unspecified. */
function requestedGradients(bound: BoundArguments, form: GradientForm): readonly Gradient[] {
  const into = outGradients(bound, form);
  if (into !== null) return into;
  const mask = bound.value('output_mask');
  const outs = bound.outs.length;
  if (Array.isArray(mask)) return form.gives.filter((_, at) => (mask as readonly unknown[])[at] === true);
  return form.gives.filter((role) => role !== 'bias' || form.gives.length === 1 || outs === form.gives.length);
}

const ASSUMPTION = 'kernel names show which gradients are computed; if they do not, both are counted';

/** The gradients that a dispatcher call computes; null when the op is not a gradient, or its arguments do not fit. */
export function gradientParts(call: OpCall): readonly Work[] | null {
  const row = boundRow<GradientForm>(GRADIENT_FORMS, call);
  const found = row === null ? null : backwardOf(row.bound, row.fact);
  if (row === null || found === null) return null;
  const { fact: form, bound } = row;
  const isMasked = Array.isArray(bound.value('output_mask'));
  const isSpecified =
    form.gives.length === 1 || isMasked || bound.outs.length > 0 || outGradients(bound, form) !== null;
  const roles = requestedGradients(bound, form);
  return roles.map((role) => {
    const work = part(found, role);
    const formula = `${work.formula}; output_mask is unspecified: ${ASSUMPTION}`;
    return isSpecified ? work : { ...work, perhaps: true, formula };
  });
}

const NONE: Work = {
  ...{ role: 'main', flops: 0, bytes: 0, params: [], matmul: true },
  ...{ formula: '0: output_mask selects no gradient', source: 'output_mask of the call' },
};

/** All gradients of a call together. */
function whole(parts: readonly Work[]): Work {
  const [first] = parts;
  if (first === undefined) return NONE;
  if (parts.length === 1) return first;
  const unknown = [...new Set(parts.map((work) => work.unknown).filter((reason) => reason !== undefined))].join('; ');
  return {
    ...first,
    role: 'main',
    flops: total(parts.map(({ flops }) => flops)),
    bytes: total(parts.map(({ bytes }) => bytes)),
    matmul: parts.some(({ matmul }) => matmul),
    formula: parts.map(({ role, formula }) => `${role}: ${formula}`).join('; '),
    ...(unknown === '' ? {} : { unknown }),
  };
}

/**
 * BLAS kernels of a 1×1 convolution's gradients, column-major on NCHW: dXᵀ = dYᵀ·W (nt), dWᵀ = X·dYᵀ (tn). For larger
 * filters, the products follow a transform, and their names do not determine the gradient.
 */
const TRANSPOSITIONS: readonly (readonly [Gradient, RegExp])[] = [
  ['dgrad', /gemm\w*_nt(?:_|$)|Cijk_Ailk_Bjlk/],
  ['wgrad', /gemm\w*_tn(?:_|$)|Cijk_Alik_Bljk/],
];

/** The gradient that a kernel computes: the only one, else the one in its name; null when the name does not show it. */
function roleOf({ name }: KernelFacts, parts: readonly Work[], pointwise: boolean): KernelRole | null {
  const multiplying = parts.filter(({ matmul }) => matmul).map(({ role }) => role);
  if (multiplying.length < 2) return multiplying[0] ?? null;
  const transposition = pointwise ? TRANSPOSITIONS.find(([, pattern]) => pattern.test(name))?.[0] : undefined;
  return namedGradient(name) ?? transposition ?? null;
}

/** Whether the convolution is 1×1, according to its params. */
const isPointwise = (params: readonly Param[]): boolean =>
  ['R', 'S'].every((key) => params.find(([name]) => name === key)?.[1] === 1) &&
  params.every(([key, value]) => key !== 'T' || value === 1);

/** The work of one kernel of a backward call: the gradient in its name, else all of them. */
export function gradientWork(parts: readonly Work[], kernel: KernelFacts): Work {
  const all = whole(parts);
  const kind = kernelKind(kernel);
  const bias = parts.find(({ role }) => role === 'bias');
  if (bias !== undefined && (kind === 'bias-gradient' || kind === 'reduction')) return bias;
  if (isHelperKernel(kernel)) return helperWork(all.params, 'kernel name');
  const role = roleOf(kernel, parts, isPointwise(all.params));
  return parts.find((work) => work.role === role) ?? all;
}
