/**
 * Scans: every result element from the elements before it along a dimension.
 */
import { numel } from '../call.js';
import { bind } from '../binding.js';
import { dtypeAt } from '../dtype-argument.js';
import type { Family } from '../family.js';
import { opName } from '../operands.js';
import { category } from '../promotion.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'one update of the running value per element; each element read once and written once';

interface Scan {
  readonly signature: string;
  readonly flops: number;
  /** Sums of whole numbers are int64. */
  readonly sum?: boolean;
  /** Writes int64 positions too. */
  readonly positions?: boolean;
}

const sum: Scan = { signature: '@self dim dtype', flops: 1, sum: true };
/** Larger of two, difference, exponential, logarithm, sum. */
const logSumExp: Scan = { signature: '@self dim', flops: 5 };
const extremum: Scan = { signature: '@self dim', flops: 1, positions: true };
/** Values and positions are arguments that the kernel writes. */
const helper: Scan = { signature: '@self !values !indices dim', flops: 1 };

const SCANS: ReadonlyMap<string, Scan> = new Map([
  ...['cumsum', 'cumsum_', 'cumprod', 'cumprod_'].map((op) => [op, sum] as const),
  ...['_cumsum', '_cumprod'].map((op) => [op, { ...sum, signature: '@self dim' }] as const),
  ...['logcumsumexp', '_logcumsumexp'].map((op) => [op, logSumExp] as const),
  ...['cummax', 'cummin'].map((op) => [op, extremum] as const),
  ...['_cummax_helper', '_cummin_helper'].map((op) => [op, helper] as const),
]);

export const scan: Family = {
  id: 'scan',
  title: 'Scans: cumulative sums, products, extrema, log-sum-exp',
  ops: [...SCANS.keys()],
  formulas: ['flops = E; logcumsumexp 5·E', 'bytes = input + result (and int64 positions of cummax and cummin)'],
  work(call) {
    const op = opName(call);
    const kind = SCANS.get(op);
    const bound = kind === undefined || call.from === undefined ? null : bind(call, kind.signature);
    const [input] = bound?.tensors('self') ?? [];
    if (kind === undefined || bound === null || input === undefined) return null;
    const own = category(input.dtype);
    const widened = kind.sum === true && !op.endsWith('_') && (own === 'int' || own === 'bool') ? 'int64' : input.dtype;
    const dtype = bound.outs[0]?.dtype ?? dtypeAt(bound.arg('dtype')) ?? widened;
    const given = bound.tensors('values').concat(bound.tensors('indices'));
    const made = [tensor(input.shape, dtype), ...(kind.positions === true ? [tensor(input.shape, 'int64')] : [])];
    return trafficWork({
      flops: kind.flops * numel(input.shape),
      reads: [input],
      writes: given.length > 0 ? given : made,
      params: tensorParams(input),
      formula: `flops = ${kind.flops}·E; bytes = input + ${given.length + made.length > 1 ? 'values and positions' : 'result'}`,
      source: SOURCE,
    });
  },
};
