/**
 * Element types that a call does not tell and the kernel's name does: of lists of tensors a trace tells the extents
 * alone, of NVTX ranges that of every tensor. A type from a name is a guess at best of one operand's; it is only taken
 * where a tensor has none, for all that hold the op's data, and whoever shows the work can say so
 * (`Described.typedBy`).
 */
import type { Arg, OpCall } from '../../record/record.js';
import { conversion, isMixed, operandTypes, widensIntegers, type OperandTypes } from './operand-types.js';
import { opName } from '../operands.js';
import { elementType } from '../kernels/type-in-name.js';

const INTEGERS = new Set<string | null>(['int64', 'int32']);

/** The type of the op's data by the kernel's name. */
function dataType(call: OpCall, types: OperandTypes, kernelName: string): string | null {
  const op = opName(call);
  if (isMixed(op) || (call.mod !== 'aten' && !call.args.some(isTyped))) return null;
  const named = elementType(kernelName);
  // Where the op has indices, whole numbers in the name are theirs.
  return INTEGERS.has(named) && (types.size > 0 || widensIntegers(op)) ? null : named;
}

const isTyped = (arg: Arg): boolean => arg.dtype !== undefined || arg.items?.some(isTyped) === true;

const isUntyped = (arg: Arg): boolean =>
  arg.items === undefined ? arg.shape !== undefined && arg.dtype === undefined : arg.items.some(isUntyped);

const withType = (arg: Arg, dtype: string): Arg => {
  if (arg.items !== undefined) return { ...arg, items: arg.items.map((item) => withType(item, dtype)) };
  return arg.shape === undefined || arg.dtype !== undefined ? arg : { ...arg, dtype };
};

/** The type of the call's other tensors, if they agree: those of a list mostly are of the same. */
function typeAmong(args: readonly Arg[], types: OperandTypes): string | null {
  const told = new Set(args.flatMap(({ dtype }, i) => (dtype === undefined || types.has(i) ? [] : [dtype])));
  const [only] = told;
  return told.size === 1 && only !== undefined ? only : null;
}

/** The call with some type for every tensor: what it tells but for the types can be seen by it. */
export const withAnyType = (call: OpCall): OpCall => ({
  ...call,
  args: call.args.map((arg) => withType(arg, 'float32')),
});

/** Where the type of an untyped tensor was taken from. */
export type TypedBy = 'kernel' | 'operand';

/** The call with a type for every tensor where one can be had; the same object where nothing is missing. */
export function inferDtypes(
  call: OpCall,
  kernelName: string,
): { readonly call: OpCall; readonly typedBy: TypedBy | null } {
  if (call.from === undefined || !call.args.some(isUntyped)) return { call, typedBy: null };
  const converted = conversion(opName(call), kernelName);
  const types = converted ?? operandTypes(opName(call), kernelName);
  const placed = call.args.map((arg, i) => {
    const type = types.get(i);
    return type === undefined ? arg : withType(arg, type);
  });
  if (!placed.some(isUntyped))
    return { call: { ...call, args: placed }, typedBy: converted === null ? 'operand' : 'kernel' };
  const named = dataType(call, types, kernelName);
  const dtype = named ?? typeAmong(call.args, types);
  if (dtype === null) return { call: { ...call, args: placed }, typedBy: null };
  const args = placed.map((arg) => withType(arg, dtype));
  return { call: { ...call, args }, typedBy: named === null ? 'operand' : 'kernel' };
}
