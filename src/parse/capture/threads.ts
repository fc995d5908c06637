/**
 * Processes and threads of a profile as small numbers, in order of first appearance. The numbers are only used inside
 * the parser; records carry the operating system's pid and tid.
 */

/** One process. `key` tells apart equal pids on different machines (Nsight Systems: hardware and VM id too). */
interface Process {
  readonly key: number;
  readonly pid: number;
  readonly threads: Map<number, number>;
}

export class Threads {
  readonly #processes = new Map<number, number>();
  readonly #byProcess: Process[] = [];
  readonly #process: number[] = [];
  readonly #tid: number[] = [];
  /** Neighbouring rows mostly belong to one process. */
  #lastKey = NaN;
  #lastProcess = 0;

  /** Number of the process with this key. */
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

  /** Number of the thread `tid` in a process. */
  thread(process: number, tid: number): number {
    const { threads } = this.#get(process);
    let thread = threads.get(tid);
    if (thread === undefined) {
      thread = this.#process.push(process) - 1;
      this.#tid.push(tid);
      threads.set(tid, thread);
    }
    return thread;
  }

  /** How many threads there are. */
  get count(): number {
    return this.#tid.length;
  }

  processOf(thread: number): number {
    return this.#process[thread] ?? 0;
  }

  pid(process: number): number {
    return this.#get(process).pid;
  }

  tid(thread: number): number {
    return this.#tid[thread] ?? 0;
  }

  /** A comparison of threads by process, then tid: the same whatever the order of rows was. */
  compare(a: number, b: number): number {
    return this.compareProcesses(this.processOf(a), this.processOf(b)) || this.tid(a) - this.tid(b);
  }

  /** A comparison of processes by pid, then machine. */
  compareProcesses(a: number, b: number): number {
    return a === b ? 0 : this.pid(a) - this.pid(b) || this.#get(a).key - this.#get(b).key;
  }

  #get(process: number): Process {
    const found = this.#byProcess[process];
    if (found === undefined) throw new RangeError(`no process ${process}`);
    return found;
  }
}
