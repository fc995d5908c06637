/** Mixture of experts: choosing experts for each token, sorting tokens by expert, the experts' products. */
import { rules, withTensors, workByRules } from '../../schema/op-rules.js';
import { extentAt, numel } from '../../call.js';
import { NO_FORMULA } from '../../schema/dispatched.js';
import type { Family } from '../../family.js';
import { tensorListParams } from '../../work.js';
import { SOFTMAX } from '../reduction/fused-softmax.js';

const SOURCE = 'arguments as vLLM (csrc/moe), SGLang (sgl-kernel) and AITER register them';

/** Probabilities of all experts, the best of them kept. */
const chosen = withTensors('gating', (gating, { writes }) => ({
  flops: SOFTMAX.forward * numel(gating.shape),
  writes,
  formula: `flops = ${SOFTMAX.forward}·E(gating); bytes = gating + weights + indices`,
}));

/** Tokens sorted by expert, in blocks. */
const aligned = withTensors('ids', (_, { writes }) => ({
  flops: 0,
  writes,
  formula: 'flops = 0; bytes = expert ids + sorted tokens + blocks',
}));

/** The results of a token's experts added up. */
const added = withTensors('input', (input, { writes }) => ({
  flops: numel(input.shape),
  writes,
  formula: 'flops = E(input); bytes = input + output',
}));

/**
 * hidden [m, k], w1 [e, 2n or n, k], w2 [e, k, n], ids [m, t]: two products for each token and expert. Which experts'
 * weights are read depends on the choice. Weights of a few bits hold several values to an element along their last
 * extent: as many as w1 is shorter than k.
 */
const experts = withTensors('hidden ids', (hidden, ids, bound) => {
  const weights = bound.tensorsOf('w1 w2');
  const [w1] = weights;
  if (w1 === undefined || weights.some(({ shape }) => shape.length !== 3)) return null;
  const values = extentAt(hidden, -1) / extentAt(w1, 2);
  if (!Number.isInteger(values)) return null;
  const perToken = weights.reduce((sum, { shape: [, rows = 0, columns = 0] }) => sum + rows * columns * values, 0);
  return {
    flops: 2 * numel(ids.shape) * perToken,
    writes: null,
    params: tensorListParams([hidden, ...weights]),
    formula: 'flops = 2·m·t·(|w1| + |w2| of one expert), m tokens of t experts each',
    unknown: "which experts' weights are read is unspecified",
    matmul: true,
    severalProducts: true,
  };
});

/** The weights are held by the layer. */
const layer = withTensors('hidden', () => {
  const unknown = "the experts' weights are not among the arguments";
  return { flops: null, writes: null, formula: NO_FORMULA, unknown, matmul: true, severalProducts: true };
});

const RULES = rules`
  // vLLM's op also has the token and expert of each row, SGLang's does not.
  ${chosen} topk_softmax: !weights !indices !rows @gating
      | !weights !indices @gating
  ${aligned} moe_align_block_size sgl_moe_align_block_size: @ids experts block !sorted !expert_ids !count ...
  ${added} moe_sum: @input !output
  ${experts} inplace_fused_experts outplace_fused_experts aiter.fused_moe_: @hidden @w1 @w2 @weights @ids ...
  ${layer} moe_forward moe_forward_shared: @hidden ...
`;

export const mixtureOfExperts: Family = {
  id: 'mixture-of-experts',
  title: 'Mixture of experts: topk_softmax, moe_align_block_size, fused_experts',
  ops: Object.keys(RULES),
  formulas: [
    'topk_softmax: flops = 5·E(gating); bytes = gating + weights + indices',
    'moe_sum: flops = E(input); moe_align_block_size: 0; bytes = operands + results',
    "fused_experts: flops = 2·m·t·(|w1| + |w2| of one expert); bytes unknown (which experts' weights are read)",
    'moe_forward: unknown, the weights are not among its arguments',
  ],
  work: workByRules(RULES, SOURCE),
};
