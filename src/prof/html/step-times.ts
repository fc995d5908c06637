/** When each training step ran: from the first launch of its kernels to the end of the last. */
import type { ProfileLine } from '../../record/record.js';
import { HostSteps, MOST_STEPS, stepOf } from '../steps/host-steps.js';
import { launchOf, type TimedActivity } from './timed-activity.js';

export interface StepTime {
  readonly step: number;
  /** First launch, or work where launches are not known. */
  readonly start: number;
  readonly end: number;
  /** From the first work on a device to the end of the last. */
  readonly length: number;
}

interface StepBounds {
  launched: number;
  start: number;
  end: number;
}

export class StepTimes {
  readonly #steps = new Map<number, StepBounds>();
  readonly #host = new HostSteps();

  /** When the host worked on a step, where a record tells it. */
  addHostWork(record: ProfileLine): void {
    const step = stepOf(record);
    if (step !== null && this.#host.size < MOST_STEPS) this.#host.add(step);
  }

  addDeviceWork({ record, start, dur }: TimedActivity): void {
    const launch = launchOf(record);
    const told = this.#host.stepOfWork(record);
    if (told === null) return;
    let span = this.#steps.get(told);
    if (span === undefined) {
      if (this.#steps.size === MOST_STEPS) return;
      this.#steps.set(told, (span = { launched: Infinity, start: Infinity, end: -Infinity }));
    }
    span.launched = Math.min(span.launched, launch?.start ?? start);
    span.start = Math.min(span.start, start);
    span.end = Math.max(span.end, start + dur);
  }

  /** In order of step. */
  get all(): StepTime[] {
    return [...this.#steps.keys()].sort((a, b) => a - b).flatMap((step) => this.of(step) ?? []);
  }

  of(step: number): StepTime | null {
    const span = this.#steps.get(step);
    if (span === undefined) return null;
    const { launched, start, end } = span;
    return { step, start: Math.min(launched, start), end, length: end - start };
  }

  /**
   * The step of median length (of an even number the shorter of the two in the middle) that ends before a time; where
   * that step does not, the one that comes nearest in length.
   */
  median(before: number): StepTime | null {
    const all = this.all;
    const lengths = all.map(({ length }) => length).sort((a, b) => a - b);
    const median = lengths[(lengths.length - 1) >> 1] ?? 0;
    const far = ({ length }: StepTime): number => Math.abs(length - median);
    const whole = all.filter(({ end }) => end < before);
    return whole.reduce<StepTime | null>((best, step) => (best === null || far(step) < far(best) ? step : best), null);
  }
}
