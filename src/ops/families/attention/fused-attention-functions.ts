/**
 * Library functions around attention: TransformerEngine's autograd function that runs it with cuDNN, rotary position
 * embedding (RoPE) from angles or from their sines and cosines, and the key-value cache of serving engines.
 *
 * The layout of q, k and v of the autograd function is a string, which the profiler does not record. It is not needed: two
 * extents are batch and sequence in either order, and the cumulative lengths give the number of sequences.
 */
import { entryOf, type ByName } from '../../by-name.js';
import { extentAt, numel, positional, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, Work } from '../../family.js';
import { inputTensors } from '../../operands.js';
import { namedParams, tensor, tensorListParams, workOf } from '../../work.js';
import { elementAt } from '../../../containers/element.js';
import { ofDispatcher, rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { dtypeBytes } from '../../../record/element-types.js';

const CACHE_SOURCE =
  'copies new rows to their slots, scaled if the cache is 8-bit; arguments as registered by vLLM ' +
  'and SGLang (python/sglang/jit_kernel/kvcache.py)';

/** The rows that have a slot; a padded batch has more rows. */
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

/** @param caches name of the cache, by the name of the rows that are written to it */
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
      formula: "flops = E if scaled to 8 bits, otherwise 0; bytes = new rows + slots + rows in the cache's type",
    };
  });

const pair = stored({ key: 'key_cache', value: 'value_cache' });

const CACHE_RULES = rules`
  ${pair} reshape_and_cache reshape_and_cache_flash: @key @value
      @!key_cache @!value_cache @slots ...
  ${pair} sglang.store_cache sglang.store_cache_quant: @key @value @!key_cache @!value_cache @slots ...
  ${pair} sgl_kernel.store_kv_cache: @!key_cache @!value_cache @slots @key @value
  ${stored({ latent: 'cache', rotated: 'cache' })} concat_and_cache_mla: @latent @rotated @!cache @slots ...
`;

export const keyValueCache: Family = {
  id: 'key-value-cache',
  title: 'Key-value cache: reshape_and_cache, store_cache',
  category: 'attention',
  ops: Object.keys(CACHE_RULES),
  formulas: [
    'flops = 1 per element if the cache is 8-bit, otherwise 0',
    "bytes = new keys and values + their slots + rows written in the cache's type",
  ],
  work: workByRules(CACHE_RULES, CACHE_SOURCE),
};

const ROTARY_SOURCE =
  'RoFormer (Su et al.), equation 34; arguments: apex/transformer/functional/fused_rope.py of apex, ' +
  'transformer_engine/pytorch/attention/rope.py and csrc/stable/registration.cpp of TransformerEngine';

/** FLOPs per rotated element: a pair takes four products and two sums. */
export const ROTATION = 3;

/** Elements outside the rotated width of a row are copied. */
const rotation = (tables: string): RuleCost =>
  withTensors('input', (input, bound) => {
    const width = extentAt(input, -1);
    const rotated = bound.tensorsOf(tables).reduce((sum, table) => sum + extentAt(table, -1), 0);
    if (width === 0 || rotated === 0) return null;
    return {
      flops: ROTATION * (numel(input.shape) / width) * Math.min(width, rotated),
      writes: [input],
      params: tensorListParams(bound.reads),
      formula:
        'flops = 3·E rotated, without the sines and cosines of the angles; bytes = input + tables + offsets + result',
    };
  });

const ANGLES = rotation('freqs');

const RULES = rules`
  // Angles alone, or preceded by their cosines and sines. The format is a string, which may be unspecified.
  ${ANGLES} FusedRoPEFunc: @input @freqs @sin transposed:bool
      | @input @freqs transposed:bool
      | @input @freqs @start? format interleaved:bool @offsets? cp_size:int cp_rank:int
      | @input @freqs @start? interleaved:bool @offsets? cp_size:int cp_rank:int
      | @input @freqs @offsets ...
  ${ANGLES} FusedRoPECachedFunc: @input @freqs @sin transposed
  ${ANGLES} FusedRoPETHDFunc: @input @offsets @freqs
  ${rotation('cos_h cos_w')} FusedRoPE2DFunc: @input height width @cos_h @sin_h @cos_w @sin_w
      | @input @cos_h @sin_h @cos_w @sin_w
  ${ANGLES} fused_rope_forward fused_rope_backward: @input @freqs @start? format:int interleaved:bool @offsets?
      cp_size:int cp_rank:int
`;

export const rotaryFunctions: Family = {
  id: 'rotary-functions',
  title: 'Rotary position embedding of TransformerEngine and apex',
  category: 'elementwise',
  ops: Object.keys(RULES),
  formulas: ['flops = 3·E rotated (six per pair); bytes = input + tables + result'],
  work: workByRules(RULES, ROTARY_SOURCE),
};

const SOURCE =
  'two dense matrix products, for scores and output, FMA = 2; order of the tensors: transformer_engine/pytorch/attention/' +
  'dot_product_attention/backends.py (older: pytorch/attention.py) of TransformerEngine';

/** Rank of q, k and v with separate batch and sequence extents. */
const UNPACKED_RANK = 4;

/** The tensors after the cumulative lengths, in order; several letters mean one packed tensor. */
const OPERANDS: ByName<readonly string[]> = {
  FusedAttnFunc: ['q', 'k', 'v'],
  FusedAttnFunc_qkvpacked: ['qkv'],
  FusedAttnFunc_kvpacked: ['q', 'kv'],
};

/** Extents of a call, by their letters in the params. */
interface FusedAttention {
  readonly B: number;
  readonly Sq: number;
  readonly Sk: number;
  readonly H: number;
  readonly Dq: number;
  readonly Dv: number;
}

/** Tokens: batch times sequence, the first two extents in either order. */
const tokenCount = ({ shape: [a = 0, b = 0] }: Tensor): number => a * b;

/** q, k and v, unpacked: [batch or sequence, the other, heads, head dimension]. */
function unpack(operands: readonly Tensor[], held: readonly string[]): readonly Tensor[] | null {
  const parts = operands.flatMap(({ shape, dtype }, i) => {
    const count = elementAt(held, i).length;
    const at = shape.length - 3;
    const extents = count === 1 ? shape : shape.filter((_, dim) => dim !== (shape[at] === count ? at : at + 1));
    const isPacked = count === 1 || shape[at] === count || shape[at + 1] === count;
    return isPacked ? new Array<Tensor>(count).fill(tensor(extents, dtype)) : [];
  });
  return parts.length === 3 ? parts : null;
}

function read([q, k, v]: readonly Tensor[], offsets: Tensor): FusedAttention | null {
  const batch = extentAt(offsets, 0) - 1;
  if (q === undefined || k === undefined || v === undefined || batch < 1) return null;
  const [queries, keys] = [tokenCount(q) / batch, tokenCount(k) / batch];
  if (!Number.isInteger(queries) || !Number.isInteger(keys) || tokenCount(k) !== tokenCount(v)) return null;
  const [heads = 0, width = 0] = q.shape.slice(-2);
  if (k.shape.at(-1) !== width) return null;
  return { B: batch, Sq: queries, Sk: keys, H: heads, Dq: width, Dv: extentAt(v, -1) };
}

const FORMULA =
  'flops = 2·B·H·Sq·Sk·(Dq + Dv), including padded and masked pairs; bytes = q + k + v + out (+ log-sum-exp in training)';

/** The lengths of packed sequences, and of those in a paged cache, are tensor values, so the work is unknown. */
const unknownWork = (operands: readonly Tensor[]): Work =>
  workOf({
    flops: null,
    writes: null,
    params: tensorListParams(operands),
    matmul: true,
    formula: FORMULA,
    source: SOURCE,
    unknown: 'the sequence lengths are values in a tensor',
  });

function work(call: OpCall): Work | null {
  const held = entryOf(OPERANDS, call);
  const tensors = held === undefined ? null : inputTensors(call);
  if (held === undefined || tensors === null) return null;
  const first = tensors.findIndex(({ shape }) => shape.length >= 3);
  const operands = first === -1 ? [] : tensors.slice(first, first + held.length);
  const [offsets, ...others] = tensors.slice(0, first);
  if (operands.length < held.length || offsets?.shape.length !== 1) return null;
  const isPaged = others.some(({ shape }) => shape.length > 1);
  const parts = unpack(operands, held);
  if (parts === null) return null;
  if (isPaged || parts.some(({ shape }) => shape.length !== UNPACKED_RANK)) return unknownWork(operands);
  const attention = read(parts, offsets);
  const [q] = parts;
  if (attention === null || q === undefined) return null;
  const { B, Sq, Sk, H, Dq, Dv } = attention;
  const trains = positional(call)[0]?.value === true;
  const statistics = tensor([B, H, Sq], 'float32');
  const result = tensor([B, Sq, H, Dv], q.dtype);
  const flops = 2 * numel([B, H, Sq, Sk]) * (Dq + Dv);
  if (!Number.isSafeInteger(flops)) return null;
  const params = namedParams({ B, Sq, Sk, H, Dq, Dv }, q);
  const writes = trains ? [result, statistics] : [result];
  return workOf({
    flops,
    reads: operands,
    writes,
    params,
    matmul: true,
    severalProducts: true,
    formula: FORMULA,
    source: SOURCE,
  });
}

export const fusedAttentionFunctions: Family = {
  id: 'fused-attention-functions',
  title: 'Attention as an autograd function: TransformerEngine with cuDNN',
  category: 'attention',
  ops: Object.keys(OPERANDS),
  formulas: [
    'flops = 2·B·H·Sq·Sk·(Dq + Dv), including padded and masked pairs',
    'bytes = q + k + v + out (+ log-sum-exp in training)',
    'unknown for packed sequences (thd) and a paged cache, whose lengths are values in tensors; backward: unknown, because the node receives only the gradient',
  ],
  work: ofDispatcher(work),
};
