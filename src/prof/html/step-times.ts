/**
 * When each step ran, and how long it took on the host and on the device, as in `dprof steps`. A step runs from its
 * start on the host, else its first launch, to the end of its last work and its iteration.
 */
import { PS_PER_NS } from '../../containers/interval-union.js';
import { boundedEntryOf, entryOf } from '../../containers/map-entry.js';
import type { ProfileLine } from '../../record/record.js';
import { median } from '../../record/statistics.js';
import { launchOf } from '../input/device-activity.js';
import { HostSteps, MOST_STEPS, stepOf } from '../steps/host-steps.js';
import { workOf } from '../steps/step-work.js';
import { Reach } from '../steps/work-unions.js';
import type { StepLengths } from './timeline/timeline-data.js';
import type { TimedActivity } from './timed-activity.js';

export interface StepTime {
  readonly step: number;
  /** Start of the step in ns: on the host if known, else its first launch, else its first work on a device. */
  readonly start: number;
  readonly end: number;
  readonly took: StepLengths;
}

interface StepBounds {
  launched: number;
  start: number;
  end: number;
  /** First start and last end of the work by device, in picoseconds. */
  readonly reaches: Map<number, Reach>;
}

const noBounds = (): StepBounds => ({ launched: Infinity, start: Infinity, end: -Infinity, reaches: new Map() });

export class StepTimes {
  readonly #steps = new Map<number, StepBounds>();
  readonly #host = new HostSteps();

  /** Adds the time of host work on a step, if the record has one. */
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
    const work = workOf(record);
    // Copies have a step only if the host's steps are known.
    if (work === null || (work.work === 'copy' && this.#host.size === 0)) return;
    const [rest, more] = work.record.ps ?? [0, 0];
    const from = start * PS_PER_NS + rest;
    entryOf(bounds.reaches, work.record.device, () => new Reach()).add(from, from + dur * PS_PER_NS + more);
  }

  /** Sorted by step. */
  get all(): StepTime[] {
    return [...this.#steps.keys()].sort((a, b) => a - b).flatMap((step) => this.of(step) ?? []);
  }

  of(step: number): StepTime | null {
    const bounds = this.#steps.get(step);
    if (bounds === undefined) return null;
    const { launched, start, end } = bounds;
    const began = this.#host.startOf(step);
    const host = this.#host.lengthOf(step);
    const took = { host, device: longestOf(bounds.reaches.values()) };
    if (began === null || host === null) return { step, start: Math.min(launched, start), end, took };
    return { step, start: began, end: Math.max(end, began + host), took };
  }

  /**
   * Among the steps that end before a time, the one whose duration is closest to the median of all steps; null when
   * there is none. For an even number of steps, the median is the shorter of the two in the middle.
   */
  median(before: number): StepTime | null {
    const all = this.all;
    const clock = all.some(({ took }) => took.host !== null) ? 'host' : 'device';
    const lengths = all.flatMap(({ took }) => took[clock] ?? []);
    const usual = median(lengths, 'lower');
    if (usual === null) return null;
    const distance = ({ took }: StepTime): number => Math.abs((took[clock] ?? Infinity) - usual);
    const whole = all.filter(({ end }) => end < before);
    const nearer = (best: StepTime | null, step: StepTime): StepTime =>
      best === null || distance(step) < distance(best) ? step : best;
    return whole.reduce<StepTime | null>(nearer, null);
  }
}

/** Unit: ns; null when there is none. */
function longestOf(reaches: Iterable<Reach>): number | null {
  const longest = [...reaches].reduce((most, { length }) => Math.max(most, length), -Infinity);
  return longest < 0 ? null : longest / PS_PER_NS;
}
