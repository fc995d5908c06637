/** Names of ranges that mark a step: an iteration of a training loop, or one pass of a model that serves requests. */
import { readServingStep, SERVING_STEP_BEGINNINGS } from './serving-step.js';

/** What the name of a step says. */
export interface StepName {
  /** Null where the name has none. */
  readonly number: number | null;
}

/** Longer texts name no step. */
const LONGEST_NAME = 300;

const NAMES: readonly RegExp[] = [
  // PyTorch's profiler.
  /^ProfilerStep#(\d{1,12})$/,
  // Programs' own: `step 3`, `train_step_3`, `iteration: 7`, `iter`.
  /^(?:train(?:ing)?[ _])?(?:step|iteration|iter)[ _:#]{0,2}(\d{1,12})$/i,
  /^(?:iteration|iter|train(?:ing)?[ _]step)$/i,
];

/** All names of steps begin with one of these, in capitals or not: a database needs to give these texts alone. */
export const STEP_NAME_BEGINNINGS = ['profilerstep#', 'step', 'train', 'iter', ...SERVING_STEP_BEGINNINGS] as const;

/** Reads the name of a step; null for any other text. */
export function readStepName(text: string): StepName | null {
  if (text.length > LONGEST_NAME) return null;
  for (const pattern of NAMES) {
    const match = pattern.exec(text);
    if (match !== null) return { number: match[1] === undefined ? null : Number(match[1]) };
  }
  return readServingStep(text) === null ? null : { number: null };
}
