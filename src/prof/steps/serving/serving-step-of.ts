/** The server's step that a kernel was launched in, by the ranges around its launch. Texts are read once while they repeat. */
import { LruCache } from '../../../containers/map-entry.js';
import type { KernelLine } from '../../../record/record.js';
import {
  readServingStep,
  SERVING_STEP_BEGINNINGS,
  servingStepAround,
  type ServingStep,
} from '../../../record/serving-step.js';

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
