/**
 * Finds how host events nest: the parent of every range, and the innermost range around every host call. One pass per
 * thread over ranges and calls in order of start time; memory: 8 bytes for each range.
 */
import type { Ranges, ThreadSpans } from '../trace/trace-columns.js';
import { elementAt } from '../../containers/element.js';
import { OpenSpans } from '../../containers/nesting.js';
import { entryOf } from '../../containers/map-entry.js';
import { groupAll, groupAt, sortRows, type CompareRows } from '../../containers/row-order.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import { compareTexts } from '../trace/record-order.js';
import type { FrameCallers, HostEvents } from './host-events.js';

/** Stands for the row of a range when there is none. */
export const OUTSIDE = -1;

/**
 * Maximum number of ranges that are open at a time; Python stops at 1000 frames. Deeper ranges are not nested.
 * Otherwise, if wrong times made all ranges last to the end of the trace, a million ranges would be nested inside one
 * another.
 */
export const MAX_OPEN_RANGES = 2048;

/**
 * Maximum number of ops of one thread that may begin at the same instant, each inside the previous one. If there are
 * more, their times were written with too few digits, and they are siblings. There may be more frames than this,
 * because all frames that are open when a profile begins start at its beginning.
 */
export const MAX_SIMULTANEOUS_OPS = 64;

/** Host calls, or other points on threads, for which the ranges around them are needed. */
type CallSpans = Pick<ThreadSpans, 'start' | 'end' | 'thread' | 'length'>;

export interface Nesting {
  /** For each range: row of the range around it, or OUTSIDE. */
  readonly parent: Int32Array;
  /** For each host call: row of the innermost range around it, or OUTSIDE. */
  readonly innermost: Int32Array;
  /** Number of ranges in which nothing is nested, because their times are impossible. */
  readonly unnested: number;
  /** Number of frames that ended after their calling frame, and are cut to end with it. */
  readonly cut: number;
  /** Ranges that were written twice. */
  readonly repeated: ReadonlySet<number>;
}

/** Facts about ranges other than their times. */
interface NestingFacts {
  /** Order of ranges with equal times: outer ranges first. */
  readonly compareTies: CompareRows;
  /** How much later than its parent a range may end, in ns, because times are rounded. */
  readonly slack: number;
  /** Whether a range is a frame of a call stack. */
  readonly isFrame: (range: number) => boolean;
  /** Ids of frames and of the frames that called them, NaN for unknown; absent when the profile states none. */
  readonly callers?: Pick<FrameCallers, 'idOf' | 'callerOf'>;
  /** Whether two ranges with equal times are one that was written twice: nothing is placed inside the second. */
  readonly isRepeat: (a: number, b: number) => boolean;
}

/**
 * Nests the ranges of all threads. A frame cannot outlive the frame that called it. If it does, the profiler missed its
 * return and closed it when it stopped (pytorch#190950). The frame is then cut, here and in `ranges`. It ends with its
 * caller, or earlier if its caller is recorded as the caller of a later frame. Recorded callers are ignored when times
 * nest, because they may skip frames (307 of 34,405 in a trace of MI300). A frame that none of the open frames called,
 * such as one of another greenlet on the thread, ends as recorded.
 */
export function nest(ranges: Ranges, hostCalls: CallSpans, threads: number, facts: NestingFacts): Nesting {
  const { start, end } = ranges;
  const inOrder = groupAll(ranges.length, (row) => ranges.thread.at(row), threads);
  const calls = groupAll(hostCalls.length, (row) => hostCalls.thread.at(row), threads);
  const nesting = {
    parent: new Int32Array(ranges.length).fill(OUTSIDE),
    innermost: new Int32Array(hostCalls.length).fill(OUTSIDE),
    unnested: 0,
    cut: 0,
    repeated: new Set<number>(),
  };
  for (let thread = 0; thread < threads; thread++) {
    const [rows, callRows] = [groupAt(inOrder, thread), groupAt(calls, thread)];
    sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a) || facts.compareTies(a, b));
    sortRows(callRows, (a, b) => hostCalls.start.at(a) - hostCalls.start.at(b));
    nesting.cut += cutFrames(ranges, rows, facts);
    nesting.unnested += nestThread(ranges, hostCalls, rows, callRows, facts, nesting);
  }
  return nesting;
}

/**
 * Cuts frames that end after the frames around them, and a frame that did not end although its caller calls another.
 * @param rows rows of a thread, in order of start time
 * @returns number of frames that were cut
 */
function cutFrames({ start, end }: Ranges, rows: Uint32Array, { slack, isFrame, callers }: NestingFacts): number {
  const open = new OpenFrames(callers?.idOf);
  const cut = new Set<number>();
  for (const row of rows) {
    if (!isFrame(row)) continue;
    const from = start.at(row);
    const isOver = (last: number): boolean => end.at(row) > end.at(last) + slack;
    for (let { last } = open; last !== undefined && end.at(last) <= from + slack; { last } = open) open.pop();
    const callerDepth = open.depthOf(callers?.callerOf(row) ?? NaN);
    const isCalledByNone = callerDepth === Infinity && !Number.isNaN(callers?.idOf(row) ?? NaN);
    for (let { last } = open; open.depth > callerDepth && last !== undefined; { last } = open) {
      if (!cut.has(last) && !isOver(last)) break;
      end.set(last, from);
      cut.add(last);
      open.pop();
    }
    const { last } = open;
    if (last !== undefined && isOver(last) && !isCalledByNone) {
      end.set(row, end.at(last));
      cut.add(row);
    }
    open.push(row);
  }
  return cut.size;
}

/** Frames that are open, outermost first, found by their ids. */
class OpenFrames {
  readonly #rows: number[] = [];
  /** Depths of the open frames with each id; a merged trace may have several frames with one id. */
  readonly #depths = new Map<number, number[]>();

  constructor(private readonly idOf: FrameCallers['idOf'] = () => NaN) {}

  get depth(): number {
    return this.#rows.length;
  }

  get last(): number | undefined {
    return this.#rows.at(-1);
  }

  /** Depth of the innermost open frame with this id; Infinity when none is open. */
  depthOf(id: number): number {
    return this.#depths.get(id)?.at(-1) ?? Infinity;
  }

  push(row: number): void {
    const id = this.idOf(row);
    this.#rows.push(row);
    if (!Number.isNaN(id)) entryOf(this.#depths, id, () => []).push(this.depth);
  }

  pop(): void {
    const row = this.#rows.pop();
    if (row === undefined) return;
    const id = this.idOf(row);
    const depths = this.#depths.get(id);
    depths?.pop();
    if (depths?.length === 0) this.#depths.delete(id);
  }
}

/**
 * Nests the ranges of one thread.
 * @returns number of ranges in which nothing is nested
 */
function nestThread(
  { start, end }: Ranges,
  hostCalls: CallSpans,
  rows: Uint32Array,
  callRows: Uint32Array,
  { slack, isFrame, isRepeat }: NestingFacts,
  { parent, innermost, repeated }: Nesting & { readonly repeated: Set<number> },
): number {
  const open = new OpenSpans<number>((row) => end.at(row), { most: MAX_OPEN_RANGES });
  /** Closes ranges that end at or before `from`; returns the innermost open range that lasts until `until`. */
  const around = (from: number, until: number): number => {
    open.close(from);
    return open.lasting(until - slack) ?? OUTSIDE;
  };
  let next = 0;
  const placeCalls = (before: number): void => {
    for (; next < callRows.length; next++) {
      const call = elementAt(callRows, next);
      const from = hostCalls.start.at(call);
      if (from >= before) return;
      innermost[call] = around(from, hostCalls.end.at(call));
    }
  };
  let unnested = 0;
  for (let at = 0; at < rows.length;) {
    const from = start.at(elementAt(rows, at));
    placeCalls(from);
    const until = endOfInstant(rows, at, start);
    const crowded =
      until - at > MAX_SIMULTANEOUS_OPS &&
      rows.subarray(at, until).filter((row) => !isFrame(row)).length > MAX_SIMULTANEOUS_OPS;
    for (; at < until; at++) {
      const row = elementAt(rows, at);
      const { last } = open;
      if (last !== undefined && start.at(last) === from && end.at(last) === end.at(row) && isRepeat(last, row)) {
        parent[row] = elementAt(parent, last);
        repeated.add(row);
        continue;
      }
      parent[row] = around(from, end.at(row));
      if ((crowded && !isFrame(row)) || !open.push(row, from)) unnested++;
    }
  }
  placeCalls(Infinity);
  return unnested;
}

/** Index after the last range that begins at the same time as the one at index `at`. */
function endOfInstant(rows: Uint32Array, at: number, start: Ranges['start']): number {
  const from = start.at(elementAt(rows, at));
  do at++;
  while (at < rows.length && start.at(elementAt(rows, at)) === from);
  return at;
}

/**
 * Finds how the host events of a profile nest. Events with equal times are ordered by op and name.
 * @param threads number of threads
 * @param slack how much later than its parent an event may end, in ns
 * @param orderOf key for the order of ops with equal times; by default their external ids
 */
export function nestEvents(
  events: HostEvents,
  hostCalls: CallSpans,
  threads: number,
  slack: number,
  diagnostics: Diagnostics,
  orderOf = (op: number): number => events.ops.externalId.at(op),
): Nesting {
  const nameOf = (range: number): string => events.nameText(events.ranges.text.at(range));
  const compareTies = (a: number, b: number): number => {
    const [opA, opB] = [events.opOf(a), events.opOf(b)];
    const byOp = opA === -1 || opB === -1 ? opA - opB : orderOf(opA) - orderOf(opB);
    return byOp || compareTexts(nameOf(a), nameOf(b));
  };
  const isFrame = (range: number): boolean => events.isFrame(range);
  const { callers } = events;
  // If times are whole microseconds, a short recursive call may look like a call that was written twice. Only an id
  // distinguishes them.
  const isRepeat = (a: number, b: number): boolean => {
    const idOf = (range: number): number =>
      events.opOf(range) === -1 ? callers.idOf(range) : orderOf(events.opOf(range));
    return compareTies(a, b) === 0 && (idOf(a) === idOf(b) || (slack === 0 && Number.isNaN(idOf(a) + idOf(b))));
  };
  const nesting = nest(events.ranges, hostCalls, threads, { compareTies, slack, isFrame, callers, isRepeat });
  diagnostics.count('range-not-nested', nesting.unnested);
  diagnostics.count('frame-cut', nesting.cut);
  diagnostics.count('range-repeated', nesting.repeated.size);
  return nesting;
}
