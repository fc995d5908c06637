/** The server's step that a kernel was launched in, by the ranges around its launch. Texts are read once while they repeat. */
import { LruCache } from '../../containers/lru-cache.js';
import type { KernelLine } from '../../record/record.js';
import { SERVING_STEP_BEGINNINGS, servingStepAround, type ServingStep } from '../../record/serving-step.js';

const names = new LruCache<string, { readonly step: ServingStep | null }>(1024);

const mayName = (text: string): boolean => SERVING_STEP_BEGINNINGS.some((beginning) => text.startsWith(beginning));

/** Null outside of such steps. */
export function servingStepOf({ ranges = [], callerRanges = [] }: Pick<KernelLine, 'ranges' | 'callerRanges'>) {
  const texts = [...callerRanges, ...ranges].filter(mayName);
  if (texts.length === 0) return null;
  return names.of(texts.join('\n'), () => ({ step: servingStepAround(texts) })).step;
}
