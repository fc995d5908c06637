/** Calls of the device's library by their names: what they wait for, which failed, how long work of others is queued before them. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Labels } from '../../record/record.js';
import type { LaunchJoin } from './launches.js';
import { KIND_CODE } from './trace-columns.js';
import type { Trace } from './trace.js';

/**
 * What host calls are by the names of their functions: a name is looked up and read once, however often it is called.
 * @param read what a function of this name is; '' for one without a name
 */
export function byCallName<Kind extends string | boolean | null>(
  { hostCalls, names }: Pick<Trace, 'hostCalls' | 'names'>,
  read: (name: string) => Kind,
): (call: number) => Kind {
  const known = new Map<number, Kind>();
  return (call) => entryOf(known, hostCalls.api.at(call), (api) => read(names.apiName(api) ?? ''));
}

/**
 * What a call makes wait, by its name. Rows of waits state it too, but not reliably: an export of 2024 has
 * `cudaStreamWaitEvent`, for which the host does not wait, as the kind of `cudaStreamSynchronize`, one of 2025 the reverse.
 */
const WAIT_CALLS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^(cuda|hip)DeviceSynchronize|^(cu|hip)CtxSynchronize/, 'context'],
  [/^(cuda|hip|cu)StreamSynchronize/, 'stream'],
  [/^(cuda|hip|cu)StreamWaitEvent/, 'stream-wait-event'],
  [/^(cuda|hip|cu)EventSynchronize/, 'event'],
  // Intel's: Unified Runtime, SYCL's older plugin interface, Level Zero, whose immediate command list is a queue too.
  // Source: ur_api.h, pi.h, ze_api.h.
  [/^(ur|pi)QueueFinish|^zeCommand(Queue|ListHost)Synchronize/, 'stream'],
  [/^urEventWait|^piEventsWait|^ze(Event|Fence)HostSynchronize/, 'event'],
];

/** The kind of the wait that a function of the host's interface makes, in the words of `sync` records; null for others. */
export const waitOfCall = (api: string | null): string | null =>
  api === null ? null : (WAIT_CALLS.find(([pattern]) => pattern.test(api))?.[1] ?? null);

/** Calls that return the error of an earlier one. */
const TELLS_ERROR = /(?:Get|PeekAt)LastError/;
/** Calls that ask whether something is done, and cudaErrorNotReady, their answer that it is not: until CUDA 10.0, and since. */
const [ASKS, NOT_READY] = [/Query$/, [34, 600]];

/** Most calls that are named. */
const MOST_NAMES = 20;

/** Counts failed calls: those that should have launched work launched none. @returns what names them with their codes, for the profile line; undefined where there are none */
export function failedCalls(trace: Trace): Labels | undefined {
  const { hostCalls, names, diagnostics } = trace;
  const answers = byCallName(trace, (name) => (TELLS_ERROR.test(name) ? 'error' : ASKS.test(name) ? 'state' : null));
  const counts = new Map<string, number>();
  let failed = 0;
  for (const [call, code] of hostCalls.results) {
    const answer = answers(call);
    if (answer === 'error' || (answer === 'state' && NOT_READY.includes(code))) continue;
    failed++;
    const what = `${names.apiName(hostCalls.api.at(call)) ?? 'na'} ${code}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  diagnostics.count('call-failed', failed);
  if (failed === 0) return undefined;
  const listed = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_NAMES);
  return { failed_calls: listed.map(([what, times]) => `${what} (${times})`).join(', ') };
}

/**
 * Late launches before which other work of the device had been launched already, and starts even later: the device was
 * idle because that work waited, for an event, another rank or another program, not because the host was late (a graph
 * whose kernels wait while other streams get work, one piece at a time).
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
