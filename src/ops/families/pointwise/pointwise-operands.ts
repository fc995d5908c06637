/** Operands and result of a pointwise op's call. */
import type { Arg, OpCall } from '../../../record/record.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import { opName, tensorOf, tensorsAmong } from '../../operands.js';
import { operandsFirst } from '../../schema/binding.js';
import { argCategory, complexTypeOf, floatingType, realPartType, promoteOperands } from '../../schema/promotion.js';
import { tensor } from '../../work.js';
import { POINTWISE_OPS, type PointwiseOp } from './pointwise-ops.js';

export interface Elementwise {
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
export function elementwise(call: OpCall): Elementwise | null {
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
