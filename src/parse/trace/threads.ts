/**
 * Processes and threads, numbered from 0 in order of appearance for use inside the parser (records have pid and tid), and
 * the threads that call ops.
 */
import { elementAt } from '../../containers/element.js';
import { compareCells } from '../../containers/numeric-column.js';
import { entryOf } from '../../containers/map-entry.js';

/** A thread and the strings of the program's ranges that are open on it, outermost first. */
export interface Caller {
  readonly thread: number;
  readonly ranges: readonly string[];
}

/** The thread that another one worked for last: undefined for none, null when unknown because launches were skipped. */
export type LastCaller = number | null | undefined;

/**
 * Finds the thread on whose behalf a framework thread works. PyTorch's autograd engine runs the backward pass on its own
 * threads, while the thread that called `backward` waits with its ranges open. Work that the engine launches belongs to
 * these ranges.
 */
export class CallerThreads {
  /** Threads of each process that have ranges. */
  readonly #candidates = new Map<number, number[]>();
  /** For each thread, the thread that it worked for last. */
  readonly #last = new Map<number, LastCaller>();

  /** @param withRanges threads that may have open ranges of the program */
  constructor(
    private readonly threads: ThreadTable,
    withRanges: Iterable<number>,
  ) {
    for (const thread of withRanges) entryOf(this.#candidates, threads.processOf(thread), () => []).push(thread);
  }

  /**
   * The thread that another one works for at some time: the only thread of its process with open ranges. If there are
   * several, it is the one that ran the forward op, or otherwise the one that it worked for before. Null when this
   * leaves several; undefined when it depends on skipped launches.
   * @param openOn strings of the program's ranges that are open on a thread, outermost first
   * @param forwardThread thread of the forward op whose gradient is computed; null when unknown
   */
  callerOf(
    thread: number,
    openOn: (thread: number) => readonly string[],
    forwardThread: () => number | null,
  ): Caller | null | undefined {
    const open: Caller[] = [];
    for (const other of this.candidatesFor(thread)) {
      const ranges = openOn(other);
      if (ranges.length > 0) open.push({ thread: other, ranges });
    }
    const found = open.length > 1 ? this.#among(open, thread, forwardThread) : (open[0] ?? null);
    if (found !== null && found !== undefined) this.#last.set(thread, found.thread);
    return found;
  }

  /** The other threads for which a thread may work. */
  candidatesFor(thread: number): readonly number[] {
    const candidates = this.#candidates.get(this.threads.processOf(thread)) ?? [];
    return candidates.filter((other) => other !== thread);
  }

  lastOf(thread: number): LastCaller {
    return this.#last.get(thread);
  }

  setLast(thread: number, last: LastCaller): void {
    if (last === undefined) this.#last.delete(thread);
    else this.#last.set(thread, last);
  }

  #among(open: readonly Caller[], thread: number, forwardThread: () => number | null): Caller | null | undefined {
    const wanted = forwardThread() ?? this.#last.get(thread);
    return wanted === null ? undefined : (open.find((caller) => caller.thread === wanted) ?? null);
  }
}

interface Process {
  /** Distinguishes equal pids on different machines (Nsight Systems: hardware and VM id above the pid). */
  readonly key: number;
  readonly pid: number;
  readonly threads: Map<number, number>;
}

export class ThreadTable {
  readonly #processes = new Map<number, number>();
  readonly #byProcess: Process[] = [];
  readonly #process: number[] = [];
  readonly #tid: number[] = [];
  /** The last process looked up, kept because consecutive rows mostly belong to one process. */
  #lastKey = NaN;
  #lastProcess = 0;
  /** The last thread that `threadOf` looked up, kept for the same reason. */
  #lastPid = NaN;
  #lastTid = NaN;
  #lastThread = 0;

  /** Number of the process with this key; a new number for a new key. */
  process(key: number, pid: number): number {
    if (key === this.#lastKey) return this.#lastProcess;
    let process = this.#processes.get(key);
    if (process === undefined) {
      process = this.#byProcess.push({ key, pid, threads: new Map() }) - 1;
      this.#processes.set(key, process);
    }
    this.#lastKey = key;
    this.#lastProcess = process;
    return process;
  }

  /**
   * Number of the thread `tid` of a process; a new number for a new tid.
   * @param key distinguishes threads whose ids are unknown
   */
  thread(process: number, tid: number, key = tid): number {
    const { threads } = this.#get(process);
    let thread = threads.get(key);
    if (thread === undefined) {
      thread = this.#process.push(process) - 1;
      this.#tid.push(tid);
      threads.set(key, thread);
    }
    return thread;
  }

  /** Number of a thread by the operating system's ids, for profiles in which the pid identifies the process. */
  threadOf(pid: number, tid: number): number {
    if (pid === this.#lastPid && tid === this.#lastTid) return this.#lastThread;
    this.#lastPid = pid;
    this.#lastTid = tid;
    return (this.#lastThread = this.thread(this.process(pid, pid), tid));
  }

  get count(): number {
    return this.#tid.length;
  }

  processOf(thread: number): number {
    return elementAt(this.#process, thread);
  }

  /** The operating system's id of a process; NaN when the profile does not record it. */
  pid(process: number): number {
    return this.#get(process).pid;
  }

  /** The operating system's id of a thread; NaN when the profile does not record it. */
  tid(thread: number): number {
    return elementAt(this.#tid, thread);
  }

  /** Order of threads by process, then tid; it does not depend on the order of rows. */
  compare(a: number, b: number): number {
    return this.compareProcesses(this.processOf(a), this.processOf(b)) || compareCells(this.tid(a), this.tid(b));
  }

  /** Order of processes by pid, then key. */
  compareProcesses(a: number, b: number): number {
    return a === b ? 0 : this.pid(a) - this.pid(b) || this.#get(a).key - this.#get(b).key;
  }

  #get(process: number): Process {
    return elementAt(this.#byProcess, process);
  }
}

/**
 * Process ids of a profile of several runs. They repeat where processes ran in containers or on several machines, while
 * threads and calls must not be mixed: each later process with a known id gets another number.
 */
export class ProcessIds {
  readonly #runs = new Map<unknown, Map<number, number>>();
  readonly #taken = new Set<number>();

  of(run: unknown, pid: number | null): number | null {
    if (pid === null) return null;
    return entryOf(
      entryOf(this.#runs, run, () => new Map<number, number>()),
      pid,
      () => {
        let free = pid;
        while (this.#taken.has(free)) free += 2 ** 32;
        this.#taken.add(free);
        return free;
      },
    );
  }
}
