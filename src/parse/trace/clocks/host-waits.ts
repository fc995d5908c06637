/**
 * Checks whether waits of the host end before the work they wait for. If they do, host and device have different clocks.
 * This gives a second bound, after launches, on the offset of a device's clock.
 */
import { allRows, sortRows } from '../../../containers/row-order.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Trace } from '../trace.js';
import { KIND_CODE, type Activities, type HostCalls } from '../trace-columns.js';
import type { LaunchJoin } from '../launches.js';
import { isWaitingCopy, waitOfCall } from '../../../record/wait-calls.js';

/**
 * In ns. Real devices start work up to 24 µs before its launch (17 % of the launches of an Ascend 910B), because clock
 * conversion has an error or the clock drifts. This limit is about four times that worst case.
 */
export const CLOCK_TOLERANCE = 100_000;

/** Launch latencies of the timed work of one device. Waits are left out, because the host may have timed them. */
export class DeviceLatencies {
  /** Pieces of work whose launch is known. */
  launches = 0;
  /** Number of these that start before their launch by more than the tolerance. */
  early = 0;
  /** The shortest time from a launch to the start of its work, in ns. */
  least = Infinity;
  /** First start and last start of all work, in ns. */
  first = Infinity;
  last = -Infinity;
}

/** Launch latencies of each device, which show whether the device uses the host's clock. */
export function launchLatencies(
  hostCalls: HostCalls,
  activities: Activities,
  { callOf }: LaunchJoin,
): Map<number, DeviceLatencies> {
  const devices = new Map<number, DeviceLatencies>();
  const { start: starts, kind } = activities;
  let device = NaN;
  let latencies = new DeviceLatencies();
  for (let row = 0; row < starts.length; row++) {
    const start = starts.at(row);
    if (Number.isNaN(start) || kind.at(row) === KIND_CODE.sync) continue;
    const id = activities.device.at(row);
    if (id !== device) latencies = entryOf(devices, (device = id), () => new DeviceLatencies());
    if (start < latencies.first) latencies.first = start;
    if (start > latencies.last) latencies.last = start;
    const call = elementAt(callOf, row);
    if (call === -1) continue;
    const latency = start - hostCalls.start.at(call);
    latencies.launches++;
    if (latency < latencies.least) latencies.least = latency;
    if (latency < -CLOCK_TOLERANCE) latencies.early++;
  }
  return devices;
}

/** A wait for work launched before the wait began: all work of a process on a device, or that of one stream. */
export interface HostWait {
  readonly call: number;
  readonly process: number;
  /** NaN when unknown. */
  readonly context: number;
  /** NaN stands for all streams. */
  readonly stream: number;
  readonly start: number;
  readonly end: number;
}

/** Compares waits for one device with the ends of the work they wait for. */
export class Overruns {
  waits = 0;
  /** Number of these waits that end before their work by more than the tolerance. */
  broken = 0;
  /** Maximum time by which work ends after its wait, in ns; negative when all work ends before its wait. */
  most = -Infinity;

  add(wait: number, work: number): void {
    this.waits++;
    if (work - wait > CLOCK_TOLERANCE) this.broken++;
    if (work - wait > this.most) this.most = work - wait;
  }
}

/** Rows with a known launch, in order, for each device. */
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
 * Compares waits for a device with the work that they wait for.
 * @param rows rows of the device whose launch is known
 * @param isOnly whether no other device has work; if so, calls that do not name a device wait for this one
 * @param isLeftOut whether a row of work is to be ignored
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

/** Waits for a device, and those of its rows whose launch and end are known. For `rows` and `isOnly`, see `overrunsOf`. */
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

/** Whether the call that launched this work returns only when the work has ended. */
export function isAwaitedCopy({ activities, hostCalls, names }: Trace, row: number, call: number): boolean {
  if (activities.kind.at(row) !== KIND_CODE.copy) return false;
  const kind = names.copyKind(activities.copies.kindCode.at(activities.ownRow.at(row)));
  return kind === 'DtoH' && isWaitingCopy(names.apiName(hostCalls.api.at(call)) ?? '');
}

/** For each name number: whether calls of this name wait for one stream or for all work of a context. */
export class WaitedFor {
  readonly #known = new Map<number, 'stream' | 'context' | null>();

  constructor(private readonly trace: Trace) {}

  /** Null for calls that do not wait. Also null for a wait that failed, because the work may still be running. */
  of(call: number): 'stream' | 'context' | null {
    if (this.trace.hostCalls.results.has(call)) return null;
    return entryOf(this.#known, this.trace.hostCalls.api.at(call), (api) => {
      const kind = waitOfCall(this.trace.names.apiName(api));
      return kind === 'stream' || kind === 'context' ? kind : null;
    });
  }
}

/** Waits from rows that state their device and stream. */
function waitsOfRows(
  { activities, hostCalls }: Trace,
  callOf: Int32Array,
  rows: number[],
  waitedFor: WaitedFor,
): HostWait[] {
  return rows.flatMap((row) => {
    const call = elementAt(callOf, row);
    const waited = waitedFor.of(call);
    const stream = waited === 'stream' ? activities.stream.at(row) : NaN;
    if (waited === null || (waited === 'stream' && Number.isNaN(stream))) return [];
    const [process, context] = [activities.process.at(row), activities.context.at(row)];
    return [{ call, process, context, stream, start: hostCalls.start.at(call), end: hostCalls.end.at(call) }];
  });
}

/**
 * Waits from host calls, which do not state a stream.
 * @param isOneStream whether all work is in one stream; if so, a wait for a stream is a wait for all work
 */
function waitsOfCalls({ hostCalls }: Trace, isOneStream: boolean, waitedFor: WaitedFor): HostWait[] {
  const waits: HostWait[] = [];
  for (let call = 0; call < hostCalls.length; call++) {
    const waited = waitedFor.of(call);
    if (waited === null || (waited === 'stream' && !isOneStream)) continue;
    const place = { process: hostCalls.process.at(call), context: NaN, stream: NaN };
    waits.push({ call, ...place, start: hostCalls.start.at(call), end: hostCalls.end.at(call) });
  }
  return waits;
}

/**
 * Iterates over work and waits in the order in which the host made them, and keeps the latest end so far of each
 * process and stream.
 */
function sweep(
  { activities, hostCalls }: Trace,
  callOf: Int32Array,
  { waits, work }: { readonly waits: HostWait[]; readonly work: readonly number[] },
  overruns: Overruns,
): void {
  // A launch counts from its return, because a launch on another thread that is still running when a wait begins may
  // take effect after it.
  const launched = (row: number): number => hostCalls.end.at(elementAt(callOf, row));
  const order = allRows(work.length);
  sortRows(order, (a, b) => launched(elementAt(work, a)) - launched(elementAt(work, b)));
  const ends = new Map<string, number>();
  let next = 0;
  for (const { process, stream, start, end } of waits.sort((a, b) => a.start - b.start)) {
    for (; next < order.length; next++) {
      const row = elementAt(work, elementAt(order, next));
      if (launched(row) > start) break;
      for (const streamId of [activities.stream.at(row), NaN]) {
        const key = `${activities.process.at(row)}:${streamId}`;
        ends.set(key, Math.max(ends.get(key) ?? -Infinity, activities.end.at(row)));
      }
    }
    const last = ends.get(`${process}:${stream}`);
    if (last !== undefined) overruns.add(end, last);
  }
}
