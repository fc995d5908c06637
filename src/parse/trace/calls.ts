/**
 * Classifies the host's runtime API calls by name: what a call waits for, which calls failed, and how long other queued
 * work had already been waiting when a late launch's work started.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { Labels } from '../../record/record.js';
import type { LaunchJoin } from './launches.js';
import { KIND_CODE } from './trace-columns.js';
import type { Trace } from './trace.js';

/**
 * Classifies host calls by function name. Each name is looked up and classified once, however often the function is
 * called.
 * @param read returns the kind of a function by its name, which is '' for a call without a name
 */
export function byCallName<Kind extends string | boolean | null | readonly number[]>(
  { hostCalls, names }: Pick<Trace, 'hostCalls' | 'names'>,
  read: (name: string) => Kind,
): (call: number) => Kind {
  const known = new Map<number, Kind>();
  return (call) => entryOf(known, hostCalls.api.at(call), (api) => read(names.apiName(api) ?? ''));
}

/** Calls that return the error of an earlier call. */
const TELLS_ERROR = /(?:Get|PeekAt)LastError/;
/**
 * Codes that a call returns although nothing is lost: it asked something, or what it should do was already done. CUDA
 * renumbered the codes of its runtime in 10.1; the driver and HIP have the later ones.
 * Source: driver_types.h of CUDA 7.5 and 12, hip_runtime_api.h.
 */
const HARMLESS: readonly (readonly [pattern: RegExp, codes: readonly number[]])[] = [
  // Work is not done yet.
  [/Query$/, [34, 600]],
  // Access to a peer is already enabled, or already disabled.
  [/EnablePeerAccess$/, [50, 704]],
  [/DisablePeerAccess$/, [51, 705]],
  // Host memory is already pinned, or is not.
  [/HostRegister$/, [61, 712]],
  [/HostUnregister$/, [62, 713]],
  // A pointer is to ordinary host memory.
  [/PointerGetAttributes?$/, [1]],
  // A function or a variable does not exist.
  [/GetProcAddress$|GetDriverEntryPoint|(?:Module|Library)Get(?:Function|Kernel|Global)$/, [500]],
];

/** Maximum number of names in the profile line. */
const MOST_NAMES = 20;

/**
 * Counts failed calls, because a call that failed to launch work launched none.
 * @returns their names with error codes, for the profile line; undefined when no call failed
 */
export function failedCalls(trace: Trace): Labels | undefined {
  const { hostCalls, names, diagnostics } = trace;
  const tellsError = byCallName(trace, (name) => TELLS_ERROR.test(name));
  const harmlessCodes = byCallName(trace, (name) => HARMLESS.find(([pattern]) => pattern.test(name))?.[1] ?? []);
  const counts = new Map<string, number>();
  let failed = 0;
  for (const [call, code] of hostCalls.results) {
    if (tellsError(call) || harmlessCodes(call).includes(code)) continue;
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
 * Finds launches that came late while other work, launched earlier on the same device, was still waiting and started
 * even later. The device was then idle because that work waited for an event, another rank or another program, not
 * because the host was late. Example: a graph whose kernels wait while other streams get work piece by piece.
 * @param order rows in order of start time
 * @returns for each row of work that ended such an idle time, how long the other work had been waiting when the row's
 *   work started, in ns
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

  /** For each position in the order: the earliest return of a call that launched later work on the same device. */
  function firstReturns(): Float64Array {
    const first = new Map<number, number>();
    const firsts = new Float64Array(order.length);
    for (let place = order.length - 1; place >= 0; place--) {
      const row = elementAt(order, place);
      const [deviceId, call] = [device.at(row), elementAt(callOf, row)];
      const later = first.get(deviceId) ?? Infinity;
      firsts[place] = later;
      if (call !== -1 && isWork(row)) first.set(deviceId, Math.min(later, hostCalls.end.at(call)));
    }
    return firsts;
  }
}
