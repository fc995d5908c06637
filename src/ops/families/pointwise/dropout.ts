/** The gradient of dropout: of the mask that the forward pass saved. */
import { numel } from '../../call.js';
import type { Family } from '../../family.js';
import { rules, withTensors, workByRules } from '../../schema/op-rules.js';

const SOURCE = 'PyTorch native_dropout_backward: a product with the mask and one with the scale';

const FORMULA = 'flops = 2·E; bytes = gradient + mask + gradient of the input';

const backward = withTensors('grad_output mask', (gradient) => ({
  flops: 2 * numel(gradient.shape),
  writes: [gradient],
  formula: FORMULA,
}));

const RULES = rules`
  ${backward} native_dropout_backward _masked_scale: @grad_output @mask scale
`;

export const dropout: Family = {
  id: 'dropout',
  title: 'The gradient of dropout',
  ops: Object.keys(RULES),
  formulas: [FORMULA],
  work: workByRules(RULES, SOURCE),
};
