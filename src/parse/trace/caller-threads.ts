/**
 * Which thread the framework's own threads work for. PyTorch's autograd engine runs the backward pass on threads of its
 * own, while the thread that called `backward` waits with its ranges open: what the engine launches belongs to these.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { ThreadTable } from './threads.js';

/** A thread and the texts of the program's ranges that are open on it, outermost first. */
export interface Caller {
  readonly thread: number;
  readonly ranges: readonly string[];
}

export class CallerThreads {
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
   * @param openOn texts of the program's ranges that are open on a thread, outermost first
   * @param forwardThread thread of the forward op whose gradient is computed; null when unknown
   */
  of(thread: number, openOn: (thread: number) => readonly string[], forwardThread: () => number | null): Caller | null {
    const open: Caller[] = [];
    for (const other of this.#candidates.get(this.threads.processOf(thread)) ?? []) {
      if (other === thread) continue;
      const ranges = openOn(other);
      if (ranges.length > 0) open.push({ thread: other, ranges });
    }
    const found = open.length > 1 ? this.#among(open, thread, forwardThread) : (open[0] ?? null);
    if (found !== null) this.#last.set(thread, found.thread);
    return found;
  }

  #among(open: readonly Caller[], thread: number, forwardThread: () => number | null): Caller | null {
    const wanted = forwardThread() ?? this.#last.get(thread);
    return open.find((caller) => caller.thread === wanted) ?? null;
  }
}
