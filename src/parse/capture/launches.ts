/**
 * Device activity ↔ the host call that launched it: joined on process and correlation id, because correlation ids
 * repeat between processes. One launch may have many activities (a graph, a multi-device launch).
 */
import type { Diagnostics } from '../../record/diagnostics.js';
import { ACTIVITY_KINDS, type Activities, type Calls } from './capture.js';
import { PairIndex } from '../../containers/pair-index.js';
import type { Threads } from './threads.js';

const KERNEL = ACTIVITY_KINDS.indexOf('kernel');
const SYNC = ACTIVITY_KINDS.indexOf('sync');

export interface Launches {
  /** The launching call of each activity, -1 when it is not in the profile. */
  readonly callOf: Int32Array;
  /** How many kernels each call launched. */
  readonly kernels: Uint32Array;
}

export function joinLaunches(
  calls: Calls,
  activities: Activities,
  threads: Threads,
  diagnostics: Diagnostics,
): Launches {
  const find = indexCalls(calls, threads, diagnostics);
  const callOf = new Int32Array(activities.length).fill(-1);
  const kernels = new Uint32Array(calls.length);
  for (let row = 0; row < activities.length; row++) {
    const corr = activities.corr.at(row);
    const call = Number.isNaN(corr) ? -1 : find(activities.process.at(row), corr);
    const kind = activities.kind.at(row);
    callOf[row] = call;
    if (Number.isNaN(activities.start.at(row))) placeAtLaunch(activities, row, call === -1 ? 0 : calls.start.at(call));
    if (call === -1) {
      if (kind === KERNEL) diagnostics.count('kernel-without-launch');
      else if (kind !== SYNC) diagnostics.count('activity-without-launch');
    } else if (kind === KERNEL) {
      kernels[call] = (kernels[call] ?? 0) + 1;
      if (activities.start.at(row) < calls.start.at(call)) diagnostics.count('launch-after-kernel');
    }
  }
  return { callOf, kernels };
}

/** A row whose times were not collected stands at its launch, its end unknown. */
function placeAtLaunch(activities: Activities, row: number, start: number): void {
  activities.start.set(row, start);
  activities.end.set(row, NaN);
}

/** The call of a process with a correlation id, or -1. */
type FindCall = (process: number, corr: number) => number;

/**
 * Calls by process and correlation id; of several rows for one id the preferred one. Some formats do not tell the
 * process of an activity: then an id that calls of several processes have, as in traces put together, tells none.
 */
function indexCalls(calls: Calls, threads: Threads, diagnostics: Diagnostics): FindCall {
  const index = new PairIndex(
    (row) => calls.process.at(row),
    (row) => calls.corr.at(row),
  );
  const ambiguous = new Set<number>();
  for (let row = 0; row < calls.length; row++) {
    const corr = calls.corr.at(row);
    if (Number.isNaN(corr)) continue;
    const known = index.get(calls.process.at(row), corr);
    if (known !== -1) {
      const same = threads.processOf(calls.thread.at(row)) === threads.processOf(calls.thread.at(known));
      diagnostics.count(same ? 'duplicate-launch-row' : 'ambiguous-launch');
      if (!same) ambiguous.add(corr);
    }
    if (known === -1 || preferred(calls, threads, row, known)) index.put(row);
  }
  return (process, corr) => (ambiguous.has(corr) ? -1 : index.get(process, corr));
}

/** Runtime before driver before other records of a call; then the outermost: earliest start, latest end. */
function preferred(calls: Calls, threads: Threads, row: number, other: number): boolean {
  const order =
    calls.rank.at(row) - calls.rank.at(other) ||
    calls.start.at(row) - calls.start.at(other) ||
    calls.end.at(other) - calls.end.at(row) ||
    calls.api.at(row) - calls.api.at(other) ||
    threads.compare(calls.thread.at(row), calls.thread.at(other));
  return order < 0;
}
