/** Training steps by time: they are annotated on one thread, while the backward pass launches from others. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ThreadTable } from '../capture/threads.js';
import type { HostEvents } from './host-events.js';

export interface TrainingStep {
  /** ns. */
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export class TrainingSteps {
  /** Annotated steps by process, in order of start, without those inside another. */
  readonly #annotated = new Map<number, TrainingStep[]>();
  /** Recorded steps, which hold for all processes. */
  readonly #recorded: readonly TrainingStep[];

  /** @param recorded steps that the profile records apart from annotations: they replace these */
  constructor(events: HostEvents, threads: ThreadTable, recorded: readonly TrainingStep[] = []) {
    this.#recorded = outermost([...recorded]);
    if (recorded.length > 0) return;
    const { ranges } = events;
    const all = new Map<number, TrainingStep[]>();
    for (let row = 0; row < ranges.length; row++) {
      if (events.isFrame(row)) continue;
      const name = events.nameOf(row);
      if (name.kind !== 'step') continue;
      const process = threads.processOf(ranges.thread.at(row));
      entryOf(all, process, () => []).push({ start: ranges.start.at(row), end: ranges.end.at(row), step: name.step });
    }
    for (const [process, steps] of all) this.#annotated.set(process, outermost(steps));
  }

  /** Number of the step of a process at a time in ns; null outside of all steps. */
  at(process: number, time: number): number | null {
    const steps = this.#recorded.length > 0 ? this.#recorded : (this.#annotated.get(process) ?? []);
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elementAt(steps, middle).start <= time) low = middle + 1;
      else high = middle;
    }
    const last = steps[low - 1];
    return last !== undefined && time <= last.end ? last.step : null;
  }
}

/** Sorts steps by start and removes those that begin inside another. */
function outermost(steps: TrainingStep[]): TrainingStep[] {
  const kept: TrainingStep[] = [];
  steps.sort((a, b) => a.start - b.start || b.end - a.end || a.step - b.step);
  for (const step of steps) if (step.start >= (kept.at(-1)?.end ?? -Infinity)) kept.push(step);
  return kept;
}
