/**
 * Attention of a serving engine on a key-value cache that is no argument of the call.
 */
import { bind } from '../../schema/binding.js';
import { dtypeShort, extentAt } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Param, Work } from '../../family.js';
import { workOf } from '../../work.js';
import { elementAt } from '../../../containers/element.js';

/** Ops of vLLM with query, key and value of the new tokens, the output, and the name of the layer. */
export const CACHED_ATTENTION_OPS: readonly string[] = [
  'vllm.unified_attention',
  'vllm.unified_attention_with_output',
  'vllm.unified_mla_attention',
  'vllm.unified_mla_attention_with_output',
];

/** The work is unknown; the params have the extents of the new tokens, [tokens, heads, head dimension]. */
export function cachedAttentionWork(call: OpCall): Work | null {
  const bound = bind(call, '@q @k ...');
  const [q, k] = [bound?.tensor('q') ?? null, bound?.tensor('k') ?? null];
  const positions = q?.shape[0];
  if (q === null || k === null || positions === undefined) return null;
  const heads = (name: string, { shape }: { readonly shape: readonly number[] }): Param[] =>
    shape.length === 3 ? [[name, elementAt(shape, 1)]] : [];
  const width: Param[] = q.shape.length === 3 ? [['Dq', extentAt(q, 2)]] : [];
  return workOf({
    flops: null,
    writes: null,
    params: [['Tq', positions], ...heads('Hq', q), ...heads('Hk', k), ...width, ['', dtypeShort(q.dtype)]],
    matmul: true,
    formula: 'flops = 2·Hq·(Dq + Dv)·Σ queries·keys of each sequence',
    source: 'vLLM, unified_attention: the cache and the lengths are taken from the forward context, not from arguments',
    unknown: 'the keys are in a cache: neither it nor the lengths of the sequences are arguments of the call',
  });
}
