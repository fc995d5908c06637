/** When steps ran on the host, where records have it. */
import { elementAt } from '../../containers/element.js';
import type { ProfileLine } from '../../record/record.js';

/** Steps of all devices that a report keeps, each of at most about 5 KB. */
export const MOST_STEPS = 20_000;

/** The fields of work on a device that identify its step. */
interface StepReference {
  readonly step?: number | null;
  readonly launch?: { readonly start: number } | null;
}

export interface HostStep {
  readonly step: number;
  readonly start: number;
  readonly end: number;
}

const METRIC = 'step';
/** What PyTorch's profiler writes around a step. */
const RANGE = /^ProfilerStep#(\d{1,9})$/;

/**
 * The step that a record marks: a `sample` of the metric `step`, its number in `labels.step` or as its value, or
 * a `range` of PyTorch's profiler. Null for all other records.
 */
export function stepOf(record: ProfileLine): HostStep | null {
  if (record.type === 'range') {
    const number = RANGE.exec(record.text)?.[1];
    return number === undefined ? null : of(Number(number), record.start, record.dur);
  }
  if (record.type !== 'sample' || record.metric !== METRIC || record.start === null) return null;
  const number = record.labels?.['step'] ?? record.value;
  const step = typeof number === 'string' ? Number(number) : number;
  return step === null || !Number.isFinite(step) ? null : of(step, record.start, record.dur ?? Infinity);
}

const of = (step: number, start: number, dur: number): HostStep => ({ step, start, end: start + dur });

/** The steps of one profile, which come in order of start. */
export class HostSteps {
  readonly #steps: HostStep[] = [];
  readonly #starts = new Map<number, number>();

  add(step: HostStep): void {
    this.#steps.push(step);
    this.#starts.set(step.step, Math.min(step.start, this.#starts.get(step.step) ?? Infinity));
  }

  get size(): number {
    return this.#steps.length;
  }

  /** When a step began; null when unknown. */
  startOf(step: number): number | null {
    return this.#starts.get(step) ?? null;
  }

  /**
   * The step that work belongs to; null for none. Where a kernel's step is null, its reader looked for it; copies and
   * graph launches have one only where the host's are known.
   */
  stepOfWork({ step, launch }: StepReference): number | null {
    if (step !== undefined) return step;
    return launch === undefined || launch === null ? null : this.at(launch.start);
  }

  at(time: number): number | null {
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elementAt(this.#steps, middle).start <= time) low = middle + 1;
      else high = middle;
    }
    const last = this.#steps[low - 1];
    return last !== undefined && time <= last.end ? last.step : null;
  }
}
