/**
 * Checks the last work of each stream, whose end no later work confirms. If the host waited for it and the wait
 * returned long before the recorded end, that end is impossible (pti-gpu#86: 600 s late). The work is then assumed to
 * last until the wait returned. This applies only if launches and other awaited work show that the device uses the
 * host's clock. It does not apply to work that is as long as other work of the same kind, or that ends when a wait of
 * its process returns. In these cases the earlier wait was for something that is not in the profile, such as a stream
 * without work.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf, groupsOf } from '../../../containers/map-entry.js';
import { allRows, keepRows, sortRows, countBelow } from '../../../containers/row-order.js';
import type { Trace } from '../trace.js';
import { waitOfCall } from '../../../record/wait-calls.js';
import { KIND_CODE } from '../trace-columns.js';
import {
  isAwaitedCopy,
  launchedRows,
  overrunsOf,
  WaitedFor,
  waitsFor,
  CLOCK_TOLERANCE,
  type HostWait,
} from '../clocks/host-waits.js';
import type { LaunchJoin } from '../launches.js';
import { farLonger } from './stream-order.js';

/**
 * Cuts the last work of streams where the host's wait for it returned.
 * @param last rows of the last work of each stream
 * @param isMoved whether the clock of a device differs from the host's
 * @returns the rows whose end was cut
 */
export function cutAtWaits(
  trace: Trace,
  launches: LaunchJoin,
  last: readonly number[],
  isMoved: (device: number) => boolean,
): ReadonlySet<number> {
  const { device, end } = trace.activities;
  const cut = new Set<number>();
  const isLast = new Set(last);
  const isLong = farLonger(trace, isLast, true);
  const suspects = last.filter(endsAfterSomeWait(trace, launches)).filter(isLong);
  if (suspects.length === 0) return cut;
  const devices = devicesOf(trace);
  const isWaitedFor = endsWithWait(trace, launches);
  const suspectsOf = groupsOf(suspects, (row) => device.at(row));
  const rowsOf = launchedRows(trace, launches, new Set(suspectsOf.keys()));
  for (const [id, ofDevice] of suspectsOf) {
    const [rows, isOnly] = [rowsOf(id), devices.size === 1];
    if (isMoved(id) || !isTimedByHost(trace, launches, rows)) continue;
    if (overrunsOf(trace, launches, rows, isOnly, (row) => isLast.has(row)).broken > 0) continue;
    const returnOf = returnsOf(trace, launches, waitsFor(trace, launches, rows, isOnly));
    for (const row of ofDevice) {
      const returned = returnOf(row);
      if (!isBroken(trace, row, returned) || isWaitedFor(row)) continue;
      end.set(row, returned);
      cut.add(row);
    }
  }
  trace.diagnostics.count('end-not-believed', cut.size);
  return cut;
}

/** Whether work had begun when a wait for it returned, but ends after that. */
const isBroken = ({ activities }: Trace, row: number, returned: number): boolean =>
  returned > activities.start.at(row) && activities.end.at(row) > returned + CLOCK_TOLERANCE;

/** Whether any wait returned before this work ended. This is a fast filter, which hardly any work passes. */
function endsAfterSomeWait(trace: Trace, { callOf }: LaunchJoin): (row: number) => boolean {
  const { start, end, length } = trace.hostCalls;
  const waitedFor = new WaitedFor(trace);
  const waits = keepRows(allRows(length), (call) => waitedFor.of(call) !== null);
  sortRows(waits, (a, b) => start.at(a) - start.at(b));
  /** For each wait: the earliest return of this wait and all later ones. */
  const returned = Float64Array.from(waits, (call) => end.at(call));
  for (let i = returned.length - 2; i >= 0; i--)
    returned[i] = Math.min(elementAt(returned, i), elementAt(returned, i + 1));
  return (row) => {
    const launch = elementAt(callOf, row);
    if (launch === -1) return false;
    const later = countBelow(waits.length, (i) => start.at(elementAt(waits, i)), end.at(launch));
    const first = Math.min(returned[later] ?? Infinity, isAwaitedCopy(trace, row, launch) ? end.at(launch) : Infinity);
    return trace.activities.end.at(row) > first + CLOCK_TOLERANCE;
  };
}

/** Whether a wait of the work's process was still running when the work ended, and returned right after. */
function endsWithWait(
  { hostCalls: { start, end, length, api, thread }, activities, threads, names }: Trace,
  { callOf }: LaunchJoin,
): (row: number) => boolean {
  const waits = keepRows(allRows(length), (call) => waitOfCall(names.apiName(api.at(call))) !== null);
  sortRows(waits, (a, b) => end.at(a) - end.at(b));
  const processOf = (call: number): number => threads.processOf(thread.at(call));
  return (row) => {
    const [at, process] = [activities.end.at(row), processOf(elementAt(callOf, row))];
    const from = countBelow(waits.length, (i) => end.at(elementAt(waits, i)), at - CLOCK_TOLERANCE);
    for (const call of waits.subarray(from)) {
      if (end.at(call) > at + CLOCK_TOLERANCE) return false;
      if (start.at(call) < at && processOf(call) === process) return true;
    }
    return false;
  };
}

function devicesOf({ activities: { kind, device } }: Trace): ReadonlySet<number> {
  const devices = new Set<number>();
  for (let row = 0; row < kind.length; row++) if (kind.at(row) !== KIND_CODE.sync) devices.add(device.at(row));
  return devices;
}

/**
 * Whether no work of a device starts before its launch, and some work starts right after it.
 * @param rows rows whose launch is known
 */
function isTimedByHost({ activities, hostCalls }: Trace, { callOf }: LaunchJoin, rows: readonly number[]): boolean {
  let least = Infinity;
  for (const row of rows) {
    // Work without times was given the time of its launch, so it says nothing about the clock.
    const isTimed = activities.kind.at(row) !== KIND_CODE.sync && !Number.isNaN(activities.end.at(row));
    if (isTimed) least = Math.min(least, activities.start.at(row) - hostCalls.start.at(elementAt(callOf, row)));
  }
  return Math.abs(least) <= CLOCK_TOLERANCE;
}

/** The time at which the first wait for this work that began after its launch returned; Infinity when there is none. */
function returnsOf(
  trace: Trace,
  { callOf }: LaunchJoin,
  { waits, work }: ReturnType<typeof waitsFor>,
): (row: number) => number {
  const { activities, hostCalls, threads } = trace;
  const { process: owner, stream, context } = activities;
  const isOneContext = new Set(work.map((row) => context.at(row))).size === 1;
  const processOf = (call: number): number => threads.processOf(hostCalls.thread.at(call));
  const byPlace = new Map<string, HostWait[]>();
  for (const wait of waits.toSorted((a, b) => a.end - b.end))
    entryOf(byPlace, `${wait.process} ${wait.stream}`, () => []).push(wait);
  const waitsForRow = (wait: HostWait, row: number, launch: number): boolean =>
    wait.start >= hostCalls.end.at(launch) &&
    processOf(wait.call) === processOf(launch) &&
    (isOneContext || wait.context === context.at(row));
  return (row) => {
    const launch = elementAt(callOf, row);
    const launched = hostCalls.end.at(launch);
    let first = isAwaitedCopy(trace, row, launch) ? launched : Infinity;
    for (const streamId of [NaN, stream.at(row)]) {
      const streamWaits = byPlace.get(`${owner.at(row)} ${streamId}`) ?? [];
      const from = countBelow(streamWaits.length, (i) => elementAt(streamWaits, i).end, launched);
      for (let i = from; i < streamWaits.length && elementAt(streamWaits, i).end < first; i++) {
        const wait = elementAt(streamWaits, i);
        if (waitsForRow(wait, row, launch)) first = wait.end;
      }
    }
    return first;
  };
}
