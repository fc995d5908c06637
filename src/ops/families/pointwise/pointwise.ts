/**
 * Pointwise ops: one result element from one element of each operand; and the check whether two tensors are equal, which is
 * a comparison and a reduction of its booleans.
 */
import { numel, type Tensor, broadcast } from '../../call.js';
import type { OpCall, Arg } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Work } from '../../family.js';
import { helperCost, helperWork, tensorListParams, workOf, tensor } from '../../work.js';
import { ruleWork, rules, withTensors } from '../../schema/op-rules.js';
import { POINTWISE_OPS, type PointwiseOp } from './pointwise-ops.js';
import { opName, tensorOf, tensorsAmong } from '../../operands.js';
import { operandsFirst } from '../../schema/binding.js';
import { argCategory, complexTypeOf, floatingType, realPartType, promoteOperands } from '../../schema/promotion.js';

const EQUALITY_SOURCE = 'PyTorch equal: eq, then all';

// Operands and result of a pointwise op's call.

interface Elementwise {
  readonly rule: PointwiseOp;
  readonly operands: readonly Tensor[];
  readonly result: Tensor;
  readonly flopsPerElement: number;
}

/** Whether the op changes its first operand: `add_`, `__iadd__`. */
const isInPlace = (op: string): boolean => /^__i(?!nvert)\w+__$/.test(op) || /[^_]_$/.test(op);

/** Operations per element: a sum with a factor is a multiply-add. */
function flopsPerElement(rule: PointwiseOp, factor: unknown): number {
  const scaled = rule.gradient === 'passed' && rule.sum === true && typeof factor === 'number' && factor !== 1;
  return rule.flops * (scaled ? 2 : 1);
}

/** The tensors that determine the result's type; masks do not. */
function typingOperands(rule: PointwiseOp, operands: readonly Tensor[]): readonly Tensor[] {
  const numbers = rule.operandCount === 'any' ? operands : operands.filter((operand) => operand.dtype !== 'bool');
  return numbers.length === 0 ? operands : numbers;
}

/** Extents of the result; null when the operands do not fit. */
function resultShape(op: string, operands: readonly Tensor[]): readonly number[] | null {
  const shape = isInPlace(op) ? (operands[0]?.shape ?? null) : broadcast(operands.map((operand) => operand.shape));
  return shape !== null && Number.isSafeInteger(numel(shape)) ? shape : null;
}

const identity = (dtype: string | null): string | null => dtype;

const RESULT_TYPES: Readonly<Record<PointwiseOp['result'], (dtype: string | null) => string | null>> = {
  promoted: identity,
  float: floatingType,
  bool: () => 'bool',
  real: (dtype) => realPartType(dtype) ?? dtype,
  complex: complexTypeOf,
};

/**
 * Whether an integer division rounds, so that its result is an integer: `div(self, other, rounding_mode)`, whose mode
 * may be unspecified.
 */
const isRounded = (op: string, args: readonly Arg[]): boolean =>
  /^div(ide)?$/.test(op) && args[2] !== undefined && args[2].shape === undefined;

/** The type of the result, without an out tensor. */
function resultType(op: string, rule: PointwiseOp, operands: readonly Tensor[], args: readonly Arg[]): string | null {
  if (isInPlace(op) || op === 'masked_fill') return operands[0]?.dtype ?? null;
  const numbers = args.slice(0, rule.operands).filter((arg) => arg.shape === undefined);
  const promoted = promoteOperands(typingOperands(rule, operands), numbers.map(argCategory));
  return isRounded(op, args) ? promoted : RESULT_TYPES[rule.result](promoted);
}

/**
 * Operands and result of the call; null when it is not a pointwise op, or its arguments do not fit. The op's operands
 * are its first arguments; a tensor after them is the `out` tensor, which is written and not read. A number among the
 * operands is a kernel argument; a wrapped number is a tensor and is read.
 */
function elementwise(call: OpCall): Elementwise | null {
  const op = opName(call);
  const rule = POINTWISE_OPS.get(op);
  if (rule === undefined) return null;
  const args = operandsFirst(call, rule.operands);
  const given = args.slice(0, rule.operands).filter(({ shape }) => shape !== undefined);
  const operands = tensorsAmong(given);
  const shape = resultShape(op, operands);
  if (operands.length === 0 || operands.length < given.length || shape === null) return null;
  if (isInPlace(op) && tensorOf(args[0]) === null) return null;
  // `where(condition)` alone returns indices.
  if (op === 'where' && args.length < rule.operands) return null;
  const out = tensorOf(args.slice(rule.operands).find((arg) => arg.shape !== undefined));
  const result = tensor(shape, out?.dtype ?? resultType(op, rule, operands, args));
  return { rule, operands, result, flopsPerElement: flopsPerElement(rule, args[2]?.value) };
}

/**
 * `equal` compares the elements and then reduces the results. It runs one kernel for both, or one for each, named after
 * the comparison or the reduction.
 */
const equal = withTensors('self other', (first, second, { kernel: { name } }) => {
  const params = tensorListParams([first, second]);
  if (/pass_?2|lastblock/i.test(name)) return helperCost(params);
  const [elements, truths, verdict] = [numel(first.shape), tensor(first.shape, 'bool'), tensor([], 'bool')];
  if (/reduce/i.test(name)) {
    const formula = 'flops = E; bytes = E truth values + 1';
    return { flops: elements, reads: [truths], writes: [verdict], params, formula };
  }
  if (/pointwise|elementwise/i.test(name))
    return { flops: elements, writes: [truths], params, formula: 'flops = E; bytes = both tensors + E truth values' };
  return {
    flops: 2 * elements,
    writes: [verdict],
    params,
    formula: 'flops = 2·E (compare, reduce); bytes = both tensors + 1',
  };
});

const EQUALITY_RULES = rules`
  ${equal} equal: @self @other
`;

export const equality: Family = {
  id: 'equality',
  title: 'Equality of two tensors: equal',
  category: 'reduction',
  ops: Object.keys(EQUALITY_RULES),
  formulas: [
    'comparison: flops = E; bytes = both tensors + E',
    'reduction: flops = E; bytes = E + 1',
    'both in one kernel: flops = 2·E; bytes = both tensors + 1',
  ],
  work: (call, kernel) => ruleWork(EQUALITY_RULES, call, kernel, EQUALITY_SOURCE),
};

const SOURCE =
  'PyTorch broadcasting and type promotion; operations per element: src/ops/families/pointwise/pointwise-ops.ts';

/** The cost of a call whose params are its operands. */
type PointwiseCost = Pick<OpCost, 'flops' | 'reads' | 'writes' | 'formula'>;

const forward = ({ operands, result, flopsPerElement }: Elementwise): PointwiseCost => ({
  flops: flopsPerElement * numel(result.shape),
  reads: operands,
  writes: [result],
  formula: `flops = ${flopsPerElement}·E(result); bytes = operands + result`,
});

const sameShape = (a: Tensor, b: Tensor): boolean =>
  a.shape.length === b.shape.length && a.shape.every((n, i) => n === b.shape[i]);

/** The result's gradient, summed when an operand was broadcast; operands of full shape share it without a kernel. */
function passedOn({ operands, result, rule }: Elementwise, kernel: KernelFacts): PointwiseCost | null {
  if (kernel.sub > 0) return null;
  const reduced = rule.sum === true ? operands.filter((operand) => !sameShape(operand, result)) : [];
  return {
    flops: reduced.length * numel(result.shape),
    reads: [result],
    writes: reduced.length > 0 ? reduced : [result],
    formula:
      'flops = E(result) per broadcast operand; bytes = gradient + gradients of broadcast operands, or one copy of it',
  };
}

/** Gradient of a product: one kernel for each tensor operand, which multiplies the gradient by the other operand. */
function productGradient(
  { operands, result, flopsPerElement }: Elementwise,
  { sub }: KernelFacts,
): PointwiseCost | null {
  if (sub >= operands.length) return null;
  return {
    flops: flopsPerElement * numel(result.shape),
    reads: [result, ...operands.filter((_, i) => i !== sub)],
    writes: [result],
    formula: `one kernel per operand: flops = ${flopsPerElement}·E(result); bytes = gradient + other operand + gradient of the operand`,
  };
}

function savedOperands({ operands, rule }: Elementwise): readonly Tensor[] {
  if (rule.gradient === 'factors') return operands.slice(1);
  // A third operand is the weight of a linear interpolation.
  return rule.gradient === 'scaled' ? operands.slice(2) : operands;
}

/** Gradient from the result's gradient and the saved tensors on which the derivative depends. */
function savedGradient(operation: Elementwise): PointwiseCost {
  const { result, rule } = operation;
  const flops = rule.gradient === 'scaled' ? 1 : operation.flopsPerElement;
  return {
    flops: flops * numel(result.shape),
    reads: [result, ...savedOperands(operation)],
    writes: [result],
    formula: `flops = ${flops}·E(result); bytes = gradient + operands that the derivative depends on + gradient of an operand`,
  };
}

/** A step function's gradient is a tensor of zeros. */
const zeroGradient = ({ result }: Elementwise): PointwiseCost => ({
  flops: 0,
  writes: [result],
  formula: 'flops = 0; bytes = zeros written',
});

/** Gradient of a choice: the result's gradient at the mask's positions. */
const chosenGradient = ({ operands, result }: Elementwise): PointwiseCost => ({
  flops: 0,
  reads: [result, ...operands.filter(({ dtype }) => dtype === 'bool' || dtype === 'uint8').slice(0, 1)],
  writes: [result],
  formula: 'flops = 0; bytes = gradient + mask + gradient of an operand',
});

type GradientCost = (call: Elementwise, kernel: KernelFacts) => PointwiseCost | null;

/** The cost of a backward kernel; null for one that only helps another kernel. */
const BACKWARD: Readonly<Record<PointwiseOp['gradient'], GradientCost>> = {
  passed: passedOn,
  product: productGradient,
  saved: savedGradient,
  factors: savedGradient,
  scaled: savedGradient,
  chosen: chosenGradient,
  zero: zeroGradient,
  // The op has no derivative, so a kernel in a backward pass recomputes the forward result (checkpointing).
  none: forward,
};

export const pointwise: Family = {
  id: 'pointwise',
  title: 'Pointwise: arithmetic, comparison, logic, exponential, trigonometric, rounding and error functions',
  category: 'elementwise',
  ops: [...POINTWISE_OPS.keys()],
  formulas: [
    'flops = w·E(result); w = 1 except for lerp, addcmul and addcdiv (3), sums with alpha ≠ 1 (2), where and masked_fill (0)',
    'bytes = operands + result, each with its element size; Python numbers have 0 bytes; an operand passed twice (isnan is x ≠ x) is read once',
    'integer and bool operations count like floating-point ones; w does not model the hardware cost of exp, sin or pow',
    'backward of a sum: flops = E(result) per broadcast operand; bytes = gradient + gradients of broadcast operands, or one copy of it',
    'backward of a product: one kernel per operand, flops = w·E; bytes = gradient + other operand + gradient of the operand',
    'backward of other functions: flops = w·E (w = 1 if the gradient is only scaled); bytes = gradient + saved operands + gradient of the operand; rounding: zeros written',
  ],
  work(call, kernel) {
    const operation = elementwise(call);
    if (operation === null) return null;
    const params = tensorListParams(operation.operands);
    const cost = kernel.dir === 'bprop' ? BACKWARD[operation.rule.gradient](operation, kernel) : forward(operation);
    if (cost === null) return helperWork(params, SOURCE);
    // The fields are added one by one, because costs differ in their fields.
    const { flops, reads = [], writes, formula } = cost;
    return workOf({ flops, reads, writes, formula, params, source: SOURCE });
  },
};

/** The work of a call, computed as a pointwise op of another name (`torch.max` of two tensors is `maximum`). */
export const pointwiseAs = (op: string, call: OpCall, kernel: KernelFacts): Work | null =>
  pointwise.work({ ...call, op }, kernel);
