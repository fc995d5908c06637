/** When steps ran on the host, if the records contain it. */
import { elementAt, largest, least } from '../../containers/element.js';
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

/**
 * The steps of one profile. Add them in order of start time. Memory: 32 bytes for each step, 200 if they are not
 * numbered from 0.
 */
export class HostSteps {
  // A row for each time that a thread was in a step.
  readonly #step: number[] = [];
  readonly #start: number[] = [];
  readonly #end: number[] = [];
  /** Numbers of `#threads`. */
  readonly #thread: number[] = [];
  readonly #threads = new Map<string | null, number>();
  /** Rows by step, without the row whose number is that of the step, and the threads of these rows: `STEP/THREAD`. */
  readonly #otherRows = new Map<number, number[]>();
  readonly #otherThreads = new Set<string>();
  /** Duration of the iteration of each row, computed on first use. */
  #lengths: Float64Array | null = null;

  /** @param window the selected time: a step starts, lasts and ends only inside */
  constructor(private readonly window: TimeWindow = ALL_TIME) {}

  add({ step, start, end, thread }: HostStep): void {
    const row = this.#step.length;
    this.#step.push(step);
    this.#start.push(start);
    this.#end.push(end);
    const number = entryOf(this.#threads, thread, () => this.#threads.size);
    this.#thread.push(number);
    this.#lengths = null;
    if (step === row) return;
    entryOf(this.#otherRows, step, () => [] as number[]).push(row);
    this.#otherThreads.add(`${step}/${number}`);
  }

  get size(): number {
    return this.#step.length;
  }

  /** Whether it is known when each step ended. */
  get haveEnds(): boolean {
    return this.size > 0 && this.#end.every((end) => Number.isFinite(end));
  }

  /** Sorted in ascending order. */
  get numbers(): number[] {
    return [...new Set(this.#step)].filter((step) => this.startOf(step) !== null).sort((a, b) => a - b);
  }

  /** When a step began; null when unknown. */
  startOf(step: number): number | null {
    const starts = this.#rowsOf(step).flatMap((row) => this.#inside(row)?.start ?? []);
    return starts.length === 0 ? null : least(starts);
  }

  /**
   * Duration of an iteration in ns: from the start of the step to the start of the thread's next step, or to its end for
   * the last step; the maximum over threads. Null when unknown.
   */
  lengthOf(step: number): number | null {
    const lengths = (this.#lengths ??= this.#iterations());
    const known = this.#rowsOf(step).flatMap((row) => (Number.isNaN(lengths[row]) ? [] : elementAt(lengths, row)));
    const length = largest(known);
    return Number.isFinite(length) ? length : null;
  }

  /**
   * Whether a thread of the step itself launched the work, rather than a thread that works for it; null when unknown.
   */
  isOwn(step: number, { pid, tid }: Launched): boolean | null {
    const thread = threadOf(pid, tid);
    const isAtPlace = this.#step[step] === step;
    const isIn = (name: string | null): boolean => {
      const number = this.#threads.get(name);
      if (number === undefined) return false;
      return (isAtPlace && this.#thread[step] === number) || this.#otherThreads.has(`${step}/${number}`);
    };
    const isKnown = isAtPlace || this.#otherRows.has(step);
    return !isKnown || thread === null || isIn(null) ? null : isIn(thread);
  }

  /** The step at a time; null outside of all steps. */
  at(time: number): number | null {
    return this.within(time, time).at(-1) ?? null;
  }

  /** The steps that overlap with a time range; only null when there are none. */
  within(from: number, to: number): (number | null)[] {
    const begun = countUpTo(this.size, (row) => elementAt(this.#start, row), from);
    const under: number[] = [];
    for (let row = Math.max(0, begun - 1); row < this.size; row++) {
      const start = elementAt(this.#start, row);
      if (start >= to && start > from) break;
      if (elementAt(this.#end, row) >= from) under.push(elementAt(this.#step, row));
    }
    return under.length === 0 ? [null] : under;
  }

  #rowsOf(step: number): number[] {
    const others = this.#otherRows.get(step) ?? [];
    return this.#step[step] === step ? [...others, step] : others;
  }

  /** The part of a row in the selected time; null for none. */
  #inside(row: number): TimeSpan | null {
    const [begun, ended] = [elementAt(this.#start, row), elementAt(this.#end, row)];
    const [start, end] = [Math.max(begun, this.window.from), Math.min(ended, this.window.to)];
    return start < end || (start === end && begun === ended) ? { start, end } : null;
  }

  /** Durations of the iterations in ns, by row; NaN outside of the selected time. */
  #iterations(): Float64Array {
    const lengths = new Float64Array(this.size).fill(NaN);
    /** Start of the next step, by thread. */
    const next = new Map<number, number>();
    for (let row = this.size - 1; row >= 0; row--) {
      const part = this.#inside(row);
      if (part === null) continue;
      const thread = elementAt(this.#thread, row);
      lengths[row] = (next.get(thread) ?? part.end) - part.start;
      next.set(thread, part.start);
    }
    return lengths;
  }
}

const ALL_TIME: TimeWindow = { from: -Infinity, to: Infinity };

/** A span of time, in ns. */
type TimeSpan = Readonly<Record<'start' | 'end', number>>;

/** The thread that launched some work. */
interface Launched {
  readonly pid?: number | null;
  readonly tid?: number | null;
}
