/**
 * Convolutions of one to three spatial dimensions, transposed convolutions, and convolutions over time in the layout [time,
 * batch, channels].
 *
 * Every output position takes C/g · prod(kernel) multiply-adds for each of the K channels; in a transposed convolution
 * every input position does. Dilation and padding change only the number of positions. dgrad and wgrad take the same number
 * each. Winograd and FFT kernels count as the direct algorithm.
 */
import { dispatcherNames } from '../../by-name.js';
import { numel, argumentValue, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { isDispatched } from '../../schema/dispatched.js';
import { opName, tensorAt, integer } from '../../operands.js';
import { productWork, workUnlessHelper, shapeParams, type ProductCost } from '../../product.js';
import { ruleWork, rules, withTensors, type OpRules } from '../../schema/op-rules.js';
import { GRADIENT_FORMS, FORWARD_RULES } from './convolution-forms.js';
import { gradientParts, gradientWork } from './convolution-gradients.js';
import {
  CONVOLUTION_SOURCE,
  convolutionFlops,
  convolutionFormula,
  geometryOf,
  geometryParams,
  spatialRank,
} from './convolution-geometry.js';
import { bind } from '../../schema/binding.js';
import { tensor, workOf } from '../../work.js';

const BACKWARD = 'conv_tbc_backward';

/** Whether x is [time, batch, C] and w [kernel, C, K]. */
const fit = (x: Tensor, w: Tensor): boolean =>
  x.shape.length === 3 && w.shape.length === 3 && x.shape[2] === w.shape[1];

/** Time steps of the output = time + 2·pad − kernel + 1. */
const forward = withTensors('x w', (x, w, bound) => {
  if (!fit(x, w)) return null;
  const [time = 0, batch = 0] = x.shape;
  const [kernel = 0, , filters = 0] = w.shape;
  const arg = bound.arg('pad');
  const pad = arg === undefined ? 0 : integer(arg.value);
  const cost = {
    matmul: true,
    params: shapeParams({ X: x, W: w }),
    formula: 'flops = 2·N·time(out)·C·K·kernel, bytes = |x| + |W| + |bias| + |y|',
  };
  if (pad === undefined) return { ...cost, flops: null, writes: null, unknown: 'the padding is unspecified' };
  const steps = time + 2 * pad - kernel + 1;
  if (steps < 1) return null;
  const writes = [tensor([steps, batch, filters], x.dtype)];
  return { ...cost, flops: convolutionFlops(batch, steps, w), writes };
});

const TIME_CONVOLUTION = rules`
  ${forward} conv_tbc: @x @w @bias pad
`;

const CONV_TBC_OPS: readonly string[] = [...Object.keys(TIME_CONVOLUTION), BACKWARD];

/** The backward pass always computes all three gradients: of input, weight and bias. */
function timeConvolutionParts(call: OpCall): readonly Work[] | null {
  const bound = opName(call) === BACKWARD ? bind(call, '@dy @x @w @bias pad') : null;
  const [dy, x, w] = ['dy', 'x', 'w'].map((name) => bound?.tensor(name) ?? null);
  if (!dy || !x || !w || dy.shape.length !== 3 || !fit(x, w)) return null;
  const [steps = 0, batch = 0, filters = 0] = dy.shape;
  const shared = {
    params: shapeParams({ dY: dy, X: x, W: w }),
    formula: 'flops = 2·N·time(out)·C·K·kernel for each gradient; bytes = operands read + gradient written',
    source: CONVOLUTION_SOURCE,
  };
  const flops = convolutionFlops(batch, steps, w);
  return [
    workOf({ ...shared, role: 'dgrad', matmul: true, flops, reads: [dy, w], writes: [x] }),
    workOf({ ...shared, role: 'wgrad', matmul: true, flops, reads: [dy, x], writes: [w] }),
    workOf({ ...shared, role: 'bias', flops: numel(dy.shape), reads: [dy], writes: [tensor([filters], dy.dtype)] }),
  ];
}

/** Order of the arguments of a Python function. */
interface PythonForm {
  /** Number of spatial dimensions; null when the weight determines it. */
  readonly rank: 1 | 2 | 3 | null;
  readonly transposed: boolean;
  readonly order: readonly string[];
}

const PLAIN = ['input', 'weight', 'bias', 'stride', 'padding', 'dilation', 'groups'];
const TRANSPOSED = ['input', 'weight', 'bias', 'stride', 'padding', 'output_padding', 'groups', 'dilation'];
const GENERAL = ['input', 'weight', 'bias', 'stride', 'padding', 'dilation', 'transposed', 'output_padding', 'groups'];

/** PyTorch's signatures: torch.nn.functional, and the general operator that these functions call. */
const PYTHON_FORMS: ReadonlyMap<string, PythonForm> = new Map<string, PythonForm>([
  ['conv1d', { rank: 1, transposed: false, order: PLAIN }],
  ['conv2d', { rank: 2, transposed: false, order: PLAIN }],
  ['conv3d', { rank: 3, transposed: false, order: PLAIN }],
  ['conv_transpose1d', { rank: 1, transposed: true, order: TRANSPOSED }],
  ['conv_transpose2d', { rank: 2, transposed: true, order: TRANSPOSED }],
  ['conv_transpose3d', { rank: 3, transposed: true, order: TRANSPOSED }],
  ['convolution', { rank: null, transposed: false, order: GENERAL }],
  ['_convolution', { rank: null, transposed: false, order: GENERAL }],
]);

function read(call: OpCall): ProductCost | null {
  const form = PYTHON_FORMS.get(opName(call));
  const x = tensorAt(call, 'input', 0);
  const w = tensorAt(call, 'weight', 1);
  if (form === undefined || x === null || w === null) return null;
  const general = form.rank === null && argumentValue(call, 'transposed', form.order.indexOf('transposed')) === true;
  const transposed = form.transposed || general;
  const rank = spatialRank(w, form.rank);
  const at = (name: string) => {
    const index = form.order.indexOf(name);
    return index < 0 ? undefined : argumentValue(call, name, index);
  };
  const geometry = rank === null ? null : geometryOf(at, rank, x, w, transposed);
  if (geometry === null) return null;
  const { batch, filters, input, output } = geometry;
  const shape = [...(x.shape.length === geometry.input.length + 1 ? [] : [batch]), filters, ...output];
  return {
    flops: convolutionFlops(batch, numel(transposed ? input : output), w),
    reads: [x, w],
    writes: [{ shape, dtype: x.dtype }],
    params: geometryParams(geometry, x, w),
    formula: convolutionFormula(transposed, '|x| + |W|'),
    source: CONVOLUTION_SOURCE,
    matmul: true,
    addend: { given: tensorAt(call, 'bias', 2), shape: [filters], fused: false, symbol: 'b' },
    transposed,
  };
}

const FORWARD: OpRules = { ...FORWARD_RULES, ...TIME_CONVOLUTION };

const DISPATCHED = [...Object.keys(FORWARD_RULES), ...Object.keys(GRADIENT_FORMS), ...CONV_TBC_OPS];

const partsOf = (call: OpCall): readonly Work[] | null => gradientParts(call) ?? timeConvolutionParts(call);

/** The work of a dispatcher convolution: the whole forward pass, or the gradient that the kernel computes. */
function dispatched(call: OpCall, kernel: KernelFacts): Work | null {
  const forward = ruleWork(FORWARD, call, kernel, CONVOLUTION_SOURCE);
  if (forward !== null) return workUnlessHelper(forward, kernel);
  const parts = partsOf(call);
  return parts === null ? null : gradientWork(parts, kernel);
}

export const convolution: Family = {
  id: 'convolution',
  title: 'Convolutions of one to three dimensions, grouped and transposed, and their gradients',
  category: 'convolution',
  ops: [...PYTHON_FORMS.keys(), ...dispatcherNames(DISPATCHED.filter((op) => !PYTHON_FORMS.has(op)))],
  formulas: [
    'flops = 2·N·K·prod(out)·(C/g)·prod(kernel); forward, input gradient and weight gradient each',
    'transposed: flops = 2·N·C·prod(in)·(K/g)·prod(kernel), with C input and K output channels',
    'bytes = |x| + |W| + |b| + |y|; gradients: |x| + |W| + |y|',
    '`--convention pyprof`: Python calls are counted without the bias',
    'bias kernel: flops = |y|, bytes = 2·|y| + K forward, |y| + K backward',
    'dispatcher calls: an addend is read too; each gradient selected by output_mask is a separate part',
  ],
  work(call, kernel) {
    if (isDispatched(call)) return dispatched(call, kernel);
    const found = read(call);
    return found === null ? null : productWork(found, kernel);
  },
  parts: (call) => (isDispatched(call) ? partsOf(call) : null),
};
