/** Processes and threads numbered from 0 in order of appearance, for the parser alone; records have pid and tid. */
import { elementAt } from '../../containers/element.js';
import { compareCells } from '../../containers/numeric-column.js';

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
  /** The last process looked up: consecutive rows mostly belong to one. */
  #lastKey = NaN;
  #lastProcess = 0;
  /** The last thread looked up by `threadOf`, likewise. */
  #lastPid = NaN;
  #lastTid = NaN;
  #lastThread = 0;

  /** Number of the process with this key; a new one for a new key. */
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

  /** Number of the thread `tid` of a process; a new one for a new tid. */
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

  /** Number of a thread by the operating system's ids, where the pid identifies the process. */
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

  /** Order of threads by process, then tid, whatever the order of rows was. */
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
