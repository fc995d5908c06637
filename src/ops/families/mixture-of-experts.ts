/**
 * Mixture of experts: choosing experts for each token, sorting tokens by expert, the experts' products.
 */
import { numel, positional, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { bind } from '../binding.js';
import { isDispatched, NO_FORMULA, untoldWork } from '../dispatched.js';
import type { Family, Work } from '../family.js';
import { opName, tensorOf } from '../operands.js';
import { tensorListParams, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'arguments as vLLM (csrc/moe) and SGLang (sgl-kernel) register them';

type Formula = (call: OpCall) => Work | null;

/** Operations per element of a softmax: maximum, subtraction, exponential, sum, division. */
const SOFTMAX_FLOPS = 5;

const at = (call: OpCall, position: number): Tensor | null => tensorOf(positional(call)[position]);

/** vLLM's op also tells from which token and expert each row is, SGLang's does not. */
const TOPK_SOFTMAX = ['!weights !indices !rows @gating', '!weights !indices @gating'];

/** Probabilities of all experts, the best of them kept. */
const chooseExperts =
  (flopsPerElement: number): Formula =>
  (call) => {
    const bound = bind(call, ...TOPK_SOFTMAX);
    const [gating] = bound?.tensors('gating') ?? [];
    if (bound === null || gating === undefined) return null;
    return trafficWork({
      flops: flopsPerElement * numel(gating.shape),
      reads: [gating],
      writes: bound.writes,
      params: tensorParams(gating),
      formula: `flops = ${flopsPerElement}·E(gating); bytes = gating + weights + indices`,
      source: SOURCE,
    });
  };

/** moe_align_block_size(topk_ids, experts, block, sorted_ids!, expert_ids!, count!) */
const alignBlocks: Formula = (call) => {
  const ids = at(call, 0);
  const results = [3, 4, 5].map((position) => at(call, position)).filter((result) => result !== null);
  if (ids === null || results.length < 3) return null;
  const params = tensorParams(ids);
  const formula = 'flops = 0; bytes = expert ids + sorted tokens + blocks';
  return trafficWork({ flops: 0, reads: [ids], writes: results, params, formula, source: SOURCE });
};

/** moe_sum(input, output!): the results of a token's experts added up. */
const sumExperts: Formula = (call) => {
  const [input, output] = [at(call, 0), at(call, 1)];
  if (input === null || output === null) return null;
  return trafficWork({
    flops: numel(input.shape),
    reads: [input],
    writes: [output],
    params: tensorParams(input),
    formula: 'flops = E(input); bytes = input + output',
    source: SOURCE,
  });
};

/**
 * fused_experts(hidden [m, k], w1 [e, 2n or n, k], w2 [e, k, n], topk_weights, topk_ids [m, t]): two products for each
 * token and expert. Which experts' weights are read depends on the choice.
 */
const fusedExperts: Formula = (call) => {
  const [hidden, up, down, ids] = [at(call, 0), at(call, 1), at(call, 2), at(call, 4)];
  if (hidden === null || up === null || down === null || ids === null) return null;
  if ([up, down].some(({ shape }) => shape.length !== 3)) return null;
  const perToken = [up, down].reduce((sum, { shape: [, rows = 0, columns = 0] }) => sum + rows * columns, 0);
  const flops = 2 * numel(ids.shape) * perToken;
  if (!Number.isSafeInteger(flops)) return null;
  const work = untoldWork({
    flops,
    params: tensorListParams([hidden, up, down]),
    formula: 'flops = 2·m·t·(|w1| + |w2| of one expert), m tokens of t experts each',
    source: SOURCE,
    unknown: "which experts' weights are read is not told",
  });
  return { ...work, matmul: true };
};

/** moe_forward(hidden, router_logits, layer): the weights are held by the layer. */
const layer: Formula = (call) => {
  const hidden = at(call, 0);
  if (hidden === null) return null;
  const work = untoldWork({
    flops: null,
    params: tensorParams(hidden),
    formula: NO_FORMULA,
    source: SOURCE,
    unknown: "the experts' weights are not among the arguments",
  });
  return { ...work, matmul: true };
};

const FORMULAS: ReadonlyMap<string, Formula> = new Map([
  ['topk_softmax', chooseExperts(SOFTMAX_FLOPS)],
  ['moe_align_block_size', alignBlocks],
  ['sgl_moe_align_block_size', alignBlocks],
  ['moe_sum', sumExperts],
  ['inplace_fused_experts', fusedExperts],
  ['outplace_fused_experts', fusedExperts],
  ['moe_forward', layer],
  ['moe_forward_shared', layer],
]);

export const mixtureOfExperts: Family = {
  id: 'mixture-of-experts',
  title: 'Mixture of experts: topk_softmax, moe_align_block_size, fused_experts',
  ops: [...FORMULAS.keys()],
  formulas: [
    'topk_softmax: flops = 5·E(gating); bytes = gating + weights + indices',
    'moe_sum: flops = E(input); moe_align_block_size: 0; bytes = operands + results',
    "fused_experts: flops = 2·m·t·(|w1| + |w2| of one expert); bytes unknown (which experts' weights are read)",
    'moe_forward: unknown, the weights are not among its arguments',
  ],
  work: (call) => (isDispatched(call) ? (FORMULAS.get(opName(call))?.(call) ?? null) : null),
};
