/**
 * The work of an Ascend kernel by its own operands, for profiles without ops of the framework, and for ops whose arguments
 * are unspecified.
 *
 * Products count as everywhere: 2·m·n·k, 2·N·Ho·Wo·|W|, 2·B·H·Sq·Skv·(Dq+Dv). Any other kernel does one operation for
 * each element of its result, a reduction for each element of its operand. Bytes are those of all operands and results
 * as they are stored, padding of their formats included.
 */
import { largest } from '../../containers/element.js';
import { isCubeClass } from '../../record/neuron/neuron-cores.js';
import type { KernelRecord } from '../../record/record.js';
import { attention, attentionGradient } from './attention-kernel.js';
import type { KernelRule } from './kernel-rule.js';
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
import type { KernelRole, Work } from '../family.js';
import { ADAM_FLOPS } from '../families/optimizer/optimizer.js';
import { tensorListParams, workOf } from '../work.js';

/** What is known of a kernel. */
type AscendKernel = Pick<KernelRecord, 'name' | 'labels' | 'engine'>;

/** Extents of a blocked format are multiples of 16. */
const isPadded = (extent: number, from: number): boolean => extent >= from && extent - from < 16;

/** K, of a left operand that may be transposed. */
function depth([rows, columns]: readonly [number, number], m: number): number | null {
  if (rows === m) return columns;
  if (columns === m) return rows;
  return isPadded(rows, m) ? columns : isPadded(columns, m) ? rows : null;
}

const product: KernelRule = ({ inputs, outputs }) => {
  const [left] = inputs;
  const [result] = present(outputs);
  const [a, c] = [left, result].map((tensor) => (tensor === null || tensor === undefined ? null : matrixOf(tensor)));
  const formula = 'flops = 2·m·n·k, for each of a batch; m, n of the result, k = the other extent of the left operand';
  if (result === undefined || a === null || a === undefined || c === null || c === undefined)
    return { flops: null, formula, matmul: true };
  const k = depth(a, c[0]);
  return { flops: k === null ? null : 2 * numel(result.shape) * k, formula, matmul: true };
};

/** @param of selects the feature map whose positions count, and the weight */
function convolution(
  of: (tensors: KernelTensors) => readonly (StoredTensor | undefined)[],
  role: KernelRole,
): KernelRule {
  return (tensors) => {
    const [map, weight] = of(tensors);
    const at = map === undefined ? null : positionsOf(map);
    return {
      flops: at === null || weight === undefined ? null : 2 * at[0] * at[1] * at[2] * numel(weight.shape),
      formula: 'flops = 2·N·Ho·Wo·|W|, W as it is stored: channels filled up by its format count',
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

/** Needs only the extents of its operands, or a single value. A kernel without outputs fills its first operand. */
const fill: KernelRule = ({ inputs, outputs }) => {
  const results = present(outputs);
  return {
    flops: 0,
    formula: '0: fills its result, whose extents are all that it needs of its operands',
    reads: [],
    writes: results.length > 0 ? results : present(inputs).slice(0, 1),
  };
};

/** One operation for each element of the largest result; of a list, of all its tensors. */
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

/** Rules by type of operator; first match wins. */
const RULES: readonly (readonly [RegExp, KernelRule])[] = [
  [/^(Batch)?Mat_?Mul|^Grouped_?Mat_?mul|Quant(Batch)?Matmul|^GEMM$|^Gemm/i, product],
  [/^(Depthwise)?Conv\dD(Transpose)?V?\d?$/, forward],
  [/^(Depthwise)?Conv\dD?(Backprop|BackpropD?)Input/, inputGradient],
  [/^(Depthwise)?Conv\dD?(Backprop|BackpropD?)Filter/, weightGradient],
  [/^FlashAttentionScore$|^PromptFlashAttention|^FusedInferAttentionScore|^IncreFlashAttention/, attention],
  [/^FlashAttentionScoreGrad/, attentionGradient],
  [/^(TransData|Cast|MemSet|TensorMove|(Strided)?SliceD?|TransposeD?|ViewCopy|AsStrided|BroadcastToD?)$/, helper],
  [
    /^(\w+Like|(Inplace)?(Fills?|FillScalar|Zero|Eye|FillDiagonal)|Empty|Shape\w*|(Stateless)?Random(Normal|Uniform)\w*)(V\d+)?D?$/,
    fill,
  ],
  [/^(Identity|Range|ConcatD?|Pack|Split(V|VD|D)?|TileD?|Pad(V\d|D)?|Embedding)$/, move],
  [/^(Gather|Scatter|Index(Put)?(V\d)?$|NonZero|MaskedSelect|OneHot|Where$|RepeatInterleave)/, move],
  [/^(Reduce|LpNorm|ArgMax|ArgMin|BiasAddGrad|CumSum|Sort|TopK)/, reduction],
  [/^Apply(Fused)?AdamW?/, adam],
  [/^Foreach/, map(true)],
];

const SOURCE = "operands of the kernel, as recorded in its profile; formats in CANN's documentation of data formats";

/** The work of a kernel by its own operands; null where the profile has none. */
export function ascendWork(kernel: AscendKernel): Work | null {
  const type = operatorType(kernel);
  const rule = RULES.find(([pattern]) => pattern.test(type))?.[1];
  const tensors = kernelTensors(kernel);
  if (tensors === null) return rule === helper ? withoutOperands() : null;
  if (rule === undefined && isCubeClass(kernel.engine)) return unknownProduct(type, tensors);
  return kernelWork(tensors, rule ?? map(false), type);
}

function kernelWork(tensors: KernelTensors, rule: KernelRule, type: string): Work {
  const [inputs, outputs] = [present(tensors.inputs), present(tensors.outputs)];
  // Slots without a tensor say nothing of what a helper moves.
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

/** A kernel of the matrix cores that no rule covers. */
function unknownProduct(type: string, tensors: KernelTensors): Work {
  const work = kernelWork(tensors, () => ({ flops: null, formula: 'none', matmul: true }), type);
  return { ...work, unknown: `no formula for ${type}` };
}

/** Helpers often have no recorded operands: they fill the workspace of another kernel. */
const withoutOperands = (): Work =>
  workOf({
    role: 'helper',
    flops: 0,
    writes: null,
    params: [],
    formula: '0: prepares the work of another kernel',
    source: SOURCE,
    unknown: 'the buffer that it fills is not recorded',
  });
