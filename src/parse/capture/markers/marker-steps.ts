/** The steps among the ranges of formats whose ranges are NVTX markers. */
import { readStepName } from '../../../record/step-name.js';
import type { Capture } from '../capture.js';
import type { StepRange } from '../launch-steps.js';

/** Ranges of the default domain that mark steps, in any order. */
export function* markedSteps(capture: Capture): Generator<StepRange> {
  const { ranges } = capture;
  const texts = capture.stepTexts?.() ?? stepTexts(capture);
  if (texts.size === 0) return;
  for (let row = 0; row < ranges.length; row++) {
    const text = texts.get(ranges.text.at(row));
    const name = text === undefined || ranges.domainOf(row) !== 0 ? null : readStepName(text);
    if (text === undefined || name === null) continue;
    const [start, end, thread] = [ranges.start.at(row), ranges.end.at(row), ranges.thread.at(row)];
    yield { start, end, thread, number: name.number, text };
  }
}

/** Texts that name a step, by their numbers. */
function stepTexts({ ranges, names }: Capture): Map<number, string> {
  const found = new Map<number, string>();
  for (const number of new Set(ranges.text.values)) {
    const text = names.rangeText(number);
    if (text !== null && readStepName(text) !== null) found.set(number, text);
  }
  return found;
}
