/**
 * Finds launches of kernels and graphs whose work is missing from the profile, in whole or mostly, although work that
 * the same thread launched later is there. The profiler lost that work, and the device was busy when it looks idle.
 * Streams run in order, so if the thread's graphs have work, only later work on their streams is evidence. A launch
 * without later work, as at the end of a trace, is counted but says nothing about the device. A failed launch has no
 * work to lose, and a launch without an id may have launched any kernel whose launch is unknown. Memory: 17 bytes for
 * each host call, 16 of them only if some launch has no work.
 */
import { elementAt } from '../../../containers/element.js';
import { joined, outermost, spanAt, spanRows } from '../../../containers/nesting.js';
import { entryOf, groupsOf } from '../../../containers/map-entry.js';
import { sortRows, countBelow } from '../../../containers/row-order.js';
import type { SampleRecord } from '../../../record/record.js';
import { isCopyCall } from '../../../record/wait-calls.js';
import { MISSING_WORK_METRIC } from '../../../record/sample-metrics.js';
import { kernelNameOf, type Trace } from '../trace.js';
import { byCallName } from '../calls.js';
import { captureSpans, type CaptureSpan, isGraphLaunch, isKernelLaunch } from './graph-launches.js';
import { KIND_CODE, knownId, type Activities, type HostCalls } from '../trace-columns.js';
import { CLOCK_TOLERANCE } from '../clocks/host-waits.js';
import type { LaunchJoin } from '../launches.js';

/** A time during which a device may have done work that is not in the profile. */
interface MissingWork {
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly launches: number;
  readonly api: string;
}

/** A graph launch with less than this fraction of its graph's nodes is incomplete. */
const MOSTLY = 0.5;

/**
 * Yields samples of the metric `missing_work` in order of start time, and counts the launches. In a truncated input,
 * the work may come after the cut. Call this after clocks are aligned.
 */
export function* missingWork(trace: Trace, launches: LaunchJoin, profile: number): Generator<SampleRecord> {
  const { diagnostics } = trace;
  const missing = new MissingLaunches(trace, launches);
  const graphs = missing.all.filter(({ api }) => isGraphLaunch(api)).length;
  if (diagnostics.get('truncated-input') > 0) diagnostics.count('launch-cut', graphs + missing.kernels);
  else {
    diagnostics.count('graph-launch-without-work', graphs);
    diagnostics.count('launch-without-work', missing.kernels);
    if (trace.activities.copies.bytes.length > 0)
      diagnostics.count('call-without-copy', callsWithoutCopy(trace, launches, isJoinedCopyCall));
  }
  for (const found of withoutOverlap(missing.all)) yield sampleOf(found, profile);
}

const sampleOf = ({ start, end, device, launches, api }: MissingWork, profile: number): SampleRecord => ({
  ...{ type: 'sample', profile, start, dur: end - start, device },
  ...{ metric: MISSING_WORK_METRIC, value: launches, unit: 'count', labels: { api } },
});

/** Merges overlapping times of the same device; the result is in order of start time. */
function withoutOverlap(missing: readonly MissingWork[]): MissingWork[] {
  const byDevice = new Map<number, MissingWork[]>();
  for (const each of missing.toSorted((a, b) => a.start - b.start || a.end - b.end))
    entryOf(byDevice, each.device, () => []).push(each);
  const both = (a: MissingWork, b: MissingWork): Partial<MissingWork> => ({ launches: a.launches + b.launches });
  const merged = [...byDevice.values()].flatMap((list) => joined(list, both));
  return merged.sort((a, b) => a.start - b.start || a.device - b.device);
}

/** Graph launches, by row, that have none or only part of their work in the profile. */
type Incomplete = Map<number, 'none' | 'part'>;

/**
 * Whether a call was captured, so that no work reached a device: it is between the calls that begin and end a capture, or the
 * profiler saw it add a node to a graph. Threads that work for the capturing thread, such as autograd's, are captured too.
 * Therefore launches without work on all threads of the process are checked.
 */
function capturedCalls(trace: Trace): (call: number) => boolean {
  const { start, end, thread } = trace.hostCalls;
  const processOf = (threadId: number): number => trace.threads.processOf(threadId);
  const byProcess = new Map<number, CaptureSpan[]>();
  for (const span of captureSpans(trace)) entryOf(byProcess, processOf(span.thread), () => []).push(span);
  const times = new Map([...byProcess].map(([owner, spans]) => [owner, joined(spans)]));
  const creations = creationTimes(trace);
  return (call) =>
    spanAt(times.get(processOf(thread.at(call))) ?? [], start.at(call)) !== null ||
    creations.get(thread.at(call))?.(start.at(call), end.at(call)) === true;
}

/** Whether a node of a graph was added within a time span, by thread. */
function creationTimes(trace: Trace): ReadonlyMap<number, (from: number, to: number) => boolean> {
  const creations = groupsOf(trace.nodeCreations?.() ?? [], ({ thread }) => thread);
  return new Map([...creations].map(([thread, list]) => [thread, holdsAny(list.map(({ start }) => start))]));
}

/**
 * The number of calls that copied memory although the profile has kernels and contains no copies, so that devices may have
 * copied while they look idle.
 */
export const unrecordedCopies = (trace: Trace, launches: LaunchJoin): number =>
  trace.activities.copies.bytes.length > 0 || trace.activities.kernels.name.length === 0
    ? 0
    : callsWithoutCopy(trace, launches, isCopyCall);

/**
 * The number of calls that copy memory but whose copy is not in the profile, without calls that failed, were captured, or
 * ran a kernel instead. Each copy or copying kernel whose launch is unknown reduces it by one, because it may belong to
 * one of the calls.
 */
function callsWithoutCopy(
  trace: Trace,
  { callOf, kernelCounts }: LaunchJoin,
  isCopyName: (name: string) => boolean,
): number {
  const { hostCalls, activities } = trace;
  const hasCopy = new Uint8Array(hostCalls.length);
  for (let row = 0; row < callOf.length; row++) {
    const call = elementAt(callOf, row);
    if (call !== -1 && activities.kind.at(row) === KIND_CODE.copy) hasCopy[call] = 1;
  }
  const isCopy = byCallName(trace, isCopyName);
  const isCaptured = capturedCalls(trace);
  const shouldCopy = (call: number): boolean =>
    isCopy(call) &&
    elementAt(kernelCounts, call) === 0 &&
    !hostCalls.results.has(call) &&
    !hostCalls.strays.has(call) &&
    !isCaptured(call);
  if (!hasCopy.some((has, call) => has === 0 && shouldCopy(call))) return 0;
  const calls: number[] = [];
  for (let call = 0; call < hostCalls.length; call++) if (shouldCopy(call)) calls.push(call);
  // A call of the runtime may call the driver.
  calls.sort((a, b) => hostCalls.start.at(a) - hostCalls.start.at(b) || hostCalls.end.at(b) - hostCalls.end.at(a));
  const outer = outermost(calls, spanRows(hostCalls), (call, around) => {
    if (hasCopy[call] === 1) hasCopy[around] = 1;
  });
  const without = outer.filter((call) => hasCopy[call] === 0);
  return Math.max(0, without.length - copiesOfAnyCall(trace, callOf, without));
}

/**
 * Calls whose copies have their id. On Ascend, copies are tasks that belong to a call by time, and some calls copy without a
 * task.
 */
const isJoinedCopyCall = (name: string): boolean => isCopyCall(name) && /^(?:cuda|cu|hip)[A-Z]/.test(name);

/** Kernels with which HIP copies memory. */
const COPYING = /^__amd_rocclr_copy/;

/**
 * Number of copies, and of kernels that copy memory, whose launch is unknown, so that any of the calls may have launched
 * them. If all calls have ids, a copy with an id is not counted: it would have been joined to its call.
 */
function copiesOfAnyCall(trace: Trace, callOf: LaunchJoin['callOf'], calls: readonly number[]): number {
  const { kind, ownRow, kernels, corr } = trace.activities;
  const known = new Map<number, boolean>();
  const isCopying = (name: number): boolean =>
    entryOf(known, name, () => COPYING.test(kernelNameOf(trace, name) ?? ''));
  const isAnyWithoutId = calls.some((call) => Number.isNaN(trace.hostCalls.corr.at(call)));
  const mayBe = (row: number): boolean =>
    kind.at(row) === KIND_CODE.copy
      ? isAnyWithoutId || Number.isNaN(knownId(corr.at(row)))
      : kind.at(row) === KIND_CODE.kernel && isCopying(kernels.name.at(ownRow.at(row)));
  let count = 0;
  for (let row = 0; row < callOf.length; row++) if (callOf[row] === -1 && mayBe(row)) count++;
  return count;
}

class MissingLaunches {
  /** By row: names of calls that launch a graph, and of calls that launch a kernel but have none. */
  readonly #launching = new Map<number, string>();
  readonly all: readonly MissingWork[];
  /**
   * Number of calls that launch a kernel but have none. Calls that may have launched a kernel of unknown launch are not
   * counted.
   */
  kernels = 0;
  /** By row of a call: 1 when it launched work that is in the profile. */
  readonly #hasWork: Uint8Array;

  constructor(
    private readonly trace: Trace,
    private readonly launches: LaunchJoin,
  ) {
    const isCaptured = capturedCalls(trace);
    const nameOf = byCallName(trace, (name) => (isGraphLaunch(name) || isKernelLaunch(name) ? name : null));
    const hasWork = (this.#hasWork = new Uint8Array(trace.hostCalls.length));
    this.#eachWork((_, call) => {
      if (call !== -1) hasWork[call] = 1;
    });
    for (let row = 0; row < hasWork.length; row++) {
      const name = nameOf(row);
      if (name === null || (hasWork[row] === 1 && !isGraphLaunch(name))) continue;
      const { results, strays } = trace.hostCalls;
      if (results.has(row) || strays.has(row) || isCaptured(row)) continue;
      this.#launching.set(row, name);
    }
    const incomplete = this.#launching.size === 0 ? null : this.#incomplete();
    this.all = incomplete === null || incomplete.size === 0 ? [] : this.#find(incomplete);
  }

  /** Calls `each` with every row of work except waits, and the row of its launch, or -1 when that is unknown. */
  #eachWork(each: (row: number, call: number) => void): void {
    const { kind } = this.trace.activities;
    const { callOf } = this.launches;
    for (let row = 0; row < callOf.length; row++) {
      if (kind.at(row) !== KIND_CODE.sync) each(row, elementAt(callOf, row));
    }
  }

  /** Graph launches that have no work, and those that ran less than half of their graph's nodes. */
  #incomplete(): Incomplete {
    const { kind, node, ownRow, kernels } = this.trace.activities;
    const counts = new Map([...this.#launching.keys()].map((call) => [call, { all: 0, nodes: 0, graph: NaN }]));
    const nodes = new Map<number, Set<number>>();
    this.#eachWork((row, call) => {
      const count = counts.get(call);
      if (count === undefined) return;
      count.all++;
      const graph = kind.at(row) === KIND_CODE.kernel ? kernels.graphId.at(ownRow.at(row)) : NaN;
      if (!(graph > 0) || Number.isNaN(node.at(row))) return;
      count.nodes++;
      count.graph = graph;
      entryOf(nodes, graph, () => new Set()).add(node.at(row));
    });
    const found = [...counts].map(([call, { all, nodes: ran, graph }]) => {
      const isPartial = ran < MOSTLY * (nodes.get(graph)?.size ?? 0);
      return [call, all === 0 ? 'none' : isPartial ? 'part' : null] as const;
    });
    return new Map(found.filter((entry): entry is [number, 'none' | 'part'] => entry[1] !== null));
  }

  /** The streams on which each thread's graphs ran. */
  #streams(): Map<number, Set<string>> {
    const streams = new Map<number, Set<string>>();
    this.#eachWork((row, call) => {
      if (!this.#launching.has(call)) return;
      entryOf(streams, this.trace.hostCalls.thread.at(call), () => new Set()).add(this.trace.activities.streamOf(row));
    });
    return streams;
  }

  #find(incomplete: Incomplete): MissingWork[] {
    const { start, length, thread } = this.trace.hostCalls;
    const { activities } = this.trace;
    const threads = new Set([...incomplete.keys()].map((call) => thread.at(call)));
    const first = new Float64Array(length).fill(Infinity);
    const device = new Uint32Array(length);
    const unlinked: number[] = [];
    const streams = this.#streams();
    this.#eachWork((row, call) => {
      const [at, on] = [activities.start.at(row), activities.device.at(row)];
      if (call === -1) unlinked.push(at);
      else if (streams.get(thread.at(call))?.has(this.trace.activities.streamOf(row)) === false) return;
      else if (at < elementAt(first, call) || (at === elementAt(first, call) && on < elementAt(device, call))) {
        first[call] = at;
        device[call] = on;
      }
    });
    const rows = this.#outermost(this.#ofThreads(threads, first), incomplete, first, device);
    const isUnclear = holdsAny(unlinked);
    const missing: MissingWork[] = [];
    const lacking: number[] = [];
    // Iterates from the last call of each thread to the first. `next` is the following call that has work.
    let next = -1;
    for (const row of rows.reverse()) {
      if (next !== -1 && thread.at(next) !== thread.at(row)) next = -1;
      const api = this.#launching.get(row);
      const [from, hasWork] = [start.at(row), elementAt(first, row) < Infinity];
      if (api !== undefined && !hasWork && isKernelLaunch(api)) lacking.push(row);
      if (next !== -1 && api !== undefined && (!hasWork || incomplete.get(row) === 'part')) {
        const end = elementAt(first, next);
        if (from < end && !isUnclear(from, end))
          missing.push({ start: from, end, device: elementAt(device, next), launches: 1, api });
      }
      if (hasWork) next = row;
    }
    this.kernels = lacking.length - this.#mayHaveKernel(lacking);
    return missing;
  }

  /**
   * Number of these launches that may have launched a kernel of unknown launch. Each kernel explains one launch, which
   * must come before it.
   */
  #mayHaveKernel(lacking: readonly number[]): number {
    const { hostCalls, activities } = this.trace;
    const launched = valuesByProcess(lacking, hostCalls.process, hostCalls.start);
    // A kernel without times may have started at any time.
    const start = (row: number): number => (Number.isNaN(activities.end.at(row)) ? Infinity : activities.start.at(row));
    let count = 0;
    for (const [process, starts] of valuesByProcess(this.#unknownKernels(), activities.process, { at: start })) {
      const calls = launched.get(process) ?? [];
      let taken = 0;
      for (const at of starts) if (taken < calls.length && elementAt(calls, taken) <= at + CLOCK_TOLERANCE) taken++;
      count += taken;
    }
    return count;
  }

  /**
   * Kernels whose launch is unknown: they have no id, or the id of a launch that the join did not match to them. If some
   * launch has no id, all kernels without a launch.
   */
  #unknownKernels(): number[] {
    const { hostCalls, activities } = this.trace;
    const idOf = ({ process: owner, corr }: HostCalls | Activities, row: number): string =>
      `${owner.at(row)} ${corr.at(row)}`;
    const calls = [...this.#launching.keys()];
    const ids = new Set(calls.map((call) => idOf(hostCalls, call)));
    const isAnyWithoutId = calls.some((call) => Number.isNaN(hostCalls.corr.at(call)));
    const rows: number[] = [];
    this.#eachWork((row, call) => {
      if (call !== -1 || activities.kind.at(row) !== KIND_CODE.kernel) return;
      const isUnknown = isAnyWithoutId || Number.isNaN(knownId(activities.corr.at(row)));
      if (isUnknown || ids.has(idOf(activities, row))) rows.push(row);
    });
    return rows;
  }

  /** Calls of these threads that launched a graph or other work, by thread in order of start time, outer calls first. */
  #ofThreads(threads: ReadonlySet<number>, first: Float64Array): Uint32Array {
    const { start, end, thread } = this.trace.hostCalls;
    const rows: number[] = [];
    for (let row = 0; row < start.length; row++) {
      const isLaunch = this.#hasWork[row] === 1 || elementAt(first, row) < Infinity || this.#launching.has(row);
      if (isLaunch && threads.has(thread.at(row))) rows.push(row);
    }
    const sorted = Uint32Array.from(rows);
    const firstWork = (row: number): number => elementAt(first, row);
    sortRows(
      sorted,
      (a, b) =>
        thread.at(a) - thread.at(b) ||
        start.at(a) - start.at(b) ||
        end.at(b) - end.at(a) ||
        Number(firstWork(a) > firstWork(b)) - Number(firstWork(a) < firstWork(b)),
    );
    return sorted;
  }

  /**
   * Calls that are not inside another call. Work launched by an inner call, such as the driver's, counts for the outer one.
   */
  #outermost(rows: Uint32Array, incomplete: Incomplete, first: Float64Array, device: Uint32Array): number[] {
    return outermost(rows, spanRows(this.trace.hostCalls), (row, around) => {
      const api = this.#launching.get(row);
      // The kernel of a launch within another one is that of the outer one, also on a stream that says nothing about graphs.
      const isOfOuter = this.#hasWork[around] === 1 && api !== undefined && isKernelLaunch(api);
      if (api !== undefined && !isOfOuter && !this.#launching.has(around)) this.#launching.set(around, api);
      if (incomplete.get(row) === 'part') incomplete.set(around, 'part');
      if (elementAt(first, row) >= elementAt(first, around)) return;
      first[around] = elementAt(first, row);
      device[around] = elementAt(device, row);
    });
  }
}

/** Whether one of these times is within a span. */
function holdsAny(starts: readonly number[]): (from: number, to: number) => boolean {
  const sorted = Float64Array.from(starts).sort();
  const valueAt = (index: number): number => elementAt(sorted, index);
  return (from, to) => {
    const at = countBelow(sorted.length, valueAt, from);
    return at < sorted.length && valueAt(at) < to;
  };
}

/** Values of these rows by process, in ascending order. */
function valuesByProcess(
  rows: readonly number[],
  owner: HostCalls['process'],
  values: Pick<HostCalls['start'], 'at'>,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const row of rows) entryOf(found, owner.at(row), () => []).push(values.at(row));
  for (const list of found.values()) list.sort((a, b) => a - b);
  return found;
}
