/** How long kernels waited, which databases do not hold: by the rule that kernel_details.csv of the profiler follows. */
import { sortRows } from '../../../../containers/row-order.js';
import type { Activities } from '../../../trace/trace-columns.js';

/**
 * By activity, ns from the end of the kernel or collective that started before it on its device, 0 where it starts
 * within that one; NaN for the first of a device, and for what is neither kernel nor collective.
 */
export function waitTimes(activities: Activities): Float64Array {
  const { start, end, device, stream } = activities;
  const all = [...activities.rowsOf('kernel'), ...activities.rowsOf('collective')];
  const rows = Uint32Array.from(all.filter((row) => !Number.isNaN(start.at(row))));
  sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b) || stream.at(a) - stream.at(b) || 0);
  const waits = new Float64Array(activities.length).fill(NaN);
  const ends = new Map<number, number>();
  for (const row of rows) {
    const from = device.at(row);
    waits[row] = Math.max(0, start.at(row) - (ends.get(from) ?? NaN));
    ends.set(from, end.at(row));
  }
  return waits;
}
