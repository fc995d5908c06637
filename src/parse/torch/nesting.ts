/**
 * How host events nest: for every range the one around it, for every launch the innermost range. One pass a thread
 * over ranges and launches in order of start; memory 8 bytes a range.
 */
import type { Calls, Ranges } from '../capture/capture.js';
import { groupAll, sortRows, type CompareRows } from '../../containers/row-order.js';

/** No range. */
export const OUTSIDE = -1;

/**
 * Ranges open at a time; Python stops at 1000 frames. What is deeper belongs to the innermost of these: times that make
 * all ranges last to the end of the trace would put each of a million into all before it.
 */
export const DEEPEST = 2048;

/**
 * Ops of one thread that may begin at the same instant, each in the one before it. More of them have lost their times
 * (written with too few digits) and stand beside each other. Frames may be more: those that are open when a profile
 * begins all begin there.
 */
export const MOST_AT_ONCE = 64;

export interface Nesting {
  /** By range: the row of the range around it, or OUTSIDE. */
  readonly parent: Int32Array;
  /** By call: the row of the innermost range around it, or OUTSIDE. */
  readonly innermost: Int32Array;
  /** Ranges that hold nothing, because their times cannot be. */
  readonly unnested: number;
}

/** What is known of ranges beyond their times. */
export interface Nestable {
  /** Order of ranges of the same times: the outer first. */
  readonly compareTies: CompareRows;
  /** How much later than its parent a range may end, in ns: what rounding of times does. */
  readonly slack: number;
  /** Whether a range is a frame of a call stack. */
  readonly isFrame: (range: number) => boolean;
}

export function nest(ranges: Ranges, calls: Calls, threads: number, facts: Nestable): Nesting {
  const { start, end } = ranges;
  const inOrder = groupAll(ranges.length, (row) => ranges.thread.at(row), threads);
  const launches = groupAll(calls.length, (row) => calls.thread.at(row), threads);
  const nesting = {
    parent: new Int32Array(ranges.length).fill(OUTSIDE),
    innermost: new Int32Array(calls.length).fill(OUTSIDE),
    unnested: 0,
  };
  for (let thread = 0; thread < threads; thread++) {
    const rows = inOrder.rows.subarray(inOrder.first[thread], inOrder.first[thread + 1]);
    const callRows = launches.rows.subarray(launches.first[thread], launches.first[thread + 1]);
    sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a) || facts.compareTies(a, b));
    sortRows(callRows, (a, b) => calls.start.at(a) - calls.start.at(b));
    nesting.unnested += nestThread(ranges, calls, rows, callRows, facts, nesting);
  }
  return nesting;
}

/** @returns how many ranges hold nothing */
function nestThread(
  { start, end }: Ranges,
  calls: Calls,
  rows: Uint32Array,
  callRows: Uint32Array,
  { slack, isFrame }: Nestable,
  { parent, innermost }: Nesting,
): number {
  /** Open ranges, outermost first. */
  let open: number[] = [];
  /** The innermost open range that lasts until `until`. */
  const around = (from: number, until: number): number => {
    while (open.length > 0 && end.at(open[open.length - 1] ?? 0) <= from) open.pop();
    for (let i = open.length - 1; i >= 0; i--) {
      const row = open[i] ?? 0;
      if (end.at(row) + slack >= until) return row;
    }
    return OUTSIDE;
  };
  let next = 0;
  const placeCalls = (before: number): void => {
    for (; next < callRows.length; next++) {
      const call = callRows[next] ?? 0;
      const from = calls.start.at(call);
      if (from >= before) return;
      innermost[call] = around(from, calls.end.at(call));
    }
  };
  let unnested = 0;
  /** Before this, no open range ends. */
  let firstEnd = Infinity;
  for (let at = 0; at < rows.length;) {
    const from = start.at(rows[at] ?? 0);
    placeCalls(from);
    const until = endOfInstant(rows, at, start);
    const crowded = until - at > MOST_AT_ONCE && rows.subarray(at, until).filter((row) => !isFrame(row)).length > MOST_AT_ONCE; // prettier-ignore
    for (; at < until; at++) {
      const row = rows[at] ?? 0;
      parent[row] = around(from, end.at(row));
      if (open.length >= DEEPEST && from >= firstEnd) {
        // Ranges that overlap without nesting may have ended below one that goes on.
        open = open.filter((outer) => end.at(outer) > from);
        firstEnd = open.reduce((first, outer) => Math.min(first, end.at(outer)), Infinity);
      }
      if (open.length >= DEEPEST || (crowded && !isFrame(row))) unnested++;
      else {
        open.push(row);
        firstEnd = Math.min(firstEnd, end.at(row));
      }
    }
  }
  placeCalls(Infinity);
  return unnested;
}

/** Place after the ranges that begin when the one at `at` does. */
function endOfInstant(rows: Uint32Array, at: number, start: Ranges['start']): number {
  const from = start.at(rows[at] ?? 0);
  do at++;
  while (at < rows.length && start.at(rows[at] ?? 0) === from);
  return at;
}
