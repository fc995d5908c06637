/** How long after its launch the work of each device starts: what shows whether its clock is the host's. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { KIND_CODE, type Activities, type HostCalls } from '../trace-columns.js';
import type { LaunchJoin } from '../launches.js';

/**
 * ns. Real devices start work up to 24 µs before its launch (17 % of the launches of an Ascend 910B), because a clock is
 * converted with an error or drifts: four times the worst is no such error.
 */
export const CLOCK_TOLERANCE = 100_000;

/** Of the work of one device that has times; waits, which the host may have timed, are left out. */
export class DeviceLatencies {
  /** Work whose launch is known. */
  launches = 0;
  /** Of these, what starts before its launch by more than the tolerance. */
  early = 0;
  /** The least time from a launch to its work, ns. */
  least = Infinity;
  /** Of all work. */
  first = Infinity;
  last = -Infinity;
}

export function launchLatencies(
  hostCalls: HostCalls,
  activities: Activities,
  { callOf }: LaunchJoin,
): Map<number, DeviceLatencies> {
  const devices = new Map<number, DeviceLatencies>();
  const [starts, kinds] = [activities.start.values, activities.kind.values];
  const launched = hostCalls.start.values;
  let device = NaN;
  let of = new DeviceLatencies();
  for (let row = 0; row < starts.length; row++) {
    const start = elementAt(starts, row);
    if (Number.isNaN(start) || kinds[row] === KIND_CODE.sync) continue;
    const id = activities.device.at(row);
    if (id !== device) of = entryOf(devices, (device = id), () => new DeviceLatencies());
    if (start < of.first) of.first = start;
    if (start > of.last) of.last = start;
    const call = elementAt(callOf, row);
    if (call === -1) continue;
    const latency = start - elementAt(launched, call);
    of.launches++;
    if (latency < of.least) of.least = latency;
    if (latency < -CLOCK_TOLERANCE) of.early++;
  }
  return devices;
}
