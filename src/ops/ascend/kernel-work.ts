/**
 * The work of an Ascend kernel, computed from its operands: for profiles without framework ops, and for ops with
 * unspecified arguments.
 *
 * Products count as for other devices: 2·m·n·k, 2·N·Ho·Wo·|W|, 2·B·H·Sq·Skv·(Dq+Dv). Any other kernel does one
 * operation for each element of its result, and a reduction one for each element of its operand. Bytes are those of all
 * operands and results as stored, including the padding of their formats. The layout of fused attention's operands
 * follows from the softmax statistics, which are [B, N, Sq, 8].
 */
import type { Category } from '../category.js';
import { largest } from '../../containers/element.js';
import { isCubeClass } from '../../record/neuron/neuron-cores.js';
import type { KernelRecord } from '../../record/record.js';
import {
  kernelTensors,
  matrixOf,
  operatorType,
  positionsOf,
  present,
  type KernelTensors,
  type StoredTensor,
} from './kernel-tensors.js';
import { elementCount, numel } from '../call.js';
import type { KernelRole, Work, OpCost } from '../family.js';
import { ADAM_FLOPS } from '../families/optimizer.js';
import { tensorListParams, workOf } from '../work.js';

const FORMULA = '2·B·N·Sq·Skv·(Dq + Dv)';

/** FLOPs of the two products, and lengths of queries and keys. */
interface KernelExtents {
  readonly products: number;
  readonly sq: number;
  readonly skv: number;
}

/** Whether a tensor holds the maximum or sum of each softmax row, each stored eight times. */
const isStatistic = ({ shape, dtype }: StoredTensor): boolean =>
  shape.length === 4 && shape[3] === 8 && dtype === 'float32';

/** Sequence length and elements per token of q, k or v with three or four dimensions; null when the layout does not fit. */
function layoutOf(shape: readonly number[], batch: number, tokens?: number): readonly [number, number] | null {
  const [a = 0, b = 0, c = 0, d = 0] = shape;
  const fits = (count: number): boolean => tokens === undefined || tokens === count;
  if (shape.length === 3) {
    if (b === batch && fits(a)) return [a, c];
    return a === batch && fits(b) ? [b, c] : null;
  }
  if (shape.length !== 4 || a !== batch) return null;
  return fits(c) && tokens !== b ? [c, b * d] : fits(b) ? [b, c * d] : null;
}

function extentsOf(tensors: readonly StoredTensor[], statistic: StoredTensor | undefined): KernelExtents | null {
  const [q, k, v] = tensors;
  if (q === undefined || k === undefined || v === undefined || statistic === undefined) return null;
  const [batch = 0, heads = 0, sq = 0] = statistic.shape;
  const query = layoutOf(q.shape, batch, sq);
  const swapped = q.shape.length === 3 && q.shape[0] === batch && q.shape[1] === sq && q.shape[1] !== batch;
  const key = keyLayout(k.shape, q.shape, sq, swapped);
  const value = keyLayout(v.shape, q.shape, sq, swapped);
  if (query === null || key === null || value === null || heads === 0 || key[0] !== value[0]) return null;
  const dq = query[1] / heads;
  // Keys may have fewer heads than queries; values have as many as keys.
  const dv = (value[1] / key[1]) * dq;
  return { products: 2 * batch * heads * sq * key[0] * (dq + dv), sq, skv: key[0] };
}

/** Sequence length and elements per token of k or v, which have the same layout as q. */
function keyLayout(
  shape: readonly number[],
  query: readonly number[],
  sq: number,
  swapped: boolean,
): readonly [number, number] | null {
  const [a = 0, b = 0, c = 0, d = 0] = shape;
  if (shape.length !== query.length) return null;
  if (shape.length === 3) return swapped ? [b, c] : [a, c];
  return query[2] === sq ? [c, b * d] : [b, c * d];
}

/** A mask of this size means causal attention of any length. */
const isTriangle = ({ shape, dtype }: StoredTensor): boolean =>
  shape.length === 2 && shape[0] === 2048 && shape[1] === 2048 && (dtype === 'bool' || dtype === 'uint8');

function attentionCost(
  tensors: KernelTensors,
  statistic: StoredTensor | undefined,
  times: number,
): ReturnType<KernelRule> {
  const extents = extentsOf(present(tensors.inputs.slice(0, 3)), statistic);
  const causal = extents !== null && extents.sq === extents.skv && present(tensors.inputs).some(isTriangle);
  const factor = `${times === 1 ? '' : `${times}·`}${FORMULA}`;
  return {
    flops: extents === null ? null : Math.round(extents.products * times),
    formula: `flops = ${factor}${causal ? `; causal: masked pairs are included; the mask keeps ${((50 * (extents.sq + 1)) / extents.sq).toFixed(2)} % of them` : ''}`,
    matmul: true,
  };
}

/** Softmax(QKᵀ)·V. */
const attention: KernelRule = (tensors) => attentionCost(tensors, present(tensors.outputs).find(isStatistic), 1);

/** The gradient has five products; the forward pass has two. */
const attentionGradient: KernelRule = (tensors) =>
  attentionCost(tensors, present(tensors.inputs).find(isStatistic), 2.5);

/** A rule for one kind of operator. By default it writes all outputs and reads all inputs, as stored. */
type KernelRule = (tensors: KernelTensors) => Omit<OpCost, 'params' | 'writes'> & Partial<Pick<OpCost, 'writes'>>;

/** The fields of a kernel that rules use. */
type AscendKernel = Pick<KernelRecord, 'name' | 'labels' | 'engine'>;

/** Whether an extent may be padded: extents of a blocked format are multiples of 16. */
const isPadded = (extent: number, from: number): boolean => extent >= from && extent - from < 16;

/** K of a left operand that may be transposed. */
function depth([rows, columns]: readonly [number, number], m: number): number | null {
  if (rows === m) return columns;
  if (columns === m) return rows;
  return isPadded(rows, m) ? columns : isPadded(columns, m) ? rows : null;
}

const product: KernelRule = ({ inputs, outputs }) => {
  const [left] = inputs;
  const [result] = present(outputs);
  const [a, c] = [left, result].map((tensor) => (tensor === null || tensor === undefined ? null : matrixOf(tensor)));
  const formula =
    'flops = 2·m·n·k per matrix of a batch; m and n from the result, k is the other extent of the left operand';
  if (result === undefined || a === null || a === undefined || c === null || c === undefined)
    return { flops: null, formula, matmul: true };
  const k = depth(a, c[0]);
  return { flops: k === null ? null : 2 * numel(result.shape) * k, formula, matmul: true };
};

/** @param select selects the feature map whose positions count, and the weight */
function convolution(
  select: (tensors: KernelTensors) => readonly (StoredTensor | undefined)[],
  role: KernelRole,
): KernelRule {
  return (tensors) => {
    const [map, weight] = select(tensors);
    const at = map === undefined ? null : positionsOf(map);
    return {
      flops: at === null || weight === undefined ? null : 2 * at[0] * at[1] * at[2] * numel(weight.shape),
      formula: 'flops = 2·N·Ho·Wo·|W|, W as stored, padded channels included',
      role,
      matmul: true,
    };
  };
}

const forward = convolution(({ inputs, outputs }) => [present(outputs)[0], inputs[1] ?? undefined], 'main');
const inputGradient = convolution(({ inputs }) => [present(inputs).at(-1), inputs[1] ?? undefined], 'dgrad');
const weightGradient = convolution(({ inputs, outputs }) => [present(inputs).at(-1), present(outputs)[0]], 'wgrad');

const reduction: KernelRule = ({ inputs }) => ({
  flops: inputs[0] === null || inputs[0] === undefined ? null : numel(inputs[0].shape),
  formula: 'flops = elements of the operand',
});

const helper: KernelRule = () => ({ flops: 0, formula: '0: prepares or moves data', role: 'helper' });
const move: KernelRule = () => ({ flops: 0, formula: '0: moves data' });

/** Reads only the extents in its operands, or a single value. A kernel without outputs fills its first operand. */
const fill: KernelRule = ({ inputs, outputs }) => {
  const results = present(outputs);
  return {
    flops: 0,
    formula: '0: fills its result and reads only the shapes of its operands',
    reads: [],
    writes: results.length > 0 ? results : present(inputs).slice(0, 1),
  };
};

/** One operation for each element of the largest result; for a list, of all its tensors. */
const map =
  (isList: boolean): KernelRule =>
  ({ inputs, outputs }) => {
    const results = present(outputs);
    // A kernel without outputs writes its first operand.
    const made = results.length > 0 ? results : present(inputs).slice(0, 1);
    const sizes = made.map(({ shape }) => numel(shape));
    if (sizes.length === 0) return { flops: null, formula: 'flops = elements of the result' };
    return {
      flops: isList ? elementCount(made) : largest(sizes),
      formula: `flops = elements of ${isList ? 'all results' : 'the largest result'}`,
      writes: results.length > 0 ? results : made,
    };
  };

/** Adam updates weights and both moments in place. */
const adam: KernelRule = ({ inputs, outputs }) => {
  const state = present(inputs.slice(0, 3));
  const [weights] = state;
  return {
    flops: weights === undefined ? null : ADAM_FLOPS * numel(weights.shape),
    formula: `flops = ${ADAM_FLOPS}·E; weights and both moments are read and written`,
    writes: [...present(outputs), ...state],
  };
};

/** Rules by type of operator; the first match is used. */
const RULES: readonly (readonly [pattern: RegExp, rule: KernelRule, category: Category])[] = [
  [/^(Batch)?Mat_?Mul|^Grouped_?Mat_?mul|Quant(Batch)?Matmul|^GEMM$|^Gemm/i, product, 'gemm'],
  [/^(Depthwise)?Conv\dD(Transpose)?V?\d?$/, forward, 'convolution'],
  [/^(Depthwise)?Conv\dD?(Backprop|BackpropD?)Input/, inputGradient, 'convolution'],
  [/^(Depthwise)?Conv\dD?(Backprop|BackpropD?)Filter/, weightGradient, 'convolution'],
  [
    /^FlashAttentionScore$|^PromptFlashAttention|^FusedInferAttentionScore|^IncreFlashAttention/,
    attention,
    'attention',
  ],
  [/^FlashAttentionScoreGrad/, attentionGradient, 'attention'],
  [/^MemSet$/, helper, 'set'],
  [/^(TransData|Cast|TensorMove|(Strided)?SliceD?|TransposeD?|ViewCopy|AsStrided|BroadcastToD?)$/, helper, 'copy'],
  [/^(\w+Like|(Inplace)?(Fills?|FillScalar|Zero|Eye|FillDiagonal)|Empty|Shape\w*)(V\d+)?D?$/, fill, 'set'],
  [/^(Stateless)?Random(Normal|Uniform)\w*$/, fill, 'random'],
  [/^Range$/, move, 'set'],
  [/^Embedding$/, move, 'embedding'],
  [/^(Identity|ConcatD?|Pack|Split(V|VD|D)?|TileD?|Pad(V\d|D)?)$/, move, 'copy'],
  [/^(Gather|Scatter|Index(Put)?(V\d)?$|NonZero|MaskedSelect|OneHot|Where$|RepeatInterleave)/, move, 'indexing'],
  [/^(Reduce|LpNorm|ArgMax|ArgMin|BiasAddGrad|CumSum)/, reduction, 'reduction'],
  [/^(Sort|TopK)/, reduction, 'sorting'],
  [/^Apply(Fused)?AdamW?/, adam, 'optimizer'],
  [/^Foreach/, map(true), 'optimizer'],
  [
    /^(Abs|Adds?|Subs?|Muls?|(Real)?Divs?|Exp|Log|Pows?|R?sqrt|Square|Neg|Cos|Sin|Tanh|Sigmoid|(Swi)?Gelu|Relu|SwiGlu|Silu|Swish|Equal|NotEqual|Greater|GreaterEqual|Less|LessEqual|(Logical|Bitwise)\w+|Maximum|Minimum|Select|ClipByValue|Addcmul|Axpy|Reciprocal)(V\d+)?(Grad)?$/i,
    map(false),
    'elementwise',
  ],
];

const SOURCE = "the kernel's operands as recorded; data formats as documented by CANN";

const ruleOf = (type: string) => RULES.find(([pattern]) => pattern.test(type));

/** What an operator computes, by its type; null for a type without a rule. */
export const operatorCategory = (kernel: AscendKernel): Category | null => ruleOf(operatorType(kernel))?.[2] ?? null;

/** The work of a kernel from its operands; null when the profile has none. */
export function ascendWork(kernel: AscendKernel): Work | null {
  const type = operatorType(kernel);
  const rule = ruleOf(type)?.[1];
  const tensors = kernelTensors(kernel);
  if (tensors === null) return rule === helper ? withoutOperands() : null;
  if (rule === undefined && isCubeClass(kernel.engine)) return unknownProduct(type, tensors);
  return kernelWork(tensors, rule ?? map(false), type);
}

function kernelWork(tensors: KernelTensors, rule: KernelRule, type: string): Work {
  const [inputs, outputs] = [present(tensors.inputs), present(tensors.outputs)];
  // Slots without tensors do not show the amount of data that a helper moves.
  if (rule === helper && inputs.length + outputs.length === 0) return withoutOperands();
  const cost = rule(tensors);
  return workOf({
    reads: inputs,
    writes: outputs,
    params: tensorListParams([...inputs, ...outputs].slice(0, 8)),
    source: SOURCE,
    ...cost,
    formula: `${cost.formula}; bytes = operands + results as stored`,
    ...(cost.flops === null ? { unknown: `the operands of ${type} do not determine the FLOPs` } : {}),
  });
}

/** Work of a kernel of the matrix units that no rule covers. */
function unknownProduct(type: string, tensors: KernelTensors): Work {
  const work = kernelWork(tensors, () => ({ flops: null, formula: 'none', matmul: true }), type);
  return { ...work, unknown: `no formula for ${type}` };
}

/** Helpers, which fill the workspace of another kernel, often have no recorded operands. */
const withoutOperands = (): Work =>
  workOf({
    role: 'helper',
    flops: 0,
    writes: null,
    params: [],
    formula: '0: prepares the work of another kernel',
    source: SOURCE,
    unknown: 'the filled buffer is not recorded',
  });
