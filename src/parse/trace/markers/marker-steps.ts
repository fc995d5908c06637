/** The steps among the ranges of formats whose ranges are NVTX markers. */
import { LruCache } from '../../../containers/map-entry.js';
import { allRows } from '../../../containers/row-order.js';
import { readStepName } from '../../../record/serving-step.js';
import type { Trace } from '../trace.js';
import type { StepRange } from '../launch-steps.js';

type NamedStep = Pick<StepRange, 'text' | 'number'>;

/** Ranges of the default domain that mark steps, in any order. */
export function* markedSteps(trace: Trace): Generator<StepRange> {
  const { ranges, names } = trace;
  const known = new LruCache<number, NamedStep | null>(4096);
  const read = (number: number): NamedStep | null => {
    const text = names.rangeText(number);
    const name = text === null ? null : readStepName(text);
    return text === null || name === null ? null : { text, number: name.number };
  };
  for (const row of trace.stepRanges ?? allRows(ranges.length)) {
    const step = ranges.domainOf(row) === 0 ? known.of(ranges.text.at(row), read) : null;
    if (step === null || ranges.strays.has(row)) continue;
    const [start, end, thread] = [ranges.start.at(row), ranges.end.at(row), ranges.thread.at(row)];
    yield { start, end, thread, ...step };
  }
}
