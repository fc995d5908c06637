/**
 * Whether waits of the host end before the work that they wait for, which no clock common to both shows: a second bound,
 * beside the launches, of how far the clock of a device is from the host's.
 */
import { allRows, sortRows } from '../../../containers/row-order.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Trace } from '../trace.js';
import { KIND_CODE, type Activities, type HostCalls } from '../trace-columns.js';
import type { LaunchJoin } from '../launches.js';
import { waitOfCall } from '../calls.js';

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

/** How long after its launch the work of each device starts: what shows whether its clock is the host's. */
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

/** A wait for all work of a process on a device, or for that of one stream, which was launched before it began. */
export interface HostWait {
  readonly call: number;
  readonly process: number;
  /** NaN where it is not known. */
  readonly context: number;
  /** NaN: all streams. */
  readonly stream: number;
  readonly start: number;
  readonly end: number;
}

/** Waits for one device that have something to wait for. */
export class Overruns {
  waits = 0;
  /** Of these, waits that end before what they wait for by more than the tolerance. */
  broken = 0;
  /** By how much at most the work ends after the wait, ns; negative where it ends before. */
  most = -Infinity;

  add(wait: number, work: number): void {
    this.waits++;
    if (work - wait > CLOCK_TOLERANCE) this.broken++;
    if (work - wait > this.most) this.most = work - wait;
  }
}

/** `cudaMemcpy`, `hipMemcpyWithStream`, `cuMemcpyDtoH_v2`: a copy to the host has ended when they return. */
const isWaitingCopy = (api: string): boolean => /memcpy/i.test(api) && !/async/i.test(api);

/** Rows of devices that have a launch, in order. */
export function launchedRows(
  { activities: { device, length } }: Trace,
  { callOf }: LaunchJoin,
  devices: ReadonlySet<number>,
): (device: number) => readonly number[] {
  const rows = new Map<number, number[]>();
  for (let row = 0; row < length; row++) {
    const id = device.at(row);
    if (elementAt(callOf, row) !== -1 && devices.has(id)) entryOf(rows, id, (): number[] => []).push(row);
  }
  return (id) => rows.get(id) ?? [];
}

/**
 * Waits for a device against the work that they wait for.
 * @param rows of the device that have a launch
 * @param isOnly whether no other device has work: then calls that do not state their device wait for this one
 * @param isLeftOut work that is not looked at
 */
export function overrunsOf(
  trace: Trace,
  launches: LaunchJoin,
  rows: readonly number[],
  isOnly: boolean,
  isLeftOut: (row: number) => boolean = () => false,
): Overruns {
  const { activities, hostCalls } = trace;
  const { callOf } = launches;
  const overruns = new Overruns();
  const { waits, work } = waitsFor(trace, launches, rows, isOnly);
  const compared = work.filter((row) => !isLeftOut(row));
  for (const row of compared) {
    const call = elementAt(callOf, row);
    if (isAwaitedCopy(trace, row, call)) overruns.add(hostCalls.end.at(call), activities.end.at(row));
  }
  sweep(trace, callOf, { waits, work: compared }, overruns);
  return overruns;
}

/** Waits for a device, and its work whose launch and end are known. @param rows and isOnly as above */
export function waitsFor(
  trace: Trace,
  { callOf }: LaunchJoin,
  rows: readonly number[],
  isOnly: boolean,
): { readonly waits: HostWait[]; readonly work: readonly number[] } {
  const { activities } = trace;
  const work: number[] = [];
  const streams = new Set<number>();
  const rowsOfWaits: number[] = [];
  for (const row of rows) {
    if (activities.kind.at(row) === KIND_CODE.sync) rowsOfWaits.push(row);
    else if (!Number.isNaN(activities.end.at(row))) {
      work.push(row);
      streams.add(activities.stream.at(row));
    }
  }
  const waitedFor = new WaitedFor(trace);
  const stated = waitsOfRows(trace, callOf, rowsOfWaits, waitedFor);
  const waits = stated.length > 0 || !isOnly ? stated : waitsOfCalls(trace, streams.size === 1, waitedFor);
  return { waits, work };
}

/** Whether the call that launched work returns when that has ended. */
export function isAwaitedCopy({ activities, hostCalls, names }: Trace, row: number, call: number): boolean {
  if (activities.kind.at(row) !== KIND_CODE.copy) return false;
  const kind = names.copyKind(activities.copies.kindCode.at(activities.ownRow.at(row)));
  return kind === 'DtoH' && isWaitingCopy(names.apiName(hostCalls.api.at(call)) ?? '');
}

/** What the host waits for in the calls of a profile, by the numbers of their names: a stream, or all of a context. */
export class WaitedFor {
  readonly #known = new Map<number, 'stream' | 'context' | null>();

  constructor(private readonly trace: Trace) {}

  /** Null also where the wait failed: what it waited for may go on. */
  of(call: number): 'stream' | 'context' | null {
    if (this.trace.hostCalls.results.has(call)) return null;
    return entryOf(this.#known, this.trace.hostCalls.api.at(call), (api) => {
      const kind = waitOfCall(this.trace.names.apiName(api));
      return kind === 'stream' || kind === 'context' ? kind : null;
    });
  }
}

/** The waits of rows, which state device and stream. */
function waitsOfRows({ activities, hostCalls }: Trace, callOf: Int32Array, rows: number[], of: WaitedFor): HostWait[] {
  return rows.flatMap((row) => {
    const call = elementAt(callOf, row);
    const waited = of.of(call);
    const stream = waited === 'stream' ? activities.stream.at(row) : NaN;
    if (waited === null || (waited === 'stream' && Number.isNaN(stream))) return [];
    const [process, context] = [activities.process.at(row), activities.context.at(row)];
    return [{ call, process, context, stream, start: hostCalls.start.at(call), end: hostCalls.end.at(call) }];
  });
}

/** @param isOneStream whether all work is in one stream: then a wait for a stream is one for all work */
function waitsOfCalls({ hostCalls }: Trace, isOneStream: boolean, of: WaitedFor): HostWait[] {
  const waits: HostWait[] = [];
  for (let call = 0; call < hostCalls.length; call++) {
    const waited = of.of(call);
    if (waited === null || (waited === 'stream' && !isOneStream)) continue;
    const place = { process: hostCalls.process.at(call), context: NaN, stream: NaN };
    waits.push({ call, ...place, start: hostCalls.start.at(call), end: hostCalls.end.at(call) });
  }
  return waits;
}

/** Work and waits in the order in which the host made them: the latest end so far of each process and stream. */
function sweep(
  { activities, hostCalls }: Trace,
  callOf: Int32Array,
  { waits, work }: { readonly waits: HostWait[]; readonly work: readonly number[] },
  overruns: Overruns,
): void {
  // Another thread's launch that still runs when a wait begins may be after it.
  const launched = (row: number): number => hostCalls.end.at(elementAt(callOf, row));
  const order = allRows(work.length);
  sortRows(order, (a, b) => launched(elementAt(work, a)) - launched(elementAt(work, b)));
  const ends = new Map<string, number>();
  let next = 0;
  for (const { process, stream, start, end } of waits.sort((a, b) => a.start - b.start)) {
    for (; next < order.length; next++) {
      const row = elementAt(work, elementAt(order, next));
      if (launched(row) > start) break;
      for (const of of [activities.stream.at(row), NaN]) {
        const key = `${activities.process.at(row)}:${of}`;
        ends.set(key, Math.max(ends.get(key) ?? -Infinity, activities.end.at(row)));
      }
    }
    const last = ends.get(`${process}:${stream}`);
    if (last !== undefined) overruns.add(end, last);
  }
}
