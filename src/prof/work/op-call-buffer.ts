/**
 * Holds rows until all kernels of their op call have arrived, so that the op's work can be distributed once. Rows leave
 * in the order in which they came. Kernels of one call are close together, so that few rows wait; rows of a call whose
 * other kernels do not come, because records were filtered before, leave after a bounded wait.
 */
import { append, elementAt } from '../../containers/element.js';
import { LruCache, entryOf } from '../../containers/map-entry.js';
import type { Work } from '../../ops/family.js';
import type { KernelRecord } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import { distributeWork, workBesideMain, type CallKernel, trialsAmong, workOfTrial } from './attribution.js';
import { withWork, type DerivedWork } from './derived-work.js';

/** Maximum number of waiting rows. */
const LONGEST_WAIT = 8192;

/**
 * Compact the queue once it holds more than this many emitted rows, because they would otherwise be promoted to the old
 * generation of the garbage collector.
 */
const KEPT_BEHIND = 32;

/** Number of rows after which a call without a number has no further kernels. */
const MARKED_WAIT = 64;

/** Number of distinct kernels whose settled work is cached. */
const KEPT = 2048;

/** Index of the describing call when there is none, as in `ResolvedWork`. */
const NOT_DESCRIBED = -1;

/** A call whose kernels have not all come yet. */
interface OpenCall {
  /** Number of kernels of the call that have not come yet, whichever call describes them. */
  left: number;
  /** Rows that the call describes. */
  readonly rows: Annotated[];
  /** Whether a call within this call describes some of its kernels. */
  inner: boolean;
  settled: boolean;
}

/**
 * The latest call from a thread's markers, which has no number: kernels with the same sequence id and consecutive `sub`.
 * Rows of one product may be trials of it.
 */
interface MarkedCall extends Pick<KernelRecord, 'profile' | 'pid' | 'tid'> {
  readonly rows: Annotated[];
  /** Number of rows seen when the last one of the call arrived. */
  at: number;
}

export class OpCallBuffer {
  #queue: Annotated[] = [];
  /** Index of the first row that has not left. */
  #head = 0;
  readonly #calls = new Map<string, OpenCall>();
  /**
   * Derived work of the only kernel of a call, by the work that follows from its name alone: equal kernels share both
   * objects.
   */
  readonly #ofOnlyKernel = new LruCache<DerivedWork, DerivedWork>(KEPT);
  readonly #waitsFor = new Map<Annotated, OpenCall | MarkedCall>();
  /** Marked calls by profile, process and thread. */
  readonly #marked = new Map<string, MarkedCall>();
  /** The marked call of the previous row. */
  #lastMarked: MarkedCall | null = null;
  #pushed = 0;
  /** Number of calls whose work was distributed before all of their kernels came, because records were filtered before. */
  incomplete = 0;

  constructor(private readonly longestWait = LONGEST_WAIT) {}

  /** Adds a row; returns the rows that are ready, in order. */
  push(row: Annotated): readonly Annotated[] {
    this.#queue.push(row);
    this.#pushed++;
    this.#note(row);
    if (this.#lastMarked !== null) this.#settleStale();
    if (this.#queue.length - this.#head > this.longestWait) this.#settleFirst();
    return this.#leave();
  }

  /** The rows that are still waiting; must be called after the last row. */
  rest(): readonly Annotated[] {
    const ready: Annotated[] = [];
    while (this.#head < this.#queue.length) {
      this.#settleFirst();
      append(ready, this.#leave());
    }
    return ready;
  }

  #note(row: Annotated): void {
    const { callIds, callKernels, profile, calls } = row.record;
    // The row is described by the call of its forward kernel, which has no number.
    if (callIds === undefined || row.calls !== calls) {
      this.#noteMarked(row);
      return;
    }
    if (callIds.length !== calls.length || callKernels?.length !== calls.length) return;
    const describing = row.described?.index ?? NOT_DESCRIBED;
    for (let i = 0; i < calls.length; i++) {
      const kernels = elementAt(callKernels, i);
      if (kernels > 1) this.#noteIn(`${profile}:${elementAt(callIds, i)}`, kernels, row, describing - i);
      else if (describing === i) this.#settleOnly(row);
    }
  }

  /**
   * @param depth how many levels inside this call the describing call is: 0 for the call itself, negative if it is not
   * inside
   */
  #noteIn(key: string, kernels: number, row: Annotated, depth: number): void {
    const describes = depth === 0;
    let call = this.#calls.get(key);
    if (call === undefined) this.#calls.set(key, (call = { left: kernels, rows: [], inner: false, settled: false }));
    // A kernel that came after the work of its call was distributed gets none of it.
    if (describes && call.settled) {
      const { record, described } = row;
      if (described !== null) assignWork(row, workBesideMain({ record, described }));
    } else if (describes) {
      call.rows.push(row);
      this.#waitsFor.set(row, call);
    } else if (depth > 0) call.inner = true;
    if (--call.left > 0) return;
    this.#calls.delete(key);
    if (!call.settled) this.#settle(call);
  }

  #settleOnly(row: Annotated): void {
    const { derived } = row;
    const known = this.#ofOnlyKernel.get(derived);
    if (known !== undefined) row.assign(known);
    else {
      settle([row], false);
      this.#ofOnlyKernel.set(derived, row.derived);
    }
  }

  /** A call of one product whose kernels differ only in `sub`: some may be trials. */
  #noteMarked(row: Annotated): void {
    const { seq, sub, dir } = row.record;
    if (seq.length === 0) return;
    const call = this.#markedOf(row.record);
    const last = call.rows.at(-1)?.record;
    const isNext = last !== undefined && sub > last.sub && seq[0] === last.seq[0] && dir === last.dir;
    if (last !== undefined && !isNext) this.#settleMarked(call);
    // Kernels before the first product of a call only prepare it.
    if (!isNext && row.described?.whole.matmul !== true) return;
    call.rows.push(row);
    call.at = this.#pushed;
    this.#waitsFor.set(row, call);
  }

  #markedOf({ profile, pid, tid }: KernelRecord): MarkedCall {
    const last = this.#lastMarked;
    if (last?.profile === profile && last.pid === pid && last.tid === tid) return last;
    const key = `${profile}:${String(pid)}:${String(tid)}`;
    return (this.#lastMarked = entryOf(this.#marked, key, () => ({ profile, pid, tid, rows: [], at: 0 })));
  }

  #settleMarked(call: MarkedCall): void {
    const { rows } = call;
    for (const row of rows) this.#waitsFor.delete(row);
    if (rows.length > 1) assignTrials(rows.filter((row) => row.described !== null));
    rows.length = 0;
  }

  #settleStale(): void {
    const first = this.#queue[this.#head];
    const call = first === undefined ? undefined : this.#waitsFor.get(first);
    if (call !== undefined && 'at' in call && this.#pushed - call.at > MARKED_WAIT) this.#settleMarked(call);
  }

  #settle(call: OpenCall): void {
    call.settled = true;
    settle(call.rows, call.inner);
    for (const row of call.rows) this.#waitsFor.delete(row);
  }

  /** Distributes the work of the first waiting row's call, although not all of its kernels have arrived. */
  #settleFirst(): void {
    const first = this.#queue[this.#head];
    const call = first === undefined ? undefined : this.#waitsFor.get(first);
    if (call === undefined) return;
    if ('at' in call) {
      this.#settleMarked(call);
      return;
    }
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
    } else if (this.#head > KEPT_BEHIND && 2 * this.#head > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return ready;
  }
}

function settle(rows: readonly Annotated[], inner: boolean): void {
  for (const [i, work] of distributeWork(membersOf(rows), inner).entries()) assignWork(elementAt(rows, i), work);
}

const assignWork = (row: Annotated, work: Work): void => {
  row.assign(withWork(row.derived, work));
};

/** @param rows the rows of one call, each described */
function assignTrials(rows: readonly Annotated[]): void {
  const members = membersOf(rows);
  for (const i of trialsAmong(members))
    assignWork(elementAt(rows, i), workOfTrial(elementAt(members, i).described.work));
}

function membersOf(rows: readonly Annotated[]): CallKernel[] {
  const members: CallKernel[] = [];
  for (const { record, described } of rows) if (described !== null) members.push({ record, described });
  return members;
}
