/**
 * Argument reconstruction: NVTX ranges contain only the sizes of a call's tensors, with TensorLists flattened. When the
 * sizes allow only one possibility, the arguments are put back into the order of the op's schema.
 *
 * A tensor list has one entry for each tensor. A 0-dim tensor, a number, a list of numbers, None and an empty list have
 * one blank entry each; None inside a list has no entry.
 *
 * When an enclosing op always passes one tensor for two operands, the call has its extents twice, but the kernel reads it
 * once.
 */
import { append } from '../../containers/element.js';
import type { Arg, OpCall } from '../../record/record.js';
import { opName } from '../operands.js';

/**
 * By enclosing op, the op that it calls with one tensor for both operands: isnan(x) is x ≠ x, isfinite(x) is (x = x)·(|x| ≠
 * ∞). Source: aten/src/ATen/native/TensorCompare.cpp.
 */
const COMPARED_WITH_ITSELF: ReadonlyMap<string, string> = new Map([
  ['isnan', 'ne'],
  ['isfinite', 'eq'],
]);

/** Used as the second operand, which is the same tensor. */
const SAME: Arg = { name: '', type: 'unknown' };

/** The call with each of its tensors only once. @param around the enclosing call */
export function withEachOperandOnce(call: OpCall, around: OpCall | undefined): OpCall {
  if (around === undefined || COMPARED_WITH_ITSELF.get(opName(around)) !== opName(call)) return call;
  const [self, other, ...rest] = call.args;
  // |x| ≠ ∞ compares with a number; separate calls compare the parts of a complex tensor.
  if (call.from === undefined || self?.shape === undefined || other?.shape === undefined) return call;
  return String(self.shape) === String(other.shape) ? { ...call, args: [self, SAME, ...rest] } : call;
}

type SchemaSlot = 'tensor' | 'optional' | 'blank' | 'list' | 'list of scalars';
type ArgumentOrder = readonly SchemaSlot[];

/**
 * An order is written as a signature (see `signature.ts`), with `@name[.]` for a tensor list without dimensions. All
 * lists of one order have the same length and, except for the scalars, the same extents.
 */
const SLOTS: readonly (readonly [pattern: RegExp, slot: SchemaSlot])[] = [
  [/\[\]$/, 'list'],
  [/\[\.\]$/, 'list of scalars'],
  [/^@.*\?$/, 'optional'],
  [/^@/, 'tensor'],
];

const order = (text: string): ArgumentOrder =>
  text.split(' ').map((word) => SLOTS.find(([pattern]) => pattern.test(word))?.[1] ?? 'blank');

const ofAll = (ops: string, ...texts: readonly string[]): [string, readonly ArgumentOrder[]][] =>
  ops.split(' ').map((op) => [op, texts.map(order)]);

const foreach = (ops: string, ...texts: readonly string[]): [string, readonly ArgumentOrder[]][] =>
  ops.split(' ').flatMap((op) => [...ofAll(`_foreach_${op}`, ...texts), ...ofAll(`_foreach_${op}_`, ...texts)]);

const ADAM_REST = 'lr beta1 beta2 weight_decay eps amsgrad maximize @grad_scale? @found_inf?';

/** Source: aten/src/ATen/native/native_functions.yaml. */
const ORDERS: ReadonlyMap<string, readonly ArgumentOrder[]> = new Map([
  ...ofAll('cat _cat concat concatenate stack', '@tensors[] dim', '@tensors[] dim @out'),
  ...ofAll('index _unsafe_index', '@self @indices[]'),
  ...ofAll('index_put index_put_ _unsafe_index_put', '@self @indices[] @values accumulate'),
  ...ofAll('_index_put_impl_', '@self @indices[] @values accumulate unsafe'),
  ...foreach('add sub', '@self[] scalar', '@self[] @other[] alpha', '@self[] other alpha'),
  ...foreach('mul div maximum minimum clamp_max clamp_min pow', '@self[] scalar', '@self[] @other[]'),
  ...foreach('addcmul addcdiv', '@self[] @tensor1[] @tensor2[] value'),
  ...foreach('lerp', '@self[] @tensors1[] weight', '@self[] @tensors1[] @weights[]'),
  ...foreach('copy', '@self[] @src[] non_blocking'),
  ...foreach(
    'abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round ' +
      'rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zero',
    '@self[]',
  ),
  ...ofAll('_foreach_norm', '@self[] ord', '@self[] ord dtype'),
  ...ofAll(
    '_fused_adam_ _fused_adamw_',
    `@self[] @grads[] @exp_avgs[] @exp_avg_sqs[] max_exp_avg_sqs @state_steps[.] ${ADAM_REST}`,
    `@self[] @grads[] @exp_avgs[] @exp_avg_sqs[] @max_exp_avg_sqs[] @state_steps[.] ${ADAM_REST}`,
  ),
  ...ofAll(
    '_fused_sgd_',
    '@self[] @grads[] momentum_buffers weight_decay momentum lr dampening nesterov maximize is_first_step @grad_scale? @found_inf?',
    '@self[] @grads[] @momentum_buffers[] weight_decay momentum lr dampening nesterov maximize is_first_step @grad_scale? @found_inf?',
  ),
  ...ofAll(
    '_fused_adagrad_',
    '@self[] @grads[] @state_sums[] @state_steps[.] lr lr_decay weight_decay eps maximize @grad_scale? @found_inf?',
  ),
  ...ofAll('_amp_foreach_non_finite_check_and_unscale_', '@self[] @found_inf? @inv_scale?'),
]);

/** Other ops with tensor lists, which cannot be separated from their other arguments. */
const OTHERS = new RegExp(
  [
    '^_foreach_|^_fused_(adam|sgd|adagrad)|^_amp_foreach_|^(lstm|gru|rnn_tanh|rnn_relu|einsum|meshgrid|block_diag)$',
    '^(_cudnn|miopen|mkldnn)_rnn|^quantized_(lstm|gru)|^_chunk_cat$|^cartesian_prod$|^broadcast_tensors$',
    '^(hstack|vstack|dstack|row_stack|column_stack)$|^(linalg_)?multi_dot$|^chain_matmul$|^_?pad_sequence$',
    '^(un)?flatten_dense_tensors$',
  ].join('|'),
);

const hasList = (call: OpCall): boolean => call.mod === 'c10d' || ORDERS.has(opName(call)) || OTHERS.test(opName(call));

const isList = (slot: SchemaSlot): boolean => slot === 'list' || slot === 'list of scalars';
const isTensor = (arg: Arg | undefined): boolean => arg?.shape !== undefined;

function fits(slot: SchemaSlot, entries: readonly Arg[]): boolean {
  if (slot === 'optional') return true;
  const hasSizes = slot === 'tensor' || slot === 'list';
  return entries.every((entry) => isTensor(entry) === hasSizes);
}

const extents = (entries: readonly Arg[]): string => entries.map(({ shape }) => String(shape)).join(';');

const SCALAR: Arg = { name: '', type: 'tensor', shape: [] };

const listOf = (slot: SchemaSlot, entries: readonly Arg[]): Arg => ({
  name: '',
  type: 'list',
  items: slot === 'list' ? entries : entries.map(() => SCALAR),
});

/** The arguments in this order; null when they do not fit it. */
function inOrder(slots: ArgumentOrder, args: readonly Arg[]): Arg[] | null {
  const lists = slots.filter(isList).length;
  const length = (args.length - (slots.length - lists)) / lists;
  if (!Number.isInteger(length) || length < 1) return null;
  const found: Arg[] = [];
  const shapes = new Set<string>();
  let at = 0;
  for (const slot of slots) {
    const entries = args.slice(at, at + (isList(slot) ? length : 1));
    at += entries.length;
    if (!fits(slot, entries)) return null;
    if (slot === 'list') shapes.add(extents(entries));
    append(found, isList(slot) ? [listOf(slot, entries)] : entries);
  }
  return shapes.size <= 1 ? found : null;
}

const UNSPECIFIED_LIST: Arg = { name: '', type: 'list' };

/**
 * The indices of an indexing op. None, for a dimension without an index, has no entry, so the dimensions of the indices are
 * known only when all have one. An index as long as its dimension may be a mask.
 */
function withKnownIndices([self, indices, ...rest]: readonly Arg[]): Arg[] {
  const shape = self?.shape ?? [];
  const items = indices?.items ?? [];
  const certain =
    items.length === shape.length &&
    items.every((index, i) => index.shape?.length !== 1 || index.shape[0] !== shape[i]);
  const list = certain
    ? { ...UNSPECIFIED_LIST, items: items.map((item) => ({ ...item, dtype: 'int64' })) }
    : UNSPECIFIED_LIST;
  return [...(self === undefined ? [] : [self]), list, ...rest];
}

const IS_INDEXING = /index/;

/** Ops whose first argument is always a tensor: in-place ops, and gradients of losses. */
const TENSOR_FIRST = /[^_]_$|_loss\w*_backward$/;

/** The arguments, with a blank first one as a 0-dim tensor if the op requires a tensor there. */
function withKnownScalar(call: OpCall): readonly Arg[] {
  const [first, ...rest] = call.args;
  if (first === undefined || isTensor(first) || call.mod !== 'aten' || !TENSOR_FIRST.test(opName(call)))
    return call.args;
  return [SCALAR, ...rest];
}

/**
 * The call with its arguments in schema order. When no order or several orders fit, its only argument is a list with
 * unspecified items.
 */
export function reconstructArguments(call: OpCall): OpCall {
  if (call.from !== 'sizes') return call;
  if (!hasList(call)) return { ...call, args: withKnownScalar(call), from: 'dispatcher' };
  const fitting = (ORDERS.get(opName(call)) ?? [])
    .map((slots) => inOrder(slots, call.args))
    .filter((found) => found !== null);
  const [only = [UNSPECIFIED_LIST], ...others] = fitting;
  if (others.length > 0) return { ...call, args: [UNSPECIFIED_LIST], from: 'dispatcher' };
  return { ...call, args: IS_INDEXING.test(call.op) ? withKnownIndices(only) : only, from: 'dispatcher' };
}
