/** Pooling over sliding and adaptive windows. */
import { argument, numel } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { isDispatched } from '../../schema/dispatched.js';
import { opName, inputTensor, integers } from '../../operands.js';
import { ruleWork } from '../../schema/op-rules.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import { POOLING_RULES } from './pooling-gradients.js';
import { adaptiveWindow, isMax, slidingWindow } from './pooling-window.js';

const SOURCE = 'PyTorch output-size formula; one operation per window element; max pooling writes int64 positions';

const FORMULA = 'flops = window·E(result); bytes = input + result';
const UNSPECIFIED = 'the extents of the window are unspecified';

/** Whether the extents of the window, or of an adaptive op's result, are unspecified. */
const isUnspecified = (call: OpCall): boolean =>
  isDispatched(call) && integers(argument(call, 'kernel_size', 1)?.value) === null;

function forward(call: OpCall, kernel: KernelFacts): Work | null {
  const op = opName(call);
  const input = inputTensor(call);
  if (input === null) return null;
  const params = tensorParams(input);
  if (isUnspecified(call))
    return workOf({ writes: null, flops: null, params, formula: FORMULA, source: SOURCE, unknown: UNSPECIFIED });
  const window = op.includes('adaptive') ? adaptiveWindow(call, input) : slidingWindow(call, input);
  if (window === null || !Number.isSafeInteger(numel(window.result.shape))) return null;
  const { result, elements } = window;
  const positions = isMax(op) ? [tensor(result.shape, 'int64')] : [];
  const backward = kernel.dir === 'bprop';
  const perResult = backward && isMax(op) ? 1 : elements;
  const flops = Math.round(perResult * numel(result.shape));
  if (!Number.isSafeInteger(flops)) return null;
  return workOf({
    flops,
    reads: backward ? [result, ...positions] : [input],
    writes: backward ? [input] : [result, ...positions],
    params,
    formula: `flops = ${backward && isMax(op) ? '1' : 'window'}·E(result); bytes = input + result${isMax(op) ? ' + int64 positions' : ''}`,
    source: SOURCE,
  });
}

const NAMES =
  'max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices ' +
  'avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d ' +
  '_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d';

const FORWARD = NAMES.split(' ');

/** Gradients and fractional windows of the dispatcher have rules. */
const work = (call: OpCall, kernel: KernelFacts): Work | null =>
  FORWARD.includes(opName(call)) ? forward(call, kernel) : ruleWork(POOLING_RULES, call, kernel, SOURCE);

export const pooling: Family = {
  id: 'pooling',
  title: 'Pooling: maximum, average, adaptive',
  ops: [...FORWARD, ...Object.keys(POOLING_RULES)],
  formulas: [
    'flops = window·E(result), a comparison or addition per element; adaptive: E(input); backward of max: E(result)',
    'bytes = input + result, max also 8·E(result) for the positions; backward the same, the other way round',
  ],
  work,
};
