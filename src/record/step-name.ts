/** Names of ranges that mark a step: an iteration of a training loop, or one pass of a model that serves requests. */

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
  // vLLM: `execute_context_1(30)_generation_2(2)`, `execute_45_context_0(…)_generation_8(…)`.
  /^execute_(?:\d{1,12}_)?context_\d{1,12}\([^()]*\)_generation_\d{1,12}\([^()]*\)$/,
  // SGLang: `step[DECODE bs=32]`, `step[EXTEND bs=1 toks=512]`.
  /^step\[[A-Z][^[\]]*\]$/,
];

/** All names of steps begin with one of these, in capitals or not: a database needs to give these texts alone. */
export const STEP_NAME_BEGINNINGS = ['profilerstep#', 'step', 'train', 'iter', 'execute_'] as const;

/** Reads the name of a step; null for any other text. */
export function readStepName(text: string): StepName | null {
  if (text.length > LONGEST_NAME) return null;
  for (const pattern of NAMES) {
    const match = pattern.exec(text);
    if (match !== null) return { number: match[1] === undefined ? null : Number(match[1]) };
  }
  return null;
}
