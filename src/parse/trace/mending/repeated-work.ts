/**
 * Work that a profile has twice, as when it was written or merged twice. Rows that are the same in every cell are one where
 * something says which work they are: the node of a graph, or the id of a launch that launches one piece of work. Kernels of
 * a graph may well be the same in all that a trace states, where its times are whole microseconds: these are one only where
 * nearly all of the profile is there twice.
 */
import { mixedNumber } from '../../../containers/hash.js';
import { HashIndex, NO_ROW } from '../../../containers/hash-index.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { byCallName } from '../calls.js';
import type { Trace } from '../trace.js';
import { KIND_CODE } from '../trace-columns.js';
import { isGraphLaunch } from '../graphs/graph-launches.js';
import { activityOrder } from '../record-order.js';

/** A profile is written twice where it has at least so many rows twice, and so large a part of them. */
const [FEWEST_TWICE, MOSTLY] = [10, 0.9];

/** Takes out rows that repeat an earlier one, and counts them. Memory: 8 to 16 bytes a row while it runs. */
export function removeRepeated(trace: Trace): void {
  const { activities, diagnostics } = trace;
  const { start, end, stream, kind, context, kernels, ownRow } = activities;
  const hashed = [start, end, activities.corr, stream, activities.device, activities.node];
  // Work of one instant without an id is told apart by its name: times with too few digits are all the same.
  const nameOf = (row: number): number => (kind.at(row) === KIND_CODE.kernel ? kernels.name.at(ownRow.at(row)) : 0);
  const hashOf = (row: number): number =>
    hashed.reduce((hash, column) => mixedNumber(hash, column.at(row)), nameOf(row));
  const known = new HashIndex(hashOf);
  const compare = activityOrder(trace);
  const isSame = (a: number, b: number): boolean => compare(a, b) === 0 && Object.is(context.at(a), context.at(b));
  const repeated = NumericColumn.counts();
  let others = 0;
  for (let row = 0; row < activities.length; row++) {
    // A wait takes no stream's time, and what takes no time at all may happen several times at once.
    if (kind.at(row) === KIND_CODE.sync || !(end.at(row) > start.at(row)) || Number.isNaN(stream.at(row))) continue;
    const hash = hashOf(row);
    if (known.find(hash, (other) => isSame(other, row)) !== NO_ROW) repeated.push(row);
    else {
      known.add(hash, row);
      others++;
    }
  }
  if (repeated.length === 0) return;
  const isAll = repeated.length >= Math.max(FEWEST_TWICE, MOSTLY * others);
  const isKnown = isAll ? () => true : identified(trace, repeated.values, isSame);
  for (const row of repeated.values) {
    if (!isKnown(row)) continue;
    activities.remove(row);
    diagnostics.count('row-repeated');
  }
}

/** Whether it is known of repeated rows which work they are. */
function identified(
  trace: Trace,
  repeated: Uint32Array,
  isSame: (a: number, b: number) => boolean,
): (row: number) => boolean {
  const { activities, hostCalls } = trace;
  const { process: owner, corr, node, kind } = activities;
  const launchesGraph = byCallName(trace, isGraphLaunch);
  /** By correlation id: a row, as long as it is all that was launched. */
  const alone = new Map<number, number>();
  for (const row of repeated) if (!Number.isNaN(corr.at(row))) alone.set(corr.at(row), row);
  for (let call = 0; call < hostCalls.length; call++) if (launchesGraph(call)) alone.delete(hostCalls.corr.at(call));
  for (let row = 0; row < activities.length; row++) {
    const one = alone.get(corr.at(row));
    if (one === undefined || kind.at(row) === KIND_CODE.sync || owner.at(row) !== owner.at(one)) continue;
    if (!isSame(one, row)) alone.delete(corr.at(row));
  }
  return (row) => !Number.isNaN(node.at(row)) || alone.has(corr.at(row));
}
