/**
 * Training steps by time. The annotation of a step stands on the thread of the program; what the backward pass launches
 * meanwhile stands on others.
 */
import type { Threads } from '../capture/threads.js';
import type { HostEvents } from './host-events.js';

export interface Step {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export class Steps {
  /** By process, in order of start, none within another. */
  readonly #steps = new Map<number, Step[]>();
  /** Of all processes. */
  readonly #told: readonly Step[];

  /** @param told steps that are told apart from the annotations: these count */
  constructor(events: HostEvents, threads: Threads, told: readonly Step[] = []) {
    this.#told = outermost([...told]);
    if (told.length > 0) return;
    const { ranges } = events;
    const all = new Map<number, Step[]>();
    for (let row = 0; row < ranges.length; row++) {
      if (events.isFrame(row)) continue;
      const name = events.nameOf(row);
      if (name.kind !== 'step') continue;
      const process = threads.processOf(ranges.thread.at(row));
      const steps = all.get(process) ?? [];
      all.set(process, steps);
      steps.push({ start: ranges.start.at(row), end: ranges.end.at(row), step: name.step });
    }
    for (const [process, steps] of all) this.#steps.set(process, outermost(steps));
  }

  /** The step of a process at a time; null outside of all steps. */
  at(process: number, time: number): number | null {
    const steps = this.#told.length > 0 ? this.#told : (this.#steps.get(process) ?? []);
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((steps[middle]?.start ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    const last = steps[low - 1];
    return last !== undefined && time <= last.end ? last.step : null;
  }
}

function outermost(steps: Step[]): Step[] {
  const kept: Step[] = [];
  steps.sort((a, b) => a.start - b.start || b.end - a.end || a.step - b.step);
  for (const step of steps) if (step.start >= (kept.at(-1)?.end ?? -Infinity)) kept.push(step);
  return kept;
}
