/** Prepares the columns of a profile before records are made of them: launches, repeated rows and times. */
import type { Labels } from '../../../record/record.js';
import type { Trace } from '../trace.js';
import { othersWaits, byCallName } from '../calls.js';
import { earliest, type Span, spanOfHost } from '../clocks/host-span.js';
import { settleStrayEvents, settleStrays } from './stray-events.js';
import { cutOverruns, streamsOf } from './stream-order.js';
import { cutAtWaits } from './waited-ends.js';
import { joinLaunches, placeAtLaunches, type LaunchJoin } from '../launches.js';
import { orderActivities, activityOrder } from '../record-order.js';
import { mixedNumber, HashIndex, NO_ROW } from '../../../containers/hash-index.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { KIND_CODE } from '../trace-columns.js';
import { isGraphLaunch, isKernelLaunch } from '../graphs/graph-launches.js';
import { countOverlaps } from '../doubtful-work.js';
import { elementAt } from '../../../containers/element.js';
import {
  launchedRows,
  overrunsOf,
  CLOCK_TOLERANCE,
  launchLatencies,
  type Overruns,
  type DeviceLatencies,
} from '../clocks/host-waits.js';

/**
 * Calls that launch several kernels, such as `hipExtLaunchMultiKernelMultiDevice`. A cooperative launch first runs a kernel
 * that sets up the grid's barrier. Source: ROCm/hip, pull request 1339 (`init_gws`).
 */
const LAUNCHES_SEVERAL = /Multi|Cooperative/;

/**
 * Removes launches that cannot be trusted. ROCm's profilers may give a HIP kernel the id of another kernel's launch. If
 * several kernels have the id of a call that launches only one, it is unknown which of them it launched, so all of them
 * lose their launch. Call this after repeated kernels are removed.
 */
function forgetShared(trace: Trace, { callOf, kernelCounts }: LaunchJoin): void {
  const launchesOne = byCallName(
    trace,
    (name) => name.startsWith('hip') && isKernelLaunch(name) && !LAUNCHES_SEVERAL.test(name),
  );
  const isShared = (call: number): boolean => call !== -1 && elementAt(kernelCounts, call) > 1 && launchesOne(call);
  const { kind } = trace.activities;
  const shared = new Set<number>();
  for (let row = 0; row < callOf.length; row++) {
    const call = elementAt(callOf, row);
    if (kind.at(row) !== KIND_CODE.kernel || !isShared(call)) continue;
    callOf[row] = -1;
    shared.add(call);
    trace.diagnostics.count('shared-launch');
  }
  for (const call of shared) kernelCounts[call] = 0;
}

/**
 * A profile counts as written twice when at least this many rows, and at least this fraction of all rows, are repeated.
 */
const [FEWEST_TWICE, MOSTLY] = [10, 0.9];

/**
 * Removes rows that repeat an earlier one, and counts them. A profile contains work twice when it was written or merged
 * twice. Rows with equal cells are the same work when something identifies it: the node of a graph, or the id of a
 * launch with only one piece of work. If times are whole microseconds, different kernels of a graph may have equal
 * cells. These are removed only when nearly all of the profile is repeated. Memory: 8 to 16 bytes for each row while it
 * runs.
 */
function removeRepeated(trace: Trace): void {
  const { activities, diagnostics } = trace;
  const { start, end, stream, kind, context, kernels, ownRow } = activities;
  const hashed = [start, end, activities.corr, stream, activities.device, activities.node];
  // The hash includes the kernel's name: in traces whose times have too few digits, much work without an id has the same
  // times.
  const nameOf = (row: number): number => (kind.at(row) === KIND_CODE.kernel ? kernels.name.at(ownRow.at(row)) : 0);
  const hashOf = (row: number): number =>
    hashed.reduce((hash, column) => mixedNumber(hash, column.at(row)), nameOf(row));
  const known = new HashIndex(hashOf);
  const compare = activityOrder(trace);
  const isSame = (a: number, b: number): boolean => compare(a, b) === 0 && Object.is(context.at(a), context.at(b));
  const repeated = NumericColumn.counts();
  let others = 0;
  for (let row = 0; row < activities.length; row++) {
    // Waits do not occupy a stream, and several pieces of work of zero duration may happen at the same time.
    if (kind.at(row) === KIND_CODE.sync || !(end.at(row) > start.at(row)) || Number.isNaN(stream.at(row))) continue;
    const hash = hashOf(row);
    if (known.find(hash, (other) => isSame(other, row)) !== NO_ROW) repeated.push(row);
    else {
      known.add(hash, row);
      others++;
    }
  }
  if (repeated.length === 0) return;
  const isAll = repeated.length >= Math.max(FEWEST_TWICE, MOSTLY * others);
  const isKnown = isAll ? () => true : identified(trace, repeated.values, isSame);
  for (const row of repeated.values) {
    if (!isKnown(row)) continue;
    activities.remove(row);
    diagnostics.count('row-repeated');
  }
}

/** Whether something identifies the work of a repeated row: a graph node, or a launch that launched nothing else. */
function identified(
  trace: Trace,
  repeated: Uint32Array,
  isSame: (a: number, b: number) => boolean,
): (row: number) => boolean {
  const { activities, hostCalls } = trace;
  const { process: owner, corr, node, kind } = activities;
  const launchesGraph = byCallName(trace, isGraphLaunch);
  /** By correlation id: the row that was launched with this id, as long as it is the only one. */
  const alone = new Map<number, number>();
  for (const row of repeated) if (!Number.isNaN(corr.at(row))) alone.set(corr.at(row), row);
  for (let call = 0; call < hostCalls.length; call++) if (launchesGraph(call)) alone.delete(hostCalls.corr.at(call));
  for (let row = 0; row < activities.length; row++) {
    const other = alone.get(corr.at(row));
    if (other === undefined || kind.at(row) === KIND_CODE.sync || owner.at(row) !== owner.at(other)) continue;
    if (!isSame(other, row)) alone.delete(corr.at(row));
  }
  return (row) => !Number.isNaN(node.at(row)) || alone.has(corr.at(row));
}

/** A profile whose activities are joined to their launches, with all times on one clock. */
export interface Settled {
  readonly launches: LaunchJoin;
  /** Corrections of device clocks, for the profile line. */
  readonly clockFacts: Labels | undefined;
  /**
   * Time in ns between the start of the profile and its first event; above 0 if the event that was first has been moved.
   */
  readonly lead: number;
  /** Rows of activities in the order of records. */
  readonly order: Uint32Array;
  /**
   * Rows of work whose recorded end was impossible. They now end when the next work of their stream begins, or when a
   * wait returned.
   */
  readonly cut: ReadonlySet<number>;
  /** For each row of work, how long other work had been waiting: see `othersWaits`. */
  readonly othersWait: ReadonlyMap<number, number>;
  /** Span of all events that are not strays; null when there are no strays. */
  readonly believed: Span | null;
}

// Corrects devices whose clock differs from the host's. Work cannot start before its launch, and a wait cannot end
// before the work it waits for. If most launches of a device, or most waits for it, break these rules by more than real
// clocks do, all times of the device are shifted by the same amount. This amount gives the fastest launch a latency of
// 0.

/**
 * In ns. When no wait shows the clock's offset, all work of a device may start late because of work queued before the
 * profile. In real files this delay was up to 21 ms; in one file it was longer than the span of its host events. A
 * queue does not delay work by this much.
 */
const LONGEST_QUEUE = 1_000_000_000;

/** Result of the alignment. */
interface ClockAlignment {
  /** The correction of each device, for the profile line. */
  readonly facts: Labels;
  /** Whether the first time of the profile was one of those that were shifted. */
  readonly movedStart: boolean;
}

/** Name of the fact that states how far the times of a device were shifted. */
const clockShiftName = (device: number): string => `device_${device}_clock_shift_ns`;

/** Shifts the activities of devices whose clock differs from the host's; null when no device's clock does. */
function alignClocks(trace: Trace, launches: LaunchJoin): ClockAlignment | null {
  const { hostCalls, activities, diagnostics } = trace;
  const latencies = launchLatencies(hostCalls, activities, launches);
  const odd = [...latencies].filter(([, { launches, least, early }]) => {
    return launches === 0 || early > 0 || least > CLOCK_TOLERANCE;
  });
  if (odd.length === 0) return null;
  const host = spanOfHost(trace);
  const facts: Record<string, string | number> = {};
  const shifts = new Map<number, number>();
  const rowsOf = launchedRows(trace, launches, new Set(odd.map(([device]) => device)));
  for (const [device, delays] of odd.sort(([a], [b]) => a - b)) {
    if (delays.launches === 0) {
      if (isApart(delays, host)) facts[clockShiftName(device)] = 'na';
      continue;
    }
    const isEarly = delays.early > delays.launches / 2;
    if (!isEarly && delays.least <= CLOCK_TOLERANCE) continue;
    const overruns = overrunsOf(trace, launches, rowsOf(device), latencies.size === 1);
    if (!isEarly && !isImpossiblyLate(delays, overruns, host)) continue;
    shifts.set(device, -delays.least);
    facts[clockShiftName(device)] = -delays.least;
    facts[`device_${device}_clock_bound_ns`] = overruns.waits === 0 ? 'na' : Math.abs(delays.least - overruns.most);
  }
  if (Object.keys(facts).length === 0) return null;
  diagnostics.count('clocks-differ', Object.keys(facts).filter((name) => name.endsWith('shift_ns')).length);
  const movedStart = [...shifts.keys()].some((device) => latencies.get(device)?.first === 0);
  move(trace, launches, shifts, host);
  return { facts, movedStart };
}

/** Whether late starts come from the device's clock, not from a busy device. */
const isImpossiblyLate = ({ least }: DeviceLatencies, { waits, broken }: Overruns, { first, last }: Span): boolean =>
  broken > waits / 2 || least > Math.max(LONGEST_QUEUE, last - first);

/**
 * Whether the gap between work without launches and all host events is longer than the spans of host and device
 * together.
 */
const isApart = (delays: DeviceLatencies, { first, last }: Span): boolean =>
  Number.isFinite(first) &&
  Math.max(delays.first - last, first - delays.last) >
    Math.max(LONGEST_QUEUE, last - first + delays.last - delays.first);

/** Shifts times by device. Waits listed with a device may have been timed by the host. Such waits are not shifted. */
function move(
  { hostCalls, activities }: Trace,
  { callOf }: LaunchJoin,
  shifts: ReadonlyMap<number, number>,
  host: Span,
): void {
  const isOfHost = (start: number, call: number, shift: number): boolean => {
    if (call === -1) return start >= host.first && start <= host.last;
    const launched = hostCalls.start.at(call);
    return Math.abs(start - launched) <= Math.abs(start + shift - launched);
  };
  for (let row = 0; row < activities.length; row++) {
    const shift = shifts.get(activities.device.at(row));
    if (shift === undefined) continue;
    const start = activities.start.at(row);
    const isWait = activities.kind.at(row) === KIND_CODE.sync;
    if (isWait && isOfHost(start, elementAt(callOf, row), shift)) continue;
    activities.start.set(row, start + shift);
    activities.end.set(row, activities.end.at(row) + shift);
  }
}

/** Joins launches, removes repeated rows and corrects times, in place. */
export function settled(trace: Trace): Settled {
  const { header, hostCalls, activities, threads, diagnostics } = trace;
  removeRepeated(trace);
  const launches = joinLaunches(hostCalls, activities, threads, diagnostics);
  forgetShared(trace, launches);
  const isStartStray = settleStrays(trace, launches);
  const rest = settleStrayEvents(trace, launches);
  // Stray host events had widened the span of plausible times, so work is checked again.
  if (rest !== null) settleStrays(trace, launches);
  const alignment = alignClocks(trace, launches);
  const isStrayStart = header.isStartStated !== true && (isStartStray || rest?.movedStart === true);
  const isMovedStart = isStrayStart || alignment?.movedStart === true;
  const lead = isMovedStart ? earliest(trace, rest?.span.first ?? -Infinity) : 0;
  placeAtLaunches(hostCalls, activities, launches, lead, diagnostics);
  const order = orderActivities(trace);
  const streams = streamsOf(trace, launches, order);
  const isMoved = (device: number): boolean => alignment !== null && clockShiftName(device) in alignment.facts;
  const last = streams.map((stream) => stream.last);
  const cut = new Set([...cutOverruns(trace, streams), ...cutAtWaits(trace, launches, last, isMoved)]);
  countOverlaps(trace, launches, order);
  const othersWait = othersWaits(trace, launches, order);
  return { launches, clockFacts: alignment?.facts, lead, order, cut, othersWait, believed: rest?.span ?? null };
}
