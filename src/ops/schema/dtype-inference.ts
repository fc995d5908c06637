/**
 * Infers dtypes that are missing from a call: Kineto omits them for TensorLists, NVTX ranges for all tensors.
 *
 * They come from the kernel's name, else from the call's other tensors. That is a guess, so it only fills in what is
 * missing, and `ResolvedWork.typedBy` records it. Operands whose element type differs from that of the op's data (index
 * tensors, masks, statistics) are listed by their positions in the op's schema; ops with one data type need no entry.
 */
import { typeInMemory } from '../kernels/kernel-name.js';
import type { Arg, OpCall } from '../../record/record.js';
import { opName } from '../operands.js';

/** Element types by position of the operand. */
type OperandTypes = ReadonlyMap<number, string>;

const NONE: OperandTypes = new Map();

const at = (ops: string, types: Readonly<Record<number, string>>): [string, OperandTypes][] =>
  ops.split(' ').map((op) => [op, new Map(Object.entries(types).map(([position, type]) => [Number(position), type]))]);

const INDEX = 'int64';
const OFFSET = 'int32';
const MASK = 'bool';
/** Sums of 16-bit operands are kept in 32 bits. */
const SUM = 'float32';

const TYPES: ReadonlyMap<string, OperandTypes> = new Map([
  ...at('one_hot', { 0: INDEX }),
  ...at('embedding embedding_backward embedding_dense_backward embedding_renorm_ take take_along_dim put put_', {
    1: INDEX,
  }),
  ...at('_embedding_bag _embedding_bag_forward_only embedding_bag', { 1: INDEX, 2: INDEX }),
  ...at('_embedding_bag_backward _embedding_bag_dense_backward', { 1: INDEX, 2: INDEX, 3: INDEX, 4: INDEX }),
  ...at('nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d nll_loss_nd', { 1: INDEX }),
  ...at('nll_loss_backward nll_loss2d_backward adaptive_max_pool2d_backward adaptive_max_pool3d_backward', {
    2: INDEX,
  }),
  ...at('max_pool2d_with_indices_backward max_pool3d_with_indices_backward', { 7: INDEX }),
  ...at('gather index_select index_fill index_fill_ index_add index_add_ index_copy index_copy_ index_reduce', {
    2: INDEX,
  }),
  ...at('index_reduce_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_', { 2: INDEX }),
  ...at('where', { 0: MASK }),
  ...at('masked_fill masked_fill_ masked_select masked_scatter masked_scatter_ native_dropout_backward', { 1: MASK }),
  ...at('_masked_softmax', { 1: MASK }),
  ...at('_masked_scale', { 1: 'uint8' }),
  ...at('native_layer_norm_backward', { 3: SUM, 4: SUM }),
  ...at('_flash_attention_forward', { 3: OFFSET, 4: OFFSET }),
  ...at('_efficient_attention_forward', { 4: OFFSET, 5: OFFSET }),
  ...at('_flash_attention_backward _scaled_dot_product_flash_attention_backward', { 5: SUM, 6: OFFSET, 7: OFFSET }),
  ...at('_scaled_dot_product_cudnn_attention_backward', { 5: SUM }),
  ...at('_scaled_dot_product_efficient_attention_backward', { 6: SUM }),
  ...at('_efficient_attention_backward', { 6: OFFSET, 7: OFFSET, 10: SUM }),
]);

/** Kernels whose indices have 32 bits: `indexSelectLargeIndex<float, int, unsigned int, …>`. */
const SHORT_INDEX = /index(Select|Func|Add|Copy|Fill)\w*<[\w:]+, int,/;

/**
 * Operands of an op whose types differ from its data. Indices have 64 bits, unless the kernel's name contains 32-bit ones.
 */
function operandTypes(op: string, kernelName: string): OperandTypes {
  const types = TYPES.get(op) ?? NONE;
  if (!SHORT_INDEX.test(kernelName)) return types;
  return new Map([...types].map(([position, type]) => [position, type === INDEX ? 'int32' : type]));
}

const WIDENING = new Set(['sum', 'nansum', 'prod', 'cumsum', 'cumprod', 'cumsum_', 'cumprod_', 'trace']);

/** Whether the op widens all integers to int64, so that its kernel's name does not contain the operand's type. */
const widensIntegers = (op: string): boolean => WIDENING.has(op);

/** Ops with data of several types, which a kernel's name does not assign to operands: scaled products, quantisation. */
const MIXED = /^_scaled_|^_int_mm$|^_weight_int|quant|^_to_copy$|^to$/;

/** Whether the op's data have several types. */
const isMixed = (op: string): boolean => MIXED.test(op) && !op.startsWith('_scaled_dot_product');

/** Matches copies that convert, by the kernel's name: the type written, the type read. */
const CONVERSIONS: readonly (readonly [pattern: RegExp, written: string, read: string])[] = [
  [/::bfloat16tofloat32_copy_kernel_cuda/, 'float32', 'bfloat16'],
  [/::float16tofloat32_copy_kernel_cuda/, 'float32', 'float16'],
  [/::bfloat16_copy_kernel_cuda.*lambda\(float\b/, 'bfloat16', 'float32'],
  [/::float16_copy_kernel_cuda.*lambda\(float\b/, 'float16', 'float32'],
];

/** Types that a copying kernel writes and reads, if it converts; null otherwise. */
function conversion(op: string, kernelName: string): OperandTypes | null {
  if (op !== 'copy_') return null;
  const [, written, read] = CONVERSIONS.find(([pattern]) => pattern.test(kernelName)) ?? [];
  return written === undefined || read === undefined
    ? null
    : new Map([
        [0, written],
        [1, read],
      ]);
}

const INTEGERS = new Set<string | null>(['int64', 'int32']);

/** The element type of the op's data according to the kernel's name; null when the name does not determine it. */
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

/** The common type of all typed data tensors of the call; null when they differ or there are none. */
function typeAmong(args: readonly Arg[], types: OperandTypes): string | null {
  const dtypes = new Set(args.flatMap(({ dtype }, i) => (dtype === undefined || types.has(i) ? [] : [dtype])));
  const [only] = dtypes;
  return dtypes.size === 1 && only !== undefined ? only : null;
}

/** The call with float32 for every untyped tensor, which shows whether anything other than types is missing. */
export const withAnyType = (call: OpCall): OpCall => ({
  ...call,
  args: call.args.map((arg) => withType(arg, 'float32')),
});

/** The source from which missing dtypes were inferred: the kernel's name, or the other operands. */
export type TypedBy = 'kernel' | 'operand';

/**
 * The call with its missing dtypes inferred.
 * @param kernelName full demangled name of a kernel of the call
 * @returns the same call when nothing is missing, or nothing can be inferred
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
