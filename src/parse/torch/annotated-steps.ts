/** Steps that annotations of the program state. */
import { LruCache } from '../../containers/lru-cache.js';
import { readStepName, type StepName } from '../../record/step-name.js';
import type { StepRange } from '../trace/launch-steps.js';
import type { HostEvents } from './host-events.js';

/** Ranges of steps among annotations, and among the ops as which profilers of 2021 record annotations. */
export function* annotatedSteps(events: HostEvents): Generator<StepRange> {
  const { ranges } = events;
  const names = new LruCache<string, StepName | null>(1024);
  for (let row = 0; row < ranges.length; row++) {
    if (events.isFrame(row) || ranges.strays.has(row)) continue;
    const name = events.nameOf(row);
    if (name.kind !== 'range') continue;
    const step = names.of(name.text, readStepName);
    if (step === null) continue;
    const [start, end, thread] = [ranges.start.at(row), ranges.end.at(row), ranges.thread.at(row)];
    yield { start, end, thread, number: step.number, text: name.text };
  }
}
