/**
 * The steps of a profile: ranges that mark an iteration, each on the thread that iterates. A range inside another step
 * of its thread is not a separate step. A step that begins before the previous one has ended ends that one.
 */
import { append, elementAt } from '../../containers/element.js';
import { outermost, spanAt, SPANS } from '../../containers/nesting.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo, type RowGroups } from '../../containers/row-order.js';
import type { ThreadTable } from './threads.js';
import type { Context, RangeKind } from '../../record/record.js';

/** Finds the context of every kernel: the ranges, op calls, layers and call stack around its launch. */
export interface KernelContexts {
  /**
   * The context of the next kernel of a launch. Call this once for every kernel, in order of start time, because the
   * kernels of an op are numbered in that order.
   * @param call row of the launching host call; -1 when it is not in the profile
   * @param activity row of the kernel
   */
  ofKernel(call: number, activity: number): Context;

  /**
   * Called instead of `ofKernel` for a kernel whose record another thread makes. If absent, `ofKernel` is called for it
   * too.
   */
  skip?(call: number): void;

  /** The steps of the profile in order of start time; absent when the format has no timed steps. */
  readonly steps?: readonly Step[];

  /**
   * The step of an activity that is not a kernel, found through its launch; null for none.
   * @param call row of the launching host call; -1 when it is not in the profile
   */
  stepOf?(call: number, activity: number): number | null;

  /** The kind of a host range, from its row and text. Without this method, all ranges are annotations. */
  rangeKindOf?(range: number, text: string): RangeKind;

  /**
   * Whether the profile contains this range twice. Without this method, a range is repeated when another has all the same
   * values.
   */
  isRepeated?(range: number): boolean;

  /** Ranges by thread, each thread's in order of start time without repeated ones; absent if they have not been ordered. */
  readonly rangesByThread?: RowGroups;

  /** The call stack recorded for a range, outermost frame first; empty or absent when there is none. */
  stackOf?(range: number): readonly string[];
}

/** Context of a kernel whose launch is unknown. */
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
  /** The number in the range's name; null when there is none. */
  readonly number: number | null;
  /** Name of the range; null when the profile has none. */
  readonly text: string | null;
}

export interface Step extends StepRange {
  /** Number of the step in the profile. */
  readonly step: number;
}

/** Finds the step of a launch. */
export class LaunchSteps {
  readonly #byThread = new Map<number | null, readonly Step[]>();
  /** Steps of all threads of a process, without those that begin inside another one. */
  readonly #byProcess = new Map<number | null, readonly Step[]>();
  /** All steps in order of start time. */
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
   * Number of the step of a launch: a step of its thread, or of the thread that it works for, or of its process; null
   * outside of all steps.
   * @param caller thread that the launching thread works for; null for none
   * @param time time of the launch, in ns
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

/**
 * A step of zero length has not ended: some profilers write ranges that are open at the end of the profile in this way.
 */
const opened = (range: StepRange): StepRange => (range.end === range.start ? { ...range, end: Infinity } : range);

/** Unit: ns. A step may end this much after the step around it, because times may be rounded to microseconds. */
const ROUNDING = 1000;

/**
 * The steps of a thread in order of start time. A range inside another step is left out, and a step ends when the next one
 * begins.
 */
function inSequence(ranges: StepRange[]): StepRange[] {
  const steps: StepRange[] = [];
  const starts = new Map<string | null, number[]>();
  for (const range of ranges.sort(byStart)) entryOf(starts, seriesOf(range), () => []).push(range.start);
  /**
   * Whether the series has another step in the first half of this range. If so, the range does not lie between two
   * steps of the series.
   */
  const goesOn = (series: string | null, { start, end }: StepRange): boolean => {
    const ofSeries = starts.get(series) ?? [];
    const next = ofSeries[countUpTo(ofSeries.length, (index) => elementAt(ofSeries, index), start)];
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

/** Name of a step without its numbers. Steps whose names differ only in their numbers form a series. */
const seriesOf = ({ text }: StepRange): string | null => text?.replace(/\d+/g, '') ?? null;

/**
 * Whether a step that begins before the last one has ended follows it instead of lying inside it. It does if it belongs
 * to the same series, or is mostly outside.
 */
function follows(last: StepRange, { start, end }: StepRange, isOfSeries: boolean): boolean {
  // The last step was still open at the end of the profile, so the next one of its series is not inside it.
  if (last.end === Infinity) return isOfSeries;
  return end > last.end + ROUNDING && (isOfSeries || last.end - start < (end - start) / 2);
}

function byStart(a: StepRange, b: StepRange): number {
  return a.start - b.start || b.end - a.end || (a.number ?? -1) - (b.number ?? -1);
}

/** Steps with the numbers in their names. If these numbers are not distinct within the thread, steps are counted from 0. */
function numbered(ranges: readonly StepRange[]): Step[] {
  const numbers = ranges.flatMap(({ number }) => number ?? []);
  const areDistinct = new Set(numbers).size === ranges.length;
  return ranges.map((range, index) => ({ ...range, step: areDistinct ? elementAt(numbers, index) : index }));
}
