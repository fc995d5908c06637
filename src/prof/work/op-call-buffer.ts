/**
 * Holds rows back until all kernels of their op call are there, so that the op's work can be given out once. Rows leave
 * in the order in which they came. Kernels of one call stand close together, so that few rows wait; of a call whose
 * kernels do not come (records were filtered before) the rows go on after a bounded wait.
 */
import type { Annotated } from '../annotate.js';
import { nothing, distributeWork, type CallKernel } from './attribution.js';

/** Rows that wait at most. */
const LONGEST_WAIT = 8192;

/** A call some of whose kernels are still to come. */
interface OpenCall {
  /** Kernels of the call, whatever describes them, that have not come. */
  left: number;
  /** Rows that the call describes. */
  readonly rows: Annotated[];
  /** Whether another call inside describes some of its kernels. */
  inner: boolean;
  settled: boolean;
}

export class OpCallBuffer {
  #queue: Annotated[] = [];
  /** Place of the first row that has not left. */
  #head = 0;
  readonly #calls = new Map<string, OpenCall>();
  readonly #waitsFor = new Map<Annotated, OpenCall>();
  /** Calls whose work was given out before all of their kernels were there: records were filtered before. */
  incomplete = 0;

  constructor(private readonly longestWait = LONGEST_WAIT) {}

  /** Takes a row; returns those that are ready, in order. */
  push(row: Annotated): readonly Annotated[] {
    this.#queue.push(row);
    this.#note(row);
    if (this.#queue.length - this.#head > this.longestWait) this.#settleFirst();
    return this.#leave();
  }

  /** The rows that still wait: no more kernels come. */
  rest(): readonly Annotated[] {
    const ready: Annotated[] = [];
    while (this.#head < this.#queue.length) {
      this.#settleFirst();
      ready.push(...this.#leave());
    }
    return ready;
  }

  /** Notes the row in all calls around it. */
  #note(row: Annotated): void {
    const { callIds, callKernels, profile, calls } = row.record;
    // A forward kernel's call describes it, which is not numbered.
    if (row.calls !== calls) return;
    if (callIds?.length !== calls.length || callKernels?.length !== calls.length) return;
    const describing = row.described?.index ?? -1;
    for (let i = 0; i < calls.length; i++) {
      const kernels = callKernels[i] ?? 1;
      if (kernels > 1) this.#noteIn(`${profile}:${callIds[i] ?? 0}`, kernels, row, describing - i);
      else if (describing === i) settle([row], false);
    }
  }

  /** @param depth how far inside the call its describing call stands: 0 where it is the call itself, below 0 where none */
  #noteIn(key: string, kernels: number, row: Annotated, depth: number): void {
    const describes = depth === 0;
    let call = this.#calls.get(key);
    if (call === undefined) this.#calls.set(key, (call = { left: kernels, rows: [], inner: false, settled: false }));
    if (describes && call.settled) settleLate(row);
    else if (describes) {
      call.rows.push(row);
      this.#waitsFor.set(row, call);
    } else if (depth > 0) call.inner = true;
    if (--call.left > 0) return;
    this.#calls.delete(key);
    if (!call.settled) this.#settle(call);
  }

  #settle(call: OpenCall): void {
    call.settled = true;
    settle(call.rows, call.inner);
    for (const row of call.rows) this.#waitsFor.delete(row);
  }

  /** Gives out what the first waiting row's call has, although not all of its kernels are there. */
  #settleFirst(): void {
    const first = this.#queue[this.#head];
    const call = first === undefined ? undefined : this.#waitsFor.get(first);
    if (call === undefined) return;
    this.incomplete++;
    this.#settle(call);
  }

  #leave(): readonly Annotated[] {
    const from = this.#head;
    while (this.#head < this.#queue.length && !this.#waitsFor.has(this.#queue[this.#head] as Annotated)) this.#head++;
    const ready = this.#queue.slice(from, this.#head);
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head > this.longestWait) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return ready;
  }
}

/** A kernel whose call's work was given out before it came. */
function settleLate(row: Annotated): void {
  if (row.described !== null) row.assign(nothing(row.described.work));
}

function settle(rows: readonly Annotated[], inner: boolean): void {
  const members: CallKernel[] = [];
  for (const { record, described } of rows) if (described !== null) members.push({ record, described });
  distributeWork(members, inner).forEach((work, i) => rows[i]?.assign(work));
}
