/**
 * Mixture of experts: choosing experts for each token, sorting tokens by expert, the experts' products.
 */
import { workByRules, ruleFor, type BoundCall, type OpRules } from '../../schema/op-rules.js';
import { extentAt, numel } from '../../call.js';
import { NO_FORMULA } from '../../schema/dispatched.js';
import type { Family, OpCost } from '../../family.js';
import { tensorListParams, tensorParams } from '../../work.js';

const SOURCE = 'arguments as vLLM (csrc/moe), SGLang (sgl-kernel) and AITER register them';

/** Operations per element of a softmax: maximum, subtraction, exponential, sum, division. */
const SOFTMAX_FLOPS = 5;

/** Probabilities of all experts, the best of them kept. */
const chosen = (bound: BoundCall): OpCost | null => {
  const gating = bound.tensor('gating');
  if (gating === null) return null;
  return {
    params: tensorParams(gating),
    flops: SOFTMAX_FLOPS * numel(gating.shape),
    writes: bound.writes,
    formula: `flops = ${SOFTMAX_FLOPS}·E(gating); bytes = gating + weights + indices`,
  };
};

/** Tokens sorted by expert, in blocks. */
const aligned = (bound: BoundCall): OpCost | null => {
  const ids = bound.tensor('ids');
  const formula = 'flops = 0; bytes = expert ids + sorted tokens + blocks';
  return ids === null ? null : { params: tensorParams(ids), flops: 0, writes: bound.writes, formula };
};

/** The results of a token's experts added up. */
const added = (bound: BoundCall): OpCost | null => {
  const input = bound.tensor('input');
  const formula = 'flops = E(input); bytes = input + output';
  return input === null
    ? null
    : { params: tensorParams(input), flops: numel(input.shape), writes: bound.writes, formula };
};

/**
 * hidden [m, k], w1 [e, 2n or n, k], w2 [e, k, n], ids [m, t]: two products for each token and expert. Which experts'
 * weights are read depends on the choice. Weights of a few bits hold several values to an element along their last
 * extent: as many as w1 is shorter than k.
 */
const experts = (bound: BoundCall): OpCost | null => {
  const [hidden, ids] = [bound.tensor('hidden'), bound.tensor('ids')];
  const weights = bound.tensorsOf('w1 w2');
  if (hidden === null || ids === null || weights.some(({ shape }) => shape.length !== 3)) return null;
  const values = extentAt(hidden, -1) / (weights[0]?.shape[2] ?? 0);
  if (!Number.isInteger(values)) return null;
  const perToken = weights.reduce((sum, { shape: [, rows = 0, columns = 0] }) => sum + rows * columns * values, 0);
  return {
    flops: 2 * numel(ids.shape) * perToken,
    writes: null,
    params: tensorListParams([hidden, ...weights]),
    formula: 'flops = 2·m·t·(|w1| + |w2| of one expert), m tokens of t experts each',
    unknown: "which experts' weights are read is unspecified",
    matmul: true,
  };
};

/** The weights are held by the layer. */
const layer = (bound: BoundCall): OpCost | null => {
  const hidden = bound.tensor('hidden');
  if (hidden === null) return null;
  const unknown = "the experts' weights are not among the arguments";
  return { params: tensorParams(hidden), flops: null, writes: null, formula: NO_FORMULA, unknown, matmul: true };
};

const RULES: OpRules = {
  // vLLM's op also has the token and expert of each row, SGLang's does not.
  ...ruleFor('topk_softmax', ['!weights !indices !rows @gating', '!weights !indices @gating'], chosen),
  ...ruleFor(
    'moe_align_block_size sgl_moe_align_block_size',
    '@ids experts block !sorted !expert_ids !count ...',
    aligned,
  ),
  ...ruleFor('moe_sum', '@input !output', added),
  ...ruleFor(
    'inplace_fused_experts outplace_fused_experts aiter.fused_moe_',
    '@hidden @w1 @w2 @weights @ids ...',
    experts,
  ),
  ...ruleFor('moe_forward moe_forward_shared', '@hidden ...', layer),
};

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
