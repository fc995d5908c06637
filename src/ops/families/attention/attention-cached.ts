/** Attention of a serving engine on a key-value cache that is no argument of the call. */
import { elementAt } from '../../../containers/element.js';
import { dtypeShort, extentAt, type Tensor } from '../../call.js';
import type { Param } from '../../family.js';
import { rules, withTensors } from '../../schema/op-rules.js';

const heads = (name: string, { shape }: Tensor): Param[] => (shape.length === 3 ? [[name, elementAt(shape, 1)]] : []);

/** The cost is unknown; the params have the extents of the new tokens, [tokens, heads, head dimension]. */
const cached = withTensors('q k', (q, k) => {
  const [positions] = q.shape;
  if (positions === undefined) return null;
  const width: Param[] = q.shape.length === 3 ? [['Dq', extentAt(q, 2)]] : [];
  return {
    flops: null,
    writes: null,
    params: [['Tq', positions], ...heads('Hq', q), ...heads('Hk', k), ...width, ['', dtypeShort(q.dtype)]],
    matmul: true,
    severalProducts: true,
    formula: 'flops = 2·Hq·(Dq + Dv)·Σ queries·keys of each sequence',
    source: 'vLLM, unified_attention: the cache and the lengths are taken from the forward context, not from arguments',
    unknown: 'the keys are in a cache: neither it nor the lengths of the sequences are arguments of the call',
  };
});

/** Ops of vLLM with query, key and value of the new tokens, the output, and the name of the layer. */
export const CACHED_ATTENTION = rules`
  ${cached} vllm.unified_attention vllm.unified_attention_with_output vllm.unified_mla_attention
    vllm.unified_mla_attention_with_output: @q @k ...
`;
