/** Writing the keys and values of new tokens into the paged cache that attention reads. */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { dtypeBytes } from '../../../record/element-types.js';
import { numel, type Tensor } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor, tensorListParams } from '../../work.js';

const SOURCE =
  'rows of new tokens copied to their slots, scaled where the cache is 8 bits wide; arguments as vLLM registers them, ' +
  'and SGLang (python/sglang/jit_kernel/kvcache.py)';

/** The rows that have a slot; a padded batch has more. */
function slotted(rows: Tensor | null, slots: Tensor): Tensor | null {
  const [tokens, ...row] = rows?.shape ?? [];
  return rows === null || tokens === undefined
    ? null
    : tensor([Math.min(tokens, numel(slots.shape)), ...row], rows.dtype);
}

/** Whether an element is scaled when it is stored. */
const isScaled = (rows: Tensor, cache: Tensor): boolean => {
  const [from, to] = [dtypeBytes(rows.dtype), dtypeBytes(cache.dtype)];
  return from !== null && to === 1 && from > to;
};

/** @param caches name of the cache by the name of the rows written to it */
const stored = (caches: Readonly<Record<string, string>>): RuleCost =>
  withTensors('slots', (slots, bound) => {
    const [reads, writes]: [Tensor[], Tensor[]] = [[], []];
    let flops = 0;
    for (const [name, to] of Object.entries(caches)) {
      const [rows, cache] = [slotted(bound.tensor(name), slots), bound.tensor(to)];
      if (rows === null || cache === null) return null;
      reads.push(rows);
      writes.push(tensor(rows.shape, cache.dtype));
      if (isScaled(rows, cache)) flops += numel(rows.shape);
    }
    return {
      flops,
      reads: [...reads, slots],
      writes,
      params: tensorListParams([...reads, ...writes.slice(0, 1)]),
      formula: 'flops = E scaled to 8 bits, else 0; bytes = new rows + slots + rows in the type of the cache',
    };
  });

const pair = stored({ key: 'key_cache', value: 'value_cache' });

const RULES = rules`
  ${pair} reshape_and_cache reshape_and_cache_flash: @key @value
      @!key_cache @!value_cache @slots ...
  ${pair} sglang.store_cache sglang.store_cache_quant: @key @value @!key_cache @!value_cache @slots ...
  ${pair} sgl_kernel.store_kv_cache: @!key_cache @!value_cache @slots @key @value
  ${stored({ latent: 'cache', rotated: 'cache' })} concat_and_cache_mla: @latent @rotated @!cache @slots ...
`;

export const keyValueCache: Family = {
  id: 'key-value-cache',
  title: 'Key-value cache: reshape_and_cache, store_cache',
  ops: Object.keys(RULES),
  formulas: [
    'flops = one product per element where the cache is 8 bits wide, else 0',
    'bytes = keys and values of the new tokens, their slots, the rows written in the type of the cache',
  ],
  work: workByRules(RULES, SOURCE),
};
