/**
 * Operands given twice. A call has the extents of its tensors and not which tensor each one is; where an enclosing op
 * always gives one tensor for both operands, they are the same, and the kernel reads it once.
 */
import type { Arg, OpCall } from '../../record/record.js';
import { opName } from '../operands.js';

/**
 * By enclosing op, the op that it calls on one tensor twice: isnan(x) is x ≠ x, isfinite(x) is (x = x)·(|x| ≠ ∞).
 * Source: aten/src/ATen/native/TensorCompare.cpp.
 */
const COMPARED_WITH_ITSELF: ReadonlyMap<string, string> = new Map([
  ['isnan', 'ne'],
  ['isfinite', 'eq'],
]);

/** Stands for the second operand: no further tensor. */
const SAME: Arg = { name: '', type: 'unknown' };

/** The call with each of its tensors once. @param around the call that called it */
export function withEachOperandOnce(call: OpCall, around: OpCall | undefined): OpCall {
  if (around === undefined || COMPARED_WITH_ITSELF.get(opName(around)) !== opName(call)) return call;
  const [self, other, ...rest] = call.args;
  // |x| ≠ ∞ compares with a number; a complex tensor's parts are compared by calls of their own.
  if (call.from === undefined || self?.shape === undefined || other?.shape === undefined) return call;
  return String(self.shape) === String(other.shape) ? { ...call, args: [self, SAME, ...rest] } : call;
}
