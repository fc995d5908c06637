/** Finds the threads of PyTorch's autograd engine, and the ranges that are open on the threads for which they work. */
import { elementAt } from '../../containers/element.js';
import { LruCache, entryOf } from '../../containers/map-entry.js';
import { OpenSpans } from '../../containers/nesting.js';
import { countUpTo } from '../../containers/row-order.js';
import { CallerThreads, type Caller, type ThreadTable } from '../trace/threads.js';
import type { HostEvents } from './host-events.js';
import { OUTSIDE, type Nesting } from './nesting.js';
import { readStepName, type StepName } from '../../record/serving-step.js';
import type { StepRange } from '../trace/launch-steps.js';

/** Ranges that mark steps. They are annotations, or ops in profiles from 2021, which record annotations as ops. */
export function* annotatedSteps(events: HostEvents): Generator<StepRange> {
  const { ranges } = events;
  const names = new LruCache<string, StepName | null>(1024);
  for (let row = 0; row < ranges.length; row++) {
    if (events.isFrame(row) || ranges.strays.has(row)) continue;
    const name = events.nameOf(row);
    if (name.kind !== 'range') continue;
    const step = names.of(name.text, readStepName);
    if (step === null) continue;
    const [start, end, thread] = [ranges.start.at(row), ranges.end.at(row), ranges.thread.at(row)];
    yield { start, end, thread, number: step.number, text: name.text };
  }
}

/** The program's ranges on a thread, in order of start time. */
interface ThreadRanges {
  readonly rows: number[];
  /** For each index in `rows`: the index of the range around it, or OUTSIDE. */
  readonly parents: number[];
}

export class EngineThreads {
  readonly #ranges = new Map<number, ThreadRanges>();
  readonly #isEngine: ReadonlySet<number>;
  readonly #callers: CallerThreads;

  constructor(
    private readonly events: HostEvents,
    nesting: Nesting,
    threads: ThreadTable,
  ) {
    this.#isEngine = engineThreads(events, nesting);
    const rows = this.#isEngine.size === 0 ? new Map<number, number[]>() : rangesByThread(events);
    for (const [thread, ranges] of rows)
      if (!this.#isEngine.has(thread)) this.#ranges.set(thread, nested(events, ranges));
    this.#callers = new CallerThreads(threads, this.#ranges.keys());
  }

  /**
   * The thread that an engine thread works for at a time; null for other threads, and when unknown.
   * @param forwardThread thread of the forward op whose gradient is computed; null when unknown
   */
  callerOf(thread: number, time: number, forwardThread: () => number | null): Caller | null {
    if (!this.#isEngine.has(thread)) return null;
    return this.#callers.callerOf(thread, (other) => this.#openAt(other, time), forwardThread) ?? null;
  }

  /** Strings of the program's ranges that are open on a thread at a time, outermost first. */
  #openAt(thread: number, time: number): string[] {
    const ordered = this.#ranges.get(thread);
    if (ordered === undefined) return [];
    const { rows, parents } = ordered;
    const { start, end } = this.events.ranges;
    const begun = countUpTo(rows.length, (index) => start.at(elementAt(rows, index)), time);
    const open: string[] = [];
    for (let index = begun - 1; index !== OUTSIDE; index = elementAt(parents, index)) {
      const row = elementAt(rows, index);
      const name = this.events.roleOf(row);
      if (end.at(row) >= time && name.kind === 'range') open.push(name.text);
    }
    return open.reverse();
  }
}

/** Threads on which most of the outermost events are nodes of the backward pass. */
function engineThreads(events: HostEvents, { parent }: Nesting): Set<number> {
  /** For each thread: number of outermost nodes minus other outermost events. */
  const surplus = new Map<number, number>();
  for (let row = 0; row < parent.length; row++) {
    if (parent[row] !== OUTSIDE) continue;
    const isNode = events.nameOf(row).kind === 'node';
    const thread = events.ranges.thread.at(row);
    surplus.set(thread, (surplus.get(thread) ?? 0) + (isNode ? 1 : -1));
  }
  return new Set([...surplus].filter(([, more]) => more > 0).map(([thread]) => thread));
}

/** Rows of the program's ranges by thread, in no particular order. */
function rangesByThread(events: HostEvents): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < events.ranges.length; row++) {
    if (events.isFrame(row) || events.roleOf(row).kind !== 'range') continue;
    entryOf(found, events.ranges.thread.at(row), () => []).push(row);
  }
  return found;
}

/** Sorts the ranges of a thread by start, the longer first, and finds the range around each. */
function nested({ ranges: { start, end } }: HostEvents, rows: number[]): ThreadRanges {
  rows.sort((a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a));
  const open = new OpenSpans<number>((index) => end.at(elementAt(rows, index)));
  const parents = rows.map((row, index) => {
    open.close(start.at(row));
    const around = open.last ?? OUTSIDE;
    open.push(index, start.at(row));
    return around;
  });
  return { rows, parents };
}
