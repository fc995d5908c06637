/** When steps ran on the host, if the records contain it. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import { STEP_METRIC, type ProfileLine } from '../../record/record.js';
import type { TimeWindow } from '../input/named-range.js';

/** Maximum number of steps over all devices that a report keeps, each of at most about 5 KB. */
export const MOST_STEPS = 20_000;

export interface HostStep {
  readonly step: number;
  readonly start: number;
  readonly end: number;
  /** The thread that executed the step, in the form of `threadOf`; null when unknown. */
  readonly thread: string | null;
}

/** A thread identified by its ids; null when its id is unknown. */
const threadOf = (pid: unknown, tid: unknown): string | null =>
  typeof tid === 'number' ? `${typeof pid === 'number' ? pid : ''}/${tid}` : null;

/** The step that a record marks, which is a `sample` of the metric `step`. Null for all other records. */
export function stepOf(record: ProfileLine): HostStep | null {
  if (record.type !== 'sample' || record.metric !== STEP_METRIC || record.start === null) return null;
  const { value, start, dur, labels = {} } = record;
  if (value === null || !Number.isFinite(value)) return null;
  return { step: value, start, end: start + (dur ?? Infinity), thread: threadOf(labels['pid'], labels['tid']) };
}

/** The steps of one profile; must be added in order of start. */
export class HostSteps {
  /** @param window the selected time: a step starts, lasts and ends only inside; undefined for all of it */
  constructor(private readonly window: TimeWindow = ALL_TIME) {}

  readonly #steps: HostStep[] = [];
  readonly #starts = new Map<number, number>();
  /** Threads that executed each step. */
  readonly #threads = new Map<number, Set<string | null>>();
  /** Length by step, computed on first use. */
  #lengths: ReadonlyMap<number, number> | null = null;

  add(step: HostStep): void {
    this.#steps.push(step);
    const part = inside(step, this.window);
    if (part !== null) this.#starts.set(step.step, Math.min(part.start, this.#starts.get(step.step) ?? Infinity));
    entryOf(this.#threads, step.step, () => new Set()).add(step.thread);
    this.#lengths = null;
  }

  get size(): number {
    return this.#steps.length;
  }

  /** Whether it is known when each step ended. */
  get haveEnds(): boolean {
    return this.#steps.length > 0 && this.#steps.every(({ end }) => Number.isFinite(end));
  }

  /** Sorted in ascending order. */
  get numbers(): number[] {
    return [...this.#starts.keys()].sort((a, b) => a - b);
  }

  /** When a step began; null when unknown. */
  startOf(step: number): number | null {
    return this.#starts.get(step) ?? null;
  }

  /**
   * Duration of an iteration in ns: from the start of the step to the start of the thread's next step, or to its end for
   * the last step; the maximum over threads. Null when unknown.
   */
  lengthOf(step: number): number | null {
    const length = (this.#lengths ??= iterations(this.#steps.flatMap((one) => inside(one, this.window) ?? []))).get(
      step,
    );
    return length === undefined || !Number.isFinite(length) ? null : length;
  }

  /**
   * Whether a thread of the step itself launched the work, rather than a thread that works for it; null when unknown.
   */
  isOwn(step: number, { pid, tid }: Launched): boolean | null {
    const threads = this.#threads.get(step);
    const thread = threadOf(pid, tid);
    return threads === undefined || threads.has(null) || thread === null ? null : threads.has(thread);
  }

  /** The step at a time; null outside of all steps. */
  at(time: number): number | null {
    return this.within(time, time).at(-1) ?? null;
  }

  /** The steps that overlap with a time range; only null when there are none. */
  within(from: number, to: number): (number | null)[] {
    const begun = countUpTo(this.#steps.length, (index) => elementAt(this.#steps, index).start, from);
    const under: number[] = [];
    for (let index = Math.max(0, begun - 1); index < this.#steps.length; index++) {
      const { step, start, end } = elementAt(this.#steps, index);
      if (start >= to && start > from) break;
      if (end >= from) under.push(step);
    }
    return under.length === 0 ? [null] : under;
  }
}

const ALL_TIME: TimeWindow = { from: -Infinity, to: Infinity };

/** The part of a step that is in a time; null for none. */
function inside(step: HostStep, { from, to }: TimeWindow): HostStep | null {
  const [start, end] = [Math.max(step.start, from), Math.min(step.end, to)];
  return start < end || (start === end && step.start === step.end) ? { ...step, start, end } : null;
}

/** The thread that launched some work. */
interface Launched {
  readonly pid?: number | null;
  readonly tid?: number | null;
}

/**
 * Duration of iterations by step.
 * @param steps in order of start
 */
function iterations(steps: readonly HostStep[]): Map<number, number> {
  const lengths = new Map<number, number>();
  /** Start of the next step, by thread. */
  const next = new Map<string | null, number>();
  for (const { step, start, end, thread } of [...steps].reverse()) {
    lengths.set(step, Math.max((next.get(thread) ?? end) - start, lengths.get(step) ?? 0));
    next.set(thread, start);
  }
  return lengths;
}
