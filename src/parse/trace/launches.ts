/**
 * Joins each device activity to the host call that launched it, on process and correlation id, because correlation ids
 * repeat between processes. One call may launch many activities (a graph, a multi-device launch).
 */
import type { Diagnostics } from '../../record/diagnostics.js';
import { elementAt } from '../../containers/element.js';
import { KIND_CODE, REMOVED, type Activities, type HostCalls } from './trace-columns.js';
import { PairIndex } from '../../containers/hash-index.js';
import type { ThreadTable } from './threads.js';

/** The host call that launched each activity. */
export interface LaunchJoin {
  /** For each activity: the row of the launching host call; -1 when it is not in the profile. */
  readonly callOf: Int32Array;
  /** For each host call: number of kernels that it launched. */
  readonly kernelCounts: Uint32Array;
}

/** Joins activities to host calls, and counts those without a partner. */
export function joinLaunches(
  hostCalls: HostCalls,
  activities: Activities,
  threads: ThreadTable,
  diagnostics: Diagnostics,
): LaunchJoin {
  const find = indexCalls(hostCalls, threads, diagnostics);
  const callOf = new Int32Array(activities.length).fill(-1);
  const kernelCounts = new Uint32Array(hostCalls.length);
  for (let row = 0; row < activities.length; row++) {
    if (activities.kind.at(row) === REMOVED) continue;
    const corr = activities.corr.at(row);
    const call = Number.isNaN(corr) ? -1 : find(activities.process.at(row), corr);
    const kind = activities.kind.at(row);
    callOf[row] = call;
    if (call === -1) {
      if (kind === KIND_CODE.kernel) diagnostics.count('kernel-without-launch');
      else if (kind !== KIND_CODE.sync) diagnostics.count('activity-without-launch');
    } else if (kind === KIND_CODE.kernel) {
      kernelCounts[call] = elementAt(kernelCounts, call) + 1;
    }
  }
  return { callOf, kernelCounts };
}

/**
 * Gives activities without times the start of their launch, or the start of the profile; their end stays unknown.
 * Counts kernels that start before their launch. Call this after the clocks of host and devices are aligned.
 */
export function placeAtLaunches(
  { start: callStarts }: HostCalls,
  { start, end, kind }: Activities,
  { callOf }: LaunchJoin,
  profileStart: number,
  diagnostics: Diagnostics,
): void {
  let early = 0;
  for (let row = 0; row < start.length; row++) {
    const call = elementAt(callOf, row);
    const at = call === -1 ? profileStart : callStarts.at(call);
    const ownStart = start.at(row);
    if (Number.isNaN(ownStart)) {
      start.set(row, at);
      end.set(row, NaN);
    } else if (ownStart < at && call !== -1 && kind.at(row) === KIND_CODE.kernel) early++;
  }
  diagnostics.count('launch-after-kernel', early);
}

/**
 * Finds the host call of a process with a correlation id; -1 when there is none. If several rows have the id, the preferred
 * one is used. Formats that do not record the process of an activity assign all calls to one process: an id that calls of
 * several processes share, as in merged traces, is then ambiguous and gives -1.
 */
function indexCalls(
  hostCalls: HostCalls,
  threads: ThreadTable,
  diagnostics: Diagnostics,
): (process: number, corr: number) => number {
  const index = new PairIndex(
    (row) => hostCalls.process.at(row),
    (row) => hostCalls.corr.at(row),
  );
  const ambiguous = new Set<number>();
  for (let row = 0; row < hostCalls.length; row++) {
    const corr = hostCalls.corr.at(row);
    if (Number.isNaN(corr)) continue;
    const known = index.get(hostCalls.process.at(row), corr);
    if (known !== -1) {
      const same = threads.processOf(hostCalls.thread.at(row)) === threads.processOf(hostCalls.thread.at(known));
      diagnostics.count(same ? 'duplicate-launch-row' : 'ambiguous-launch');
      if (!same) ambiguous.add(corr);
    }
    if (known === -1 || preferred(hostCalls, threads, row, known)) index.put(row);
  }
  return (process, corr) => (ambiguous.has(corr) ? -1 : index.get(process, corr));
}

/**
 * Whether a row of a call is preferred to another: runtime before driver before others, then the outermost one, which
 * starts first and ends last.
 */
function preferred(hostCalls: HostCalls, threads: ThreadTable, row: number, other: number): boolean {
  const order =
    hostCalls.precedence.at(row) - hostCalls.precedence.at(other) ||
    hostCalls.start.at(row) - hostCalls.start.at(other) ||
    hostCalls.end.at(other) - hostCalls.end.at(row) ||
    hostCalls.api.at(row) - hostCalls.api.at(other) ||
    threads.compare(hostCalls.thread.at(row), hostCalls.thread.at(other));
  return order < 0;
}
