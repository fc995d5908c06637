/**
 * Holds rows until all kernels of their op call have come, so that the op's work can be distributed once. Rows leave in
 * the order in which they came. Kernels of one call are close together, so that few rows wait; rows of a call whose
 * kernels do not come, since records were filtered before, leave after a bounded wait.
 */
import { elementAt } from '../../containers/element.js';
import type { Annotated } from '../annotate.js';
import { distributeWork, workBesideMain, type CallKernel } from './attribution.js';

/** Most rows that wait. */
const LONGEST_WAIT = 8192;

/** Index of the describing call where there is none, as in `ResolvedWork`. */
const NOT_DESCRIBED = -1;

/** A call of which some kernels are still to come. */
interface OpenCall {
  /** Kernels of the call that have not come yet, whichever call describes them. */
  left: number;
  /** Rows that the call describes. */
  readonly rows: Annotated[];
  /** Whether another call inside describes some of its kernels. */
  inner: boolean;
  settled: boolean;
}

export class OpCallBuffer {
  #queue: Annotated[] = [];
  /** Index of the first row that has not left. */
  #head = 0;
  readonly #calls = new Map<string, OpenCall>();
  readonly #waitsFor = new Map<Annotated, OpenCall>();
  /** Calls whose work was distributed before all of their kernels came: records were filtered before. */
  incomplete = 0;

  constructor(private readonly longestWait = LONGEST_WAIT) {}

  /** Adds a row; returns the rows that are ready, in order. */
  push(row: Annotated): readonly Annotated[] {
    this.#queue.push(row);
    this.#note(row);
    if (this.#queue.length - this.#head > this.longestWait) this.#settleFirst();
    return this.#leave();
  }

  /** The rows that still wait; to be called after the last row. */
  rest(): readonly Annotated[] {
    const ready: Annotated[] = [];
    while (this.#head < this.#queue.length) {
      this.#settleFirst();
      ready.push(...this.#leave());
    }
    return ready;
  }

  #note(row: Annotated): void {
    const { callIds, callKernels, profile, calls } = row.record;
    // The call of its forward kernel describes it, which has no number.
    if (row.calls !== calls) return;
    if (callIds?.length !== calls.length || callKernels?.length !== calls.length) return;
    const describing = row.described?.index ?? NOT_DESCRIBED;
    for (let i = 0; i < calls.length; i++) {
      const kernels = elementAt(callKernels, i);
      if (kernels > 1) this.#noteIn(`${profile}:${elementAt(callIds, i)}`, kernels, row, describing - i);
      else if (describing === i) settle([row], false);
    }
  }

  /** @param depth how many calls further inside the describing call is: 0 for the call itself, negative for none inside */
  #noteIn(key: string, kernels: number, row: Annotated, depth: number): void {
    const describes = depth === 0;
    let call = this.#calls.get(key);
    if (call === undefined) this.#calls.set(key, (call = { left: kernels, rows: [], inner: false, settled: false }));
    // A kernel that came after the work of its call was distributed has none of it.
    if (describes && call.settled) {
      const { record, described } = row;
      if (described !== null) row.assign(workBesideMain({ record, described }));
    } else if (describes) {
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

  /** Distributes the work of the first waiting row's call, although not all of its kernels have come. */
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

function settle(rows: readonly Annotated[], inner: boolean): void {
  const members: CallKernel[] = [];
  for (const { record, described } of rows) if (described !== null) members.push({ record, described });
  distributeWork(members, inner).forEach((work, i) => rows[i]?.assign(work));
}
