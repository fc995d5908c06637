/**
 * Late launches before which other work of the device had been launched already, and starts even later: the device was
 * idle because that work waited, for an event, another rank or another program, not because the host was late (a graph
 * whose kernels wait while other streams get work, one piece at a time).
 */
import { elementAt } from '../../../containers/element.js';
import type { Trace } from '../trace.js';
import { KIND_CODE } from '../trace-columns.js';
import type { LaunchJoin } from '../launches.js';

/**
 * @param order rows in order of start
 * @returns by row of the work that ended such idle time: how long the other work had waited when it started, ns
 */
export function othersWaits(
  { activities, hostCalls }: Pick<Trace, 'activities' | 'hostCalls'>,
  { callOf }: LaunchJoin,
  order: Uint32Array,
): ReadonlyMap<number, number> {
  const { kind, device, start, end } = activities;
  const isWork = (row: number): boolean => kind.at(row) !== KIND_CODE.sync && !Number.isNaN(start.at(row));
  const returned = firstReturns();
  const waits = new Map<number, number>();
  const dry = new Map<number, number>();
  for (const [place, row] of order.entries()) {
    if (!isWork(row)) continue;
    const [from, call, first] = [dry.get(device.at(row)), elementAt(callOf, row), elementAt(returned, place)];
    const isLate = from !== undefined && start.at(row) > from && call !== -1 && hostCalls.start.at(call) >= from;
    if (isLate && first <= from) waits.set(row, start.at(row) - first);
    if (end.at(row) >= start.at(row)) dry.set(device.at(row), Math.max(from ?? -Infinity, end.at(row)));
  }
  return waits;

  /** For each place in the order: when the first call returned that launched work which comes later, by device. */
  function firstReturns(): Float64Array {
    const first = new Map<number, number>();
    const firsts = new Float64Array(order.length);
    for (let place = order.length - 1; place >= 0; place--) {
      const row = elementAt(order, place);
      const [own, call] = [device.at(row), elementAt(callOf, row)];
      const later = first.get(own) ?? Infinity;
      firsts[place] = later;
      if (call !== -1 && isWork(row)) first.set(own, Math.min(later, hostCalls.end.at(call)));
    }
    return firsts;
  }
}
