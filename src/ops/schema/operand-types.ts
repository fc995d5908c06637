/**
 * Operands whose element type is not that of the op's data: positions of index tensors, masks and statistics in the
 * op's schema (aten/src/ATen/native/native_functions.yaml). Ops of one data type need no entry.
 */

/** Type by position. */
export type OperandTypes = ReadonlyMap<number, string>;

const NONE: OperandTypes = new Map();

const at = (ops: string, types: Readonly<Record<number, string>>): [string, OperandTypes][] =>
  ops.split(' ').map((op) => [op, new Map(Object.entries(types).map(([position, type]) => [Number(position), type]))]);

const INDEX = 'int64';
const OFFSET = 'int32';
const MASK = 'bool';
/** Sums of 16-bit operands are kept in twice as many bits. */
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

/** The operands of an op with types of their own. Indices have 64 bits, unless the kernel's name has 32-bit ones. */
export function operandTypes(op: string, kernelName: string): OperandTypes {
  const types = TYPES.get(op) ?? NONE;
  if (!SHORT_INDEX.test(kernelName)) return types;
  return new Map([...types].map(([position, type]) => [position, type === INDEX ? 'int32' : type]));
}

const WIDENING = new Set(['sum', 'nansum', 'prod', 'cumsum', 'cumprod', 'cumsum_', 'cumprod_', 'trace']);

/** Whether the op widens all integers to int64, so that its kernel's name does not have the operand's type. */
export const widensIntegers = (op: string): boolean => WIDENING.has(op);

/** Ops with data of several types, which a kernel's name does not assign to operands: scaled products, quantisation. */
const MIXED = /^_scaled_|^_int_mm$|^_weight_int|quant|^_to_copy$|^to$/;

/** Whether the op's data is of several types. */
export const isMixed = (op: string): boolean => MIXED.test(op) && !op.startsWith('_scaled_dot_product');

/** Copies that convert, by the kernel's name: what is written, what is read. */
const CONVERSIONS: readonly (readonly [pattern: RegExp, written: string, read: string])[] = [
  [/::bfloat16tofloat32_copy_kernel_cuda/, 'float32', 'bfloat16'],
  [/::float16tofloat32_copy_kernel_cuda/, 'float32', 'float16'],
  [/::bfloat16_copy_kernel_cuda.*lambda\(float\b/, 'bfloat16', 'float32'],
  [/::float16_copy_kernel_cuda.*lambda\(float\b/, 'float16', 'float32'],
];

/** Types of what a copying kernel writes and reads, where it converts from the one to the other; else null. */
export function conversion(op: string, kernelName: string): OperandTypes | null {
  if (op !== 'copy_') return null;
  const [, written, read] = CONVERSIONS.find(([pattern]) => pattern.test(kernelName)) ?? [];
  return written === undefined || read === undefined
    ? null
    : new Map([
        [0, written],
        [1, read],
      ]);
}
