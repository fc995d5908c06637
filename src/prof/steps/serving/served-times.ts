/** Times of the steps of a server: which step and part of the model a kernel belongs to, and rates of tokens. */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { addTo, LruCache } from '../../../containers/map-entry.js';
import type { KernelLine, OpCall } from '../../../record/record.js';
import {
  readServingStep,
  SERVING_STEP_BEGINNINGS,
  servingStepAround,
  type ServingStep,
} from '../../../record/serving-step.js';
import { byName } from '../../../ops/kernels/kernel-families.js';
import { isProductKernel } from '../../../ops/kernels/kernel-name.js';
import { opName } from '../../../ops/operands.js';
import { familyOf } from '../../../ops/table.js';
import { communicates } from '../step-work.js';
import { NS_PER_S } from '../../../record/units.js';

/**
 * How long a step took, ns: its iteration on the host, and no less than the device was busy with it, since the host may
 * only launch the work of a step and go on. Null where the iteration is unknown.
 */
export const stepTime = (iteration: number | null, busy: number): number | null =>
  iteration === null ? null : Math.max(iteration, busy);

/** Tokens over time, per second; null when one is not known. */
export const tokensPerSecond = (tokens: number | null, time: number | null): number | null =>
  tokens === null || time === null || time <= 0 ? null : (tokens * NS_PER_S) / time;

/**
 * How long a request waits for its next token, ns: the step's time where each generating request gets one token. Null
 * where none generates, and where several tokens of a request are guesses that the step may reject.
 */
export function timePerOutputToken({ generation }: ServingStep, time: number | null): number | null {
  const { requests, tokens } = generation;
  return requests !== null && requests > 0 && tokens === requests ? time : null;
}

const names = new LruCache<string, { readonly step: ServingStep | null }>(1024);

const read = (text: string): ServingStep | null => names.of(text, () => ({ step: readServingStep(text) })).step;

const mayName = (text: string): boolean => SERVING_STEP_BEGINNINGS.some((beginning) => text.startsWith(beginning));

const NO_TEXTS: readonly string[] = [];

/** Null outside of such steps. The same object for all kernels of a step. */
export function servingStepOf(kernel: Pick<KernelLine, 'ranges' | 'callerRanges'>): ServingStep | null {
  const { ranges = NO_TEXTS, callerRanges = NO_TEXTS } = kernel;
  if (!ranges.some(mayName) && !callerRanges.some(mayName)) return null;
  return servingStepAround([...callerRanges, ...ranges].filter(mayName), read);
}

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

/** Which part of a language model a kernel computes: by the ops around its launch, else by its name. */
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

/** Durations of kernels added up, ns. */
export type PartTimes = Readonly<Record<ModelPart, number>>;

export interface Served {
  /** Null where the kernels name several. */
  readonly step: ServingStep | null;
  readonly parts: PartTimes;
}

export class ServedTimes {
  readonly #steps = new Set<ServingStep>();
  /** In picoseconds. */
  readonly #parts = new Map<ModelPart, number>();

  /** Kernels outside of a server's steps are left out. @param time in picoseconds */
  add(kernel: KernelLine, time: number): void {
    const step = servingStepOf(kernel);
    if (step === null) return;
    if (this.#steps.size < 2) this.#steps.add(step);
    addTo(this.#parts, modelPartOf(kernel), time);
  }

  /** Null where no kernel was launched in a server's step. */
  get result(): Served | null {
    if (this.#steps.size === 0) return null;
    const [step = null] = this.#steps.size === 1 ? this.#steps : [];
    const parts = MODEL_PARTS.map((part) => [part, (this.#parts.get(part) ?? 0) / PS_PER_NS] as const);
    return { step, parts: Object.fromEntries(parts) as PartTimes };
  }
}
