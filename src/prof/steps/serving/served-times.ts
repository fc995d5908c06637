/** Times of an inference server's steps: which step and part of the model a kernel belongs to, and token rates. */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { addTo, LruCache } from '../../../containers/map-entry.js';
import type { KernelLine, OpCall } from '../../../record/record.js';
import {
  readServingStep,
  SERVING_STEP_BEGINNINGS,
  servingStepAround,
  type ServingStep,
} from '../../../record/serving-step.js';
import { byName } from '../../../ops/by-name.js';
import { categoryByName, isProductKernel } from '../../../ops/kernels/kernel-name.js';
import { opName } from '../../../ops/operands.js';
import type { Category } from '../../../ops/category.js';
import { categoryOfCall } from '../../../ops/table.js';
import { communicates } from '../step-work.js';
import { NS_PER_S } from '../../../record/units.js';

/**
 * Duration of a step in ns: its iteration on the host, but at least the time that the device was busy with it, because the
 * host may only launch a step's work and continue. Null when the iteration is unknown.
 */
export const stepTime = (iteration: number | null, busy: number): number | null =>
  iteration === null ? null : Math.max(iteration, busy);

/** Tokens per second; null when either value is unknown. */
export const tokensPerSecond = (tokens: number | null, time: number | null): number | null =>
  tokens === null || time === null || time <= 0 ? null : (tokens * NS_PER_S) / time;

/**
 * Time that a request waits for its next token, in ns. This is the step's time if each generating request gets one
 * token. Null when no request generates, and with speculative decoding, where the step may reject tokens.
 */
export function timePerOutputToken({ generation }: ServingStep, time: number | null): number | null {
  const { requests, tokens } = generation;
  return requests !== null && requests > 0 && tokens === requests ? time : null;
}

const names = new LruCache<string, { readonly step: ServingStep | null }>(1024);

const read = (text: string): ServingStep | null => names.of(text, () => ({ step: readServingStep(text) })).step;

const mayName = (text: string): boolean => SERVING_STEP_BEGINNINGS.some((beginning) => text.startsWith(beginning));

const NO_TEXTS: readonly string[] = [];

/** Null outside of a server's steps. All kernels of a step share the same object. */
export function servingStepOf(kernel: Pick<KernelLine, 'ranges' | 'callerRanges'>): ServingStep | null {
  const { ranges = NO_TEXTS, callerRanges = NO_TEXTS } = kernel;
  if (!ranges.some(mayName) && !callerRanges.some(mayName)) return null;
  return servingStepAround([...callerRanges, ...ranges].filter(mayName), read);
}

/** `attention` includes writing its cache; `projection` is the products of all other layers. */
export const MODEL_PARTS = ['attention', 'projection', 'experts', 'sampling', 'communication', 'other'] as const;

export type ModelPart = (typeof MODEL_PARTS)[number];

/** Parts by the category of a kernel's name. */
const PARTS: Readonly<Partial<Record<Category, ModelPart>>> = {
  moe: 'experts',
  attention: 'attention',
  sampling: 'sampling',
};

const SAMPLING_OPS = /^(?:argmax|multinomial|exponential_|greedy_sample)$|sampling|(?:top_[kp]|min_p)_/;
/** Modules of samplers, such as `Sampler_0`. */
const SAMPLER_LAYER = /sampler/i;
/** Files of samplers, such as `vllm/v1/sample/ops/penalties.py:8`, `sglang/srt/layers/sampler.py:67`. */
const SAMPLER_FILE = /(?:^|\/)(?:v1\/sample\/|[^/:]*sampl(?:er|ing)[^/:]*\.py:)/;

/** Matches the functor in the template arguments of a PyTorch kernel. */
const isArgMax = byName((name) => /ArgMaxOps/.test(name));

/** Which part of a language model a kernel computes, according to the ops around its launch, else to its name. */
export function modelPartOf(kernel: KernelLine): ModelPart {
  if (communicates(kernel)) return 'communication';
  const { calls = [], layer = [], trace = [] } = kernel;
  const categories = calls.map(categoryOfCall);
  // An op of these includes everything that its inner ops compute.
  if (categories.includes('moe')) return 'experts';
  if (categories.includes('attention')) return 'attention';
  if (calls.some(samples) || layer.some(isSampler) || trace.some(isSamplersFile)) return 'sampling';
  if (categories.includes('gemm')) return 'projection';
  if (isArgMax(kernel.name)) return 'sampling';
  const category = categoryByName(kernel);
  const part = category === null ? undefined : PARTS[category];
  return part ?? (isProductKernel(kernel) ? 'projection' : 'other');
}

const isSampler = (layer: string): boolean => SAMPLER_LAYER.test(layer);
const isSamplersFile = byName((frame) => SAMPLER_FILE.test(frame));
const samples = (call: OpCall): boolean => SAMPLING_OPS.test(opName(call));

/** Sums of kernel durations in ns. */
export type PartTimes = Readonly<Record<ModelPart, number>>;

export interface Served {
  /** Null when the kernels name several steps. */
  readonly step: ServingStep | null;
  readonly parts: PartTimes;
}

export class ServedTimes {
  readonly #steps = new Set<ServingStep>();
  /** Unit: ps. */
  readonly #parts = new Map<ModelPart, number>();

  /**
   * Ignores kernels outside of a server's steps.
   * @param time in picoseconds
   */
  add(kernel: KernelLine, time: number): void {
    const step = servingStepOf(kernel);
    if (step === null) return;
    if (this.#steps.size < 2) this.#steps.add(step);
    addTo(this.#parts, modelPartOf(kernel), time);
  }

  /** Null when no kernel was launched in a server's step. */
  get result(): Served | null {
    if (this.#steps.size === 0) return null;
    const [step = null] = this.#steps.size === 1 ? this.#steps : [];
    const parts = MODEL_PARTS.map((part) => [part, (this.#parts.get(part) ?? 0) / PS_PER_NS] as const);
    return { step, parts: Object.fromEntries(parts) as PartTimes };
  }
}
