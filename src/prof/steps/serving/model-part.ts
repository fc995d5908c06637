/** Which part of a language model a kernel computes: by the ops around its launch, else by its name. */
import { byName } from '../../../ops/kernels/kernel-families.js';
import { isProductKernel } from '../../../ops/kernels/kernel-name.js';
import { opName } from '../../../ops/operands.js';
import { familyOf } from '../../../ops/table.js';
import type { KernelLine, OpCall } from '../../../record/record.js';
import { communicates } from '../step-work.js';

/** `attention` with writing its cache; `projection`: products of all other layers. */
export const MODEL_PARTS = ['attention', 'projection', 'experts', 'sampling', 'communication', 'other'] as const;

export type ModelPart = (typeof MODEL_PARTS)[number];

/** By id of an op's family, and whatever ops inside one of the first compute. */
const FAMILIES: readonly (readonly [part: ModelPart, families: ReadonlySet<string>])[] = [
  ['experts', new Set(['mixture-of-experts', 'token-permutation'])],
  ['attention', new Set(['attention', 'fused-attention-functions', 'key-value-cache'])],
];
const PRODUCTS: ReadonlySet<string> = new Set(['blas', 'linear-functions']);

const SAMPLING_OPS = /^(?:argmax|multinomial|exponential_|greedy_sample)$|sampling|(?:top_[kp]|min_p)_/;
/** Modules of samplers: `Sampler_0`. */
const SAMPLER_LAYER = /sampler/i;
/** Files of samplers: `vllm/v1/sample/ops/penalties.py:8`, `sglang/srt/layers/sampler.py:67`. */
const SAMPLER_FILE = /(?:^|\/)(?:v1\/sample\/|[^/:]*sampl(?:er|ing)[^/:]*\.py:)/;

/** Inductor names its kernels after all ops in the graph around them. */
const GENERATED = /^triton_(?:poi|red|per|for|unk)_/;

const PATTERNS: readonly (readonly [pattern: RegExp, part: ModelPart])[] = [
  [GENERATED, 'other'],
  [
    /moe|expert|matmul_ogs|finalize_matmul_scatter|bitmatrix|_routing_|topk_(?:forward|gating)|grouped_topk/i,
    'experts',
  ],
  [/atten|fmha|flash_?(?:fwd|decod|mla)|mla_|paged_|kv_?cache|reshape_and_cache|^reduce_segments$/i, 'attention'],
  [/arg_?max|multinomial|sampling|top_?[kp]_(?:mask|renorm|top)/i, 'sampling'],
];

const partByName = byName((name) => PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? null);

/** Of the functor that a kernel of PyTorch has in its template arguments. */
const isArgMax = byName((name) => /ArgMaxOps/.test(name));

export function modelPartOf(kernel: KernelLine): ModelPart {
  if (communicates(kernel)) return 'communication';
  const { calls = [], layer = [], trace = [] } = kernel;
  const families = calls.map((call) => familyOf(call)?.id ?? '');
  for (const [part, ids] of FAMILIES) if (families.some((id) => ids.has(id))) return part;
  if (calls.some(samples) || layer.some(isSampler) || trace.some(isSamplersFile)) return 'sampling';
  if (families.some((id) => PRODUCTS.has(id))) return 'projection';
  if (isArgMax(kernel.name)) return 'sampling';
  return partByName(kernel.short) ?? (isProductKernel(kernel) ? 'projection' : 'other');
}

const isSampler = (layer: string): boolean => SAMPLER_LAYER.test(layer);
const isSamplersFile = byName((frame) => SAMPLER_FILE.test(frame));
const samples = (call: OpCall): boolean => SAMPLING_OPS.test(opName(call));
