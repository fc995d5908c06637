/**
 * Which thread the framework's own threads work for. PyTorch's autograd engine runs the backward pass on threads of its
 * own, while the thread that called `backward` waits with its ranges open: what the engine launches belongs to these.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { ThreadTable } from './threads.js';

/** A thread and the ranges that are open on it, outermost first. */
export interface Caller<Range> {
  readonly thread: number;
  readonly ranges: readonly Range[];
}

export class CallerThreads<Range> {
  /** By process: its threads that have ranges. */
  readonly #candidates = new Map<number, number[]>();
  /** By thread: the last one that it worked for. */
  readonly #last = new Map<number, number>();

  /** @param withRanges threads on which ranges of the program may be open */
  constructor(
    private readonly threads: ThreadTable,
    withRanges: Iterable<number>,
  ) {
    for (const thread of withRanges) entryOf(this.#candidates, threads.processOf(thread), () => []).push(thread);
  }

  /**
   * The thread that another one works for at some time: the only one of its process with open ranges; of several the
   * one that ran the forward op, else the one that it worked for before. Null when this does not decide.
   * @param openOn the program's ranges that are open on a thread, outermost first
   * @param forwardThread thread of the forward op whose gradient is computed; null when unknown
   */
  of(
    thread: number,
    openOn: (thread: number) => readonly Range[],
    forwardThread: (candidates: readonly number[]) => number | null,
  ): Caller<Range> | null {
    const open: Caller<Range>[] = [];
    for (const other of this.#candidates.get(this.threads.processOf(thread)) ?? []) {
      if (other === thread) continue;
      const ranges = openOn(other);
      if (ranges.length > 0) open.push({ thread: other, ranges });
    }
    const found = open.length > 1 ? this.#among(open, thread, forwardThread) : (open[0] ?? null);
    if (found !== null) this.#last.set(thread, found.thread);
    return found;
  }

  #among(
    open: readonly Caller<Range>[],
    thread: number,
    forwardThread: (candidates: readonly number[]) => number | null,
  ): Caller<Range> | null {
    const wanted = forwardThread(open.map((caller) => caller.thread)) ?? this.#last.get(thread);
    return open.find((caller) => caller.thread === wanted) ?? null;
  }
}
