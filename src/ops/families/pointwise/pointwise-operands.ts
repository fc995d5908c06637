/** Operands and result of a pointwise op's call, of a Python function or of the dispatcher. */
import type { Arg, OpCall } from '../../../record/record.js';
import { broadcast, numel, positional, type Tensor } from '../../call.js';
import { isDispatched } from '../../schema/dispatched.js';
import { inputTensors, opName, scalars, inputTensor, tensorOf, tensorsAmong } from '../../operands.js';
import {
  argCategory,
  complexTypeOf,
  floatingType,
  realPartType,
  promote,
  promoteOperands,
} from '../../schema/promotion.js';
import { tensor } from '../../work.js';
import { POINTWISE_OPS, type PointwiseOp } from './pointwise-ops.js';

export interface Elementwise {
  readonly rule: PointwiseOp;
  readonly operands: readonly Tensor[];
  readonly result: Tensor;
  readonly flopsPerElement: number;
}

/** Changes its first operand: `add_`, `__iadd__`. */
const isInPlace = (op: string): boolean => /^__i(?!nvert)\w+__$/.test(op) || /[^_]_$/.test(op);

/** The factor of `a + alpha·b`, by keyword, third, or between two tensors (the form before PyTorch 1.5). */
function alpha(call: OpCall): unknown {
  const named = call.args.find((arg) => arg.name === 'alpha');
  if (named !== undefined) return named.value;
  const [, second, third] = positional(call);
  if (second?.shape === undefined && third?.shape !== undefined) return second?.value;
  return third?.shape === undefined ? third?.value : undefined;
}

/** Operations per element: a sum with a factor is a multiply-add. */
function flopsPerElement(rule: PointwiseOp, factor: unknown): number {
  const scaled = rule.gradient === 'passed' && rule.sum === true && typeof factor === 'number' && factor !== 1;
  return rule.flops * (scaled ? 2 : 1);
}

/** The tensors that determine the result's type; a mask does not. */
function typingOperands(rule: PointwiseOp, operands: readonly Tensor[]): readonly Tensor[] {
  const numbers = rule.operandCount === 'any' ? operands : operands.filter((operand) => operand.dtype !== 'bool');
  return numbers.length === 0 ? operands : numbers;
}

function resultType(op: string, rule: PointwiseOp, operands: readonly Tensor[], call: OpCall): string | null {
  if (isInPlace(op)) return operands[0]?.dtype ?? null;
  if (rule.result === 'bool') return 'bool';
  const promoted = promote(typingOperands(rule, operands), scalars(call));
  return rule.result === 'float' ? floatingType(promoted) : promoted;
}

/** Extents of the result; null when the operands do not fit. */
function resultShape(op: string, operands: readonly Tensor[]): readonly number[] | null {
  const shape = isInPlace(op) ? (operands[0]?.shape ?? null) : broadcast(operands.map((operand) => operand.shape));
  return shape !== null && Number.isSafeInteger(numel(shape)) ? shape : null;
}

function readMarker(call: OpCall, op: string, rule: PointwiseOp): Elementwise | null {
  const given = inputTensors(call);
  if (given === null) return null;
  const only = given.length === 0 ? inputTensor(call) : null;
  const operands = only === null ? given : [only];
  const shape = resultShape(op, operands);
  if (operands.length === 0 || shape === null) return null;
  const result = tensor(shape, resultType(op, rule, operands, call));
  return { rule, operands, result, flopsPerElement: flopsPerElement(rule, alpha(call)) };
}

const identity = (dtype: string | null): string | null => dtype;

const RESULT_TYPES: Readonly<Record<PointwiseOp['result'], (dtype: string | null) => string | null>> = {
  promoted: identity,
  float: floatingType,
  bool: () => 'bool',
  real: (dtype) => realPartType(dtype) ?? dtype,
  complex: complexTypeOf,
};

/** Integer division with rounding stays integer: `div(self, other, rounding_mode)`, whose mode may be unspecified. */
const isRounded = (op: string, args: readonly Arg[]): boolean =>
  /^div(ide)?$/.test(op) && args[2] !== undefined && args[2].shape === undefined;

/** The type of the dispatcher's result, without an out tensor. */
function dispatchedType(
  op: string,
  rule: PointwiseOp,
  operands: readonly Tensor[],
  args: readonly Arg[],
): string | null {
  if (isInPlace(op) || op === 'masked_fill') return operands[0]?.dtype ?? null;
  const numbers = args.slice(0, rule.operands).filter((arg) => arg.shape === undefined);
  const promoted = promoteOperands(typingOperands(rule, operands), numbers.map(argCategory));
  return isRounded(op, args) ? promoted : RESULT_TYPES[rule.result](promoted);
}

/**
 * The op's operands are its first arguments; a tensor after them is the `out` tensor, which is written and not read. A
 * number among the operands is a kernel argument; a wrapped number is a tensor and is read.
 */
function readDispatched(call: OpCall, op: string, rule: PointwiseOp): Elementwise | null {
  const args = positional(call);
  const first = args.slice(0, rule.operands);
  const given = first.filter(({ shape }) => shape !== undefined);
  const operands = tensorsAmong(given);
  const shape = resultShape(op, operands);
  if (operands.length === 0 || operands.length < given.length || shape === null) return null;
  if (isInPlace(op) && tensorOf(args[0]) === null) return null;
  // `where(condition)` alone returns indices.
  if (op === 'where' && args.length < rule.operands) return null;
  const out = tensorOf(args.slice(rule.operands).find((arg) => arg.shape !== undefined));
  const result = tensor(shape, out?.dtype ?? dispatchedType(op, rule, operands, args));
  return { rule, operands, result, flopsPerElement: flopsPerElement(rule, args[2]?.value) };
}

/** Operands and result of the call; null when it is no pointwise op or its arguments do not fit. */
export function elementwise(call: OpCall): Elementwise | null {
  const op = opName(call);
  const rule = POINTWISE_OPS.get(op);
  if (rule === undefined) return null;
  return isDispatched(call) ? readDispatched(call, op, rule) : readMarker(call, op, rule);
}
