/**
 * The steps of a profile: ranges that mark an iteration, each on the thread of the program that iterates. Ranges of steps
 * inside another step of their thread are none; a step that begins before the one before it has ended cuts it there.
 */
import { append, elementAt } from '../../containers/element.js';
import { outermost, spanAt, SPANS } from '../../containers/nesting.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import type { ThreadTable } from './threads.js';
import type { Context, RangeKind } from '../../record/record.js';

/** Finds the context of every kernel: the ranges, op calls, layers and call stack around its launch. */
export interface KernelContexts {
  /**
   * The context of the next kernel of a launch. Must be called once for every kernel, in order of start, because
   * kernels of one op are numbered in that order.
   * @param call row of the launching host call; -1 when it is not in the profile
   * @param activity row of the kernel
   */
  ofKernel(call: number, activity: number): Context;

  /** The steps of the profile in order of start; absent when the format has none by time. */
  readonly steps?: readonly Step[];

  /**
   * The step of work other than kernels, by its launch; null for none.
   * @param call row of the launching host call; -1 when it is not in the profile
   */
  stepOf?(call: number, activity: number): number | null;

  /** What a range of the host is, by its row and its text; when absent, all are annotations. */
  rangeKindOf?(range: number, text: string): RangeKind;

  /** Whether a range is one that the profile has twice; when absent, it is where another is the same in all that is written. */
  isRepeated?(range: number): boolean;

  /** The call stack that the profile has of a range, outermost frame first; empty or absent without one. */
  stackOf?(range: number): readonly string[];
}

/** Context of a kernel about whose launch nothing is known. */
export const NO_CONTEXT: Context = {
  dir: null,
  layer: [],
  trace: [],
  calls: [],
  mod: ['na'],
  op: [],
  repr: [],
  seqMarker: [],
  seq: [],
  altSeq: [],
  sub: 0,
  ranges: [],
};

/** A range that marks a step. Times in ns. */
export interface StepRange {
  readonly start: number;
  /** Infinity for a range that is still open at the end of the profile. */
  readonly end: number;
  /** Number of the thread, from `ThreadTable`; null for a step of the whole profile. */
  readonly thread: number | null;
  /** The number in its name; null where it has none. */
  readonly number: number | null;
  /** Null where the profile has no name for it. */
  readonly text: string | null;
}

export interface Step extends StepRange {
  /** Its number in the profile. */
  readonly step: number;
}

/** Finds the step of a launch. */
export class LaunchSteps {
  readonly #byThread = new Map<number | null, readonly Step[]>();
  /** Of all threads of a process, those that begin inside another one left out. */
  readonly #byProcess = new Map<number | null, readonly Step[]>();
  /** In order of start. */
  readonly all: readonly Step[];

  constructor(
    ranges: Iterable<StepRange>,
    private readonly threads: ThreadTable,
  ) {
    const byThread = new Map<number | null, StepRange[]>();
    for (const range of ranges) entryOf(byThread, range.thread, () => []).push(opened(range));
    const byProcess = new Map<number | null, Step[]>();
    for (const [thread, list] of byThread) {
      const steps = numbered(inSequence(list));
      this.#byThread.set(thread, steps);
      append(
        entryOf(byProcess, thread === null ? null : threads.processOf(thread), () => []),
        steps,
      );
    }
    for (const [process, steps] of byProcess) this.#byProcess.set(process, outermost(steps.sort(byStart), SPANS));
    this.all = [...this.#byThread.values()]
      .flat()
      .sort((a, b) => a.start - b.start || b.end - a.end || this.#compareThreads(a.thread, b.thread));
  }

  /**
   * Number of the step of a launch: of its thread, of the thread that it works for, else of its process; null outside of
   * all steps.
   * @param caller thread that the launching thread works for; null for none
   * @param time of the launch, ns
   */
  at(thread: number, caller: number | null, time: number): number | null {
    const find = (steps: readonly Step[] = []): number | null => spanAt(steps, time)?.step ?? null;
    return (
      find(this.#byThread.get(thread)) ??
      (caller === null ? null : find(this.#byThread.get(caller))) ??
      find(this.#byProcess.get(this.threads.processOf(thread))) ??
      find(this.#byThread.get(null))
    );
  }

  /** Steps of the whole profile come first. */
  #compareThreads(a: number | null, b: number | null): number {
    return a === null || b === null ? Number(b === null) - Number(a === null) : this.threads.compare(a, b);
  }
}

/** A step of no length was not ended, as of profilers that write so what is open at the end of the profile. */
const opened = (range: StepRange): StepRange => (range.end === range.start ? { ...range, end: Infinity } : range);

/** How much later than the step around it a step may end, in ns, where times are rounded to microseconds. */
const ROUNDING = 1000;

/** The steps of a thread in order of start: those inside another are none, and a step ends where the next one begins. */
function inSequence(ranges: StepRange[]): StepRange[] {
  const steps: StepRange[] = [];
  const starts = new Map<string | null, number[]>();
  for (const range of ranges.sort(byStart)) entryOf(starts, seriesOf(range), () => []).push(range.start);
  /** Whether the next of a series begins in the first half of a range of another: that is not between the two. */
  const goesOn = (series: string | null, { start, end }: StepRange): boolean => {
    const own = starts.get(series) ?? [];
    const next = own[countUpTo(own.length, (index) => elementAt(own, index), start)];
    return next !== undefined && next - start < (end - start) / 2;
  };
  for (const range of ranges) {
    const last = steps.at(-1);
    if (last !== undefined && range.start < last.end) {
      const series = seriesOf(last);
      const isOfSeries = series === seriesOf(range);
      if (!follows(last, range, isOfSeries) || (!isOfSeries && goesOn(series, range))) continue;
      steps[steps.length - 1] = { ...last, end: range.start };
    }
    steps.push(range);
  }
  return steps;
}

/** Steps whose names differ by their numbers alone are of one series. */
const seriesOf = ({ text }: StepRange): string | null => text?.replace(/\d+/g, '') ?? null;

/** Whether a step that begins before another has ended comes after it: of the same series, or not mostly inside. */
function follows(last: StepRange, { start, end }: StepRange, isOfSeries: boolean): boolean {
  // One that is still open at the end of the profile was not ended: the next of its series is not inside it.
  if (last.end === Infinity) return isOfSeries;
  return end > last.end + ROUNDING && (isOfSeries || last.end - start < (end - start) / 2);
}

function byStart(a: StepRange, b: StepRange): number {
  return a.start - b.start || b.end - a.end || (a.number ?? -1) - (b.number ?? -1);
}

/** Steps with the numbers in their names, or counted from 0 where these do not distinguish all of a thread's steps. */
function numbered(ranges: readonly StepRange[]): Step[] {
  const numbers = ranges.flatMap(({ number }) => number ?? []);
  const areDistinct = new Set(numbers).size === ranges.length;
  return ranges.map((range, index) => ({ ...range, step: areDistinct ? elementAt(numbers, index) : index }));
}
