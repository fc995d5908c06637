/**
 * Attention of a serving engine: new queries meet the keys of a cache that is no argument of the call.
 */
import { bind } from '../../schema/binding.js';
import { dtypeShort } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Param, Work } from '../../family.js';
import { workOf } from '../../work.js';

/** vLLM's; behind query, key and value of the new positions stand the result and the name of the layer. */
export const CACHED_ATTENTION_OPS: readonly string[] = [
  'vllm.unified_attention',
  'vllm.unified_attention_with_output',
  'vllm.unified_mla_attention',
  'vllm.unified_mla_attention_with_output',
];

/** Extents of the new positions, [positions, heads, width]: all that the call tells. */
export function cachedAttentionWork(call: OpCall): Work | null {
  const bound = bind(call, '@q @k ...');
  const [q, k] = [bound?.tensor('q') ?? null, bound?.tensor('k') ?? null];
  const positions = q?.shape[0];
  if (q === null || k === null || positions === undefined) return null;
  const heads = (name: string, { shape }: { readonly shape: readonly number[] }): Param[] =>
    shape.length === 3 ? [[name, shape[1] ?? 0]] : [];
  const width: Param[] = q.shape.length === 3 ? [['Dq', q.shape[2] ?? 0]] : [];
  return workOf({
    flops: null,
    writes: null,
    params: [['Tq', positions], ...heads('Hq', q), ...heads('Hk', k), ...width, ['', dtypeShort(q.dtype)]],
    matmul: true,
    formula: 'flops = 2·Hq·(Dq + Dv)·Σ queries·keys of each sequence',
    source: 'vLLM, unified_attention: the cache and the lengths are taken from the forward context, not from arguments',
    unknown: 'the keys stand in a cache: neither it nor the lengths of the sequences are arguments of the call',
  });
}
