/**
 * Infers dtypes missing from a call: Kineto omits them for TensorLists, NVTX ranges for all tensors.
 *
 * They come from the kernel's name, else from the call's other tensors. That is a guess, so it only fills in what is
 * missing, and `ResolvedWork.typedBy` records it.
 */
import { typeInMemory } from '../kernels/kernel-name.js';
import type { Arg, OpCall } from '../../record/record.js';
import { conversion, isMixed, operandTypes, widensIntegers, type OperandTypes } from './operand-types.js';
import { opName } from '../operands.js';

const INTEGERS = new Set<string | null>(['int64', 'int32']);

/** The element type of the op's data by the kernel's name; null where the name does not determine it. */
function dataType(call: OpCall, types: OperandTypes, kernelName: string): string | null {
  const op = opName(call);
  if (isMixed(op) || (call.mod !== 'aten' && !call.args.some(isTyped))) return null;
  const named = typeInMemory(kernelName);
  // Integer types in the name of a kernel with indices are those of the indices.
  return INTEGERS.has(named) && (types.size > 0 || widensIntegers(op)) ? null : named;
}

const isTyped = (arg: Arg): boolean => arg.dtype !== undefined || arg.items?.some(isTyped) === true;

const isUntyped = (arg: Arg): boolean =>
  arg.items === undefined ? arg.shape !== undefined && arg.dtype === undefined : arg.items.some(isUntyped);

const withType = (arg: Arg, dtype: string): Arg => {
  if (arg.items !== undefined) return { ...arg, items: arg.items.map((item) => withType(item, dtype)) };
  return arg.shape === undefined || arg.dtype !== undefined ? arg : { ...arg, dtype };
};

/** The type that all typed data tensors of the call have; null when they differ or there are none. */
function typeAmong(args: readonly Arg[], types: OperandTypes): string | null {
  const dtypes = new Set(args.flatMap(({ dtype }, i) => (dtype === undefined || types.has(i) ? [] : [dtype])));
  const [only] = dtypes;
  return dtypes.size === 1 && only !== undefined ? only : null;
}

/** The call with float32 for every untyped tensor: shows whether anything but types is missing. */
export const withAnyType = (call: OpCall): OpCall => ({
  ...call,
  args: call.args.map((arg) => withType(arg, 'float32')),
});

/** What missing dtypes were inferred from: the kernel's name, or the other operands. */
export type TypedBy = 'kernel' | 'operand';

/**
 * The call with its missing dtypes inferred.
 * @param kernelName full demangled name of a kernel of the call
 * @returns the same call where nothing is missing, or nothing can be inferred
 */
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
