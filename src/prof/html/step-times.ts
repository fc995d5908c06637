/** When each step ran: from its begin on the host, else its first launch, to the end of its last work and its iteration. */
import { boundedEntryOf } from '../../containers/map-entry.js';
import type { ProfileLine } from '../../record/record.js';
import { median } from '../../record/statistics.js';
import { launchOf } from '../input/device-activity.js';
import { HostSteps, MOST_STEPS, stepOf } from '../steps/host-steps.js';
import type { TimedActivity } from './timed-activity.js';

export interface StepTime {
  readonly step: number;
  /** Its begin on the host, ns; else its first launch; else its first work on a device. */
  readonly start: number;
  readonly end: number;
  /** Of the iteration on the host; where that is unknown, from the first work on a device to the end of the last. */
  readonly length: number;
}

interface StepBounds {
  launched: number;
  start: number;
  end: number;
}

const noBounds = (): StepBounds => ({ launched: Infinity, start: Infinity, end: -Infinity });

export class StepTimes {
  readonly #steps = new Map<number, StepBounds>();
  readonly #host = new HostSteps();

  /** When the host worked on a step, where the record is of one. */
  addHostWork(record: ProfileLine): void {
    const step = stepOf(record);
    if (step !== null && this.#host.size < MOST_STEPS) this.#host.add(step);
  }

  addDeviceWork({ record, start, dur }: TimedActivity): void {
    const launch = launchOf(record);
    const step = 'step' in record ? (record.step ?? null) : null;
    if (step === null) return;
    const bounds = boundedEntryOf(this.#steps, step, MOST_STEPS, noBounds);
    if (bounds === null) return;
    bounds.launched = Math.min(bounds.launched, launch?.start ?? start);
    bounds.start = Math.min(bounds.start, start);
    bounds.end = Math.max(bounds.end, start + dur);
  }

  /** In order of step. */
  get all(): StepTime[] {
    return [...this.#steps.keys()].sort((a, b) => a - b).flatMap((step) => this.of(step) ?? []);
  }

  of(step: number): StepTime | null {
    const bounds = this.#steps.get(step);
    if (bounds === undefined) return null;
    const { launched, start, end } = bounds;
    const began = this.#host.startOf(step);
    const length = this.#host.lengthOf(step);
    if (began === null || length === null) return { step, start: Math.min(launched, start), end, length: end - start };
    return { step, start: began, end: Math.max(end, began + length), length };
  }

  /**
   * Of the steps that end before a time, the one whose length is nearest to the median of all steps (of an even number
   * the shorter of the two in the middle); null where there is none.
   */
  median(before: number): StepTime | null {
    const all = this.all;
    const lengths = all.map(({ length }) => length);
    const usual = median(lengths, 'lower');
    if (usual === null) return null;
    const distance = ({ length }: StepTime): number => Math.abs(length - usual);
    const whole = all.filter(({ end }) => end < before);
    const nearer = (best: StepTime | null, step: StepTime): StepTime =>
      best === null || distance(step) < distance(best) ? step : best;
    return whole.reduce<StepTime | null>(nearer, null);
  }
}
