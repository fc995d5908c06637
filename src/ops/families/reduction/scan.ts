/** Scans: every result element from the elements before it along a dimension. */
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../../schema/op-rules.js';
import { numel, type Tensor } from '../../call.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Family } from '../../family.js';
import { category } from '../../schema/promotion.js';
import { tensor } from '../../work.js';

const SOURCE = 'one update of the running value per element; each element read once and written once';

/** The result: of the input's extents, and the type of the `out` tensor, `dtype`, or the default. */
const running = (bound: BoundCall, input: Tensor, byDefault: string): Tensor =>
  tensor(input.shape, bound.outs[0]?.dtype ?? dtypeAt(bound.arg('dtype')) ?? byDefault);

/** @param widens whether sums of whole numbers are int64 */
const plain = (flops: number, widens: boolean): RuleCost =>
  withTensors('self', (input, bound) => {
    const own = category(input.dtype);
    const result = running(bound, input, widens && (own === 'int' || own === 'bool') ? 'int64' : input.dtype);
    const formula = `flops = ${flops}·E; bytes = input + result`;
    return { flops: flops * numel(input.shape), writes: [result], formula };
  });

/** Values, and int64 positions; where these are arguments, the kernel writes them. */
const extremum = withTensors('self', (input, bound) => {
  const given = bound.tensorsOf('values indices');
  const made = [running(bound, input, input.dtype), tensor(input.shape, 'int64')];
  const formula = 'flops = 1·E; bytes = input + values and positions';
  return { flops: numel(input.shape), writes: given.length > 0 ? given : made, formula };
});

/** Larger of two, difference, exponential, logarithm, sum. */
const LOG_SUM_EXP = 5;

const RULES = rules`
  ${plain(1, true)} cumsum cumprod: @self dim dtype
  ${plain(1, false)} cumsum_ cumprod_: @self dim dtype
  ${plain(1, true)} _cumsum _cumprod: @self dim
  ${plain(LOG_SUM_EXP, false)} logcumsumexp _logcumsumexp: @self dim
  ${extremum} cummax cummin: @self dim
  ${extremum} _cummax_helper _cummin_helper: @self !values !indices dim
`;

export const scan: Family = {
  id: 'scan',
  title: 'Scans: cumulative sums, products, extrema, log-sum-exp',
  ops: Object.keys(RULES),
  formulas: ['flops = E; logcumsumexp 5·E', 'bytes = input + result (and int64 positions of cummax and cummin)'],
  work: workByRules(RULES, SOURCE),
};
