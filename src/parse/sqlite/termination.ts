/**
 * Terminates worker threads between calls of SQLite. When a thread is terminated during a call that then fails,
 * better-sqlite3 aborts the whole process, because it cannot create the error. Threads that share a damaged database, or
 * a full disk, fail at nearly the same time, and the first failure terminates the others.
 */
import type { Worker } from 'node:worker_threads';

/** Shared memory with the flags below. */
export type Termination = Int32Array<SharedArrayBuffer>;

/** Set by the worker during a call of SQLite. */
const IN_CALL = 1;
/** Set by the other thread before it terminates the worker. */
const ENDING = 2;

/** How often to check, in ms, whether a call has ended. */
const CHECK_MS = 5;

/** The memory of this thread; null when nothing terminates it. */
let termination: Termination | null = null;
/** Whether this thread is inside `duringCall`. */
let isInCall = false;

export const newTermination = (): Termination => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Sets the memory that `terminate` uses for this thread. */
export function setTermination(memory: Termination): void {
  termination = memory;
}

/** Terminates a worker as soon as it is not in a call of SQLite. */
export async function terminate(worker: Worker, memory: Termination): Promise<void> {
  Atomics.or(memory, 0, ENDING);
  while ((Atomics.load(memory, 0) & IN_CALL) !== 0) await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  await worker.terminate();
}

/** Runs a function that calls SQLite. This thread is not terminated before it returns. */
export function duringCall<T>(body: () => T): T {
  if (termination === null || isInCall) return body();
  begin(termination);
  try {
    return body();
  } finally {
    end(termination);
  }
}

/** The rows of a query, each read in a call of its own. @param query starts the query */
export function inCalls<Row>(query: () => IterableIterator<Row>): IterableIterator<Row> {
  const rows = duringCall(query);
  if (termination === null) return rows;
  return {
    [Symbol.iterator]() {
      return this;
    },
    next: () => duringCall(() => rows.next()),
    return: () => rows.return?.() ?? { done: true, value: undefined },
  };
}

/** Lets this thread be terminated in a long `duringCall`, between two calls of SQLite. */
export function betweenCalls(): void {
  if (termination === null || !isInCall) return;
  end(termination);
  begin(termination);
}

function begin(memory: Termination): void {
  const before = Atomics.or(memory, 0, IN_CALL);
  isInCall = true;
  if ((before & ENDING) !== 0) end(memory);
}

function end(memory: Termination): void {
  isInCall = false;
  const before = Atomics.and(memory, 0, ~IN_CALL);
  // Wait to be terminated.
  if ((before & ENDING) !== 0) Atomics.wait(memory, 0, ENDING);
}
