/**
 * How host events nest: for every range the one around it, for every launch the innermost range. One pass a thread
 * over ranges and launches in order of start; memory 8 bytes a range.
 */
import type { Calls, Ranges } from '../../capture.js';
import { allRows, groupRows, sortRows, type CompareRows } from '../../order.js';

/** No range. */
export const OUTSIDE = -1;

export interface Nesting {
  /** By range: the row of the range around it, or OUTSIDE. */
  readonly parent: Int32Array;
  /** By call: the row of the innermost range around it, or OUTSIDE. */
  readonly innermost: Int32Array;
}

/**
 * @param compareTies order of ranges of the same times: the outer first
 * @param slack how much later than its parent a range may end, in ns: what rounding of times does
 */
export function nest(ranges: Ranges, calls: Calls, threads: number, compareTies: CompareRows, slack: number): Nesting {
  const { start, end } = ranges;
  const inOrder = groupRows(allRows(ranges.length), (row) => ranges.thread.at(row), threads);
  const launches = groupRows(allRows(calls.length), (row) => calls.thread.at(row), threads);
  const nesting = {
    parent: new Int32Array(ranges.length).fill(OUTSIDE),
    innermost: new Int32Array(calls.length).fill(OUTSIDE),
  };
  for (let thread = 0; thread < threads; thread++) {
    const rows = inOrder.rows.subarray(inOrder.first[thread], inOrder.first[thread + 1]);
    const callRows = launches.rows.subarray(launches.first[thread], launches.first[thread + 1]);
    sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a) || compareTies(a, b));
    sortRows(callRows, (a, b) => calls.start.at(a) - calls.start.at(b));
    nestThread(ranges, calls, rows, callRows, slack, nesting);
  }
  return nesting;
}

function nestThread(
  { start, end }: Ranges,
  calls: Calls,
  rows: Uint32Array,
  callRows: Uint32Array,
  slack: number,
  { parent, innermost }: Nesting,
): void {
  /** Open ranges, outermost first. */
  const open: number[] = [];
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
  for (const row of rows) {
    const from = start.at(row);
    placeCalls(from);
    parent[row] = around(from, end.at(row));
    open.push(row);
  }
  placeCalls(Infinity);
}
