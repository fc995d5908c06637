/**
 * Linear layers that a training library runs as one autograd function with one or more products.
 *
 * PyTorch's profiler records the tensors of such a function in order. It records other arguments only if they are
 * numbers, booleans or lists of them (older versions: none), and without their positions. So only the tensors are used: matrices are
 * input and weights, vectors are biases and the parameters of a normalisation.
 */
import { entryOf, type ByName } from '../../by-name.js';
import { extentAt, numel, positional, type Tensor } from '../../call.js';
import type { Arg, OpCall } from '../../../record/record.js';
import { ofDispatcher } from '../../schema/op-rules.js';
import type { Family, KernelFacts, Param, Work } from '../../family.js';
import { inputTensors, integers } from '../../operands.js';
import { dtypeParams, workUnlessHelper } from '../../product.js';
import { helperWork, tensor, tensorListParams, workOf } from '../../work.js';

const SOURCE =
  '2·m·n·k for each product; order of the tensors: transformer_engine/pytorch/module (linear.py, layernorm_linear.py, ' +
  'layernorm_mlp.py, grouped_linear.py) of TransformerEngine, apex/mlp/mlp.py and apex/fused_dense/fused_dense.py of apex';

/** Products one after the other: input [..., k], each weight as [n, k]. */
interface LinearLayers {
  readonly input: Tensor;
  readonly weights: readonly Tensor[];
  /** Biases and normalisation parameters. */
  readonly vectors: readonly Tensor[];
  /** Whether the weights belong to one layer and each multiplies separate rows. */
  readonly grouped?: true;
}

type LayerReader = (tensors: readonly Tensor[], call: OpCall) => LinearLayers | null;

const isMatrix = ({ shape }: Tensor): boolean => shape.length >= 2;
const isVector = ({ shape }: Tensor): boolean => shape.length === 1;

/** input, weights and biases in any order, but the input precedes the weights. */
const stack: LayerReader = (tensors) => {
  const [input, ...weights] = tensors.filter(isMatrix);
  return input === undefined ? null : { input, weights, vectors: tensors.filter(isVector) };
};

/**
 * weight, its 8-bit copies, input, bias; older versions pass the copies. Without copies, the product is the same if the
 * input comes first.
 */
const linear: LayerReader = (tensors) => {
  const matrices = tensors.filter(isMatrix);
  const [first, last] = [matrices[0], matrices.at(-1)];
  if (first === undefined || last === undefined || matrices.length < 2) return null;
  const [weight, input] = first.shape.length > 2 ? [last, first] : [first, last];
  const bias = tensors.find((operand) => isVector(operand) && operand.shape[0] === weight.shape[0]);
  return { input, weights: [weight], vectors: bias === undefined ? [] : [bias] };
};

/** input, normalisation parameters, weight, its copies, bias. */
const normalizedLinear: LayerReader = (tensors) => {
  const [input, weight] = tensors.filter(isMatrix);
  if (input === undefined || weight === undefined) return null;
  return { input, weights: [weight], vectors: tensors.filter(isVector) };
};

/** input, normalisation parameters, weight, copies, bias, weight, copies, bias; a bias may be missing. */
const normalizedPair: LayerReader = (tensors) => {
  const [input, first] = tensors.filter(isMatrix);
  if (input === undefined || first === undefined) return null;
  const rest = tensors.slice(tensors.indexOf(first) + 1);
  const second = rest.slice(Math.max(0, rest.findIndex(isVector))).find(isMatrix) ?? rest.find(isMatrix);
  return second === undefined ? null : { input, weights: [first, second], vectors: tensors.filter(isVector) };
};

/** Whether the argument is the list of rows per group. */
const isSplits = ({ shape, items, value }: Arg): boolean =>
  shape === undefined && items === undefined && Array.isArray(value) && (integers(value)?.length ?? 0) > 0;

/** input, a weight for each group, their copies, a bias for each group. */
const grouped: LayerReader = (tensors, call) => {
  const [input, ...matrices] = tensors.filter(isMatrix);
  if (input === undefined) return null;
  const vectors = tensors.filter((operand) => isVector(operand) && operand.shape[0] === matrices[0]?.shape[0]);
  const groups = integers(positional(call).find(isSplits)?.value)?.length;
  const weights = matrices.slice(0, groups ?? (vectors.length > 0 ? vectors.length : matrices.length));
  const alike = weights.every(({ shape }) => shape.join() === weights[0]?.shape.join());
  return alike && weights.length > 0 ? { input, weights, vectors, grouped: true } : null;
};

const READERS: ByName<LayerReader> = {
  _Linear: linear,
  _LayerNormLinear: normalizedLinear,
  _LayerNormMLP: normalizedPair,
  _GroupedLinear: grouped,
  FusedDenseFunc: stack,
  FusedDenseGeluDenseFunc: stack,
  MlpFunction: stack,
};

/** Whether k fits the width of the previous result, or half of it if the other half is a gate. */
const fits = (width: number, k: number): boolean => width === k || width === 2 * k;

/** Multiply-adds per row, and width of the result; null when the extents do not fit each other. */
function rowOf({
  input,
  weights,
  grouped: isGrouped,
}: LinearLayers): { readonly products: number; readonly width: number } | null {
  let [products, width] = [0, extentAt(input, -1)];
  for (const [at, { shape }] of (isGrouped === true ? weights.slice(0, 1) : weights).entries()) {
    const [n = 0, k = 0] = shape;
    if (shape.length !== 2 || (at === 0 ? k !== width : !fits(width, k))) return null;
    products += n * k;
    width = n;
  }
  return weights.length === 0 ? null : { products, width };
}

function paramsOf({ input, weights }: LinearLayers, rows: number): Param[] {
  const [weight, ...others] = weights;
  if (weight === undefined || others.length > 0) return tensorListParams([input, ...weights]);
  return [['M', extentAt(weight, 0)], ['N', rows], ['K', extentAt(weight, 1)], ...dtypeParams(input, weight)];
}

/**
 * Whether it is one of TransformerEngine's kernels, which cast, transpose, normalise and activate; its GEMMs are kernels of
 * cuBLAS or CUTLASS.
 */
const isAuxiliary = ({ name }: KernelFacts): boolean => /transformer_engine::/.test(name);

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const tensors = inputTensors(call);
  const layers = tensors === null ? null : (entryOf(READERS, call)?.(tensors, call) ?? null);
  const row = layers === null ? null : rowOf(layers);
  if (layers === null || row === null) return null;
  const { input, weights, vectors } = layers;
  const outer = input.shape.slice(0, -1);
  const flops = 2 * numel(outer) * row.products;
  if (!Number.isSafeInteger(flops)) return null;
  const params = paramsOf(layers, numel(outer));
  if (isAuxiliary(kernel)) return helperWork(params, 'kernel name');
  const whole = workOf({
    flops,
    matmul: true,
    severalProducts: weights.length > 1,
    reads: [input, ...weights, ...vectors],
    writes: [tensor([...outer, row.width], input.dtype)],
    params,
    formula:
      'flops = 2·rows·Σ n·k over the weights, without norm, bias and activation; bytes = input + weights + biases + norm parameters + result, without intermediate results',
    source: SOURCE,
  });
  return workUnlessHelper(whole, kernel);
}

export const linearFunctions: Family = {
  id: 'linear-functions',
  title: 'Linear layers as autograd functions: TransformerEngine, apex',
  category: 'gemm',
  ops: Object.keys(READERS),
  formulas: [
    'flops = 2·rows·n·k for each weight [n, k]; without norm, bias and activation; all groups of _GroupedLinear have the same n and k',
    'bytes = input + weights + biases + norm parameters + result, in their recorded types (8-bit copies are intermediate results)',
    'backward: unknown, because the node receives only the gradient',
  ],
  work: ofDispatcher(work),
};
