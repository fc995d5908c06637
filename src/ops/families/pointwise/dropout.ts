/**
 * The gradient of dropout: of the mask that the forward pass saved.
 */
import { numel } from '../../call.js';
import type { Family, OpCost } from '../../family.js';
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { tensorParams } from '../../work.js';

const SOURCE = 'PyTorch native_dropout_backward: a product with the mask and one with the scale';

const backward = (bound: BoundCall): OpCost | null => {
  const [gradient, mask] = [bound.tensor('grad_output'), bound.tensor('mask')];
  if (gradient === null || mask === null) return null;
  return {
    params: tensorParams(gradient),
    flops: 2 * numel(gradient.shape),
    writes: [gradient],
    formula: 'flops = 2·E; bytes = gradient + mask + gradient of the input',
  };
};

const RULES: OpRules = ruleFor('native_dropout_backward _masked_scale', '@grad_output @mask scale', backward);

export const dropout: Family = {
  id: 'dropout',
  title: 'The gradient of dropout',
  ops: Object.keys(RULES),
  formulas: ['flops = 2·E; bytes = gradient + mask + gradient of the input'],
  work: workByRules(RULES, SOURCE),
};
