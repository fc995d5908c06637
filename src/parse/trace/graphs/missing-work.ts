/**
 * Launches of kernels and graphs whose work is not in the profile, or mostly not, although work that the same thread
 * launched later is: the profiler lost it, and the device was busy where it looks idle. Streams run in order, so later work
 * counts on streams of the thread's graphs, where any of these has work. A launch after which there is none is counted, and
 * proves nothing of the device, as at the end of a trace. A launch that failed has none to lose, and one without an id
 * may be that of any kernel whose launch is unknown. Memory: 17 bytes a host call, 16 of them only where a launch has no work.
 */
import { elementAt } from '../../../containers/element.js';
import { joined, outermost, spanAt, spanRows } from '../../../containers/nesting.js';
import { entryOf } from '../../../containers/map-entry.js';
import { sortRows, countBelow } from '../../../containers/row-order.js';
import type { SampleRecord } from '../../../record/record.js';
import { MISSING_WORK_METRIC } from '../../../record/sample-metrics.js';
import type { Trace } from '../trace.js';
import { byCallName } from '../calls.js';
import { captureSpans, type CaptureSpan, isGraphLaunch, isKernelLaunch } from './graph-launches.js';
import { KIND_CODE, knownId, type Activities, type HostCalls } from '../trace-columns.js';
import { CLOCK_TOLERANCE } from '../clocks/host-waits.js';
import type { LaunchJoin } from '../launches.js';

/** A time in which a device may have done work that is not in the profile. */
interface MissingWork {
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly launches: number;
  readonly api: string;
}

/** Less than this part of a graph's nodes is no launch of it. */
const MOSTLY = 0.5;

/**
 * Samples of the metric `missing_work`, in order of start; counts the launches. Of a truncated input, their work may be
 * after the cut. To be called when clocks are aligned.
 */
export function* missingWork(trace: Trace, launches: LaunchJoin, profile: number): Generator<SampleRecord> {
  const { diagnostics } = trace;
  const missing = new MissingLaunches(trace, launches);
  const graphs = missing.all.filter(({ api }) => isGraphLaunch(api)).length;
  if (diagnostics.get('truncated-input') > 0) diagnostics.count('launch-cut', graphs + missing.kernels);
  else {
    diagnostics.count('graph-launch-without-work', graphs);
    diagnostics.count('launch-without-work', missing.kernels);
  }
  for (const found of withoutOverlap(missing.all)) yield sampleOf(found, profile);
}

const sampleOf = ({ start, end, device, launches, api }: MissingWork, profile: number): SampleRecord => ({
  ...{ type: 'sample', profile, start, dur: end - start, device },
  ...{ metric: MISSING_WORK_METRIC, value: launches, unit: 'count', labels: { api } },
});

/** Times of one device that overlap are one; in order of start. */
function withoutOverlap(missing: readonly MissingWork[]): MissingWork[] {
  const byDevice = new Map<number, MissingWork[]>();
  for (const each of missing.toSorted((a, b) => a.start - b.start || a.end - b.end))
    entryOf(byDevice, each.device, () => []).push(each);
  const both = (a: MissingWork, b: MissingWork): Partial<MissingWork> => ({ launches: a.launches + b.launches });
  const merged = [...byDevice.values()].flatMap((list) => joined(list, both));
  return merged.sort((a, b) => a.start - b.start || a.device - b.device);
}

/** Graph launches by row: whether they have no work of their own in the profile, or a part of it. */
type Incomplete = Map<number, 'none' | 'part'>;

/**
 * Whether a call was captured: it then put nothing onto a device. Threads that work for the capturing one, as those of
 * autograd, are captured too, so that it is asked of launches without work of any thread of the process.
 */
function capturedCalls(trace: Trace): (call: number) => boolean {
  const { start, thread } = trace.hostCalls;
  const processOf = (of: number): number => trace.threads.processOf(of);
  const byProcess = new Map<number, CaptureSpan[]>();
  for (const span of captureSpans(trace)) entryOf(byProcess, processOf(span.thread), () => []).push(span);
  const times = new Map([...byProcess].map(([owner, spans]) => [owner, joined(spans)]));
  return (call) => spanAt(times.get(processOf(thread.at(call))) ?? [], start.at(call)) !== null;
}

class MissingLaunches {
  /** Names of the calls that launch a graph, and of those that launch a kernel and have none, by row. */
  readonly #launching = new Map<number, string>();
  readonly all: readonly MissingWork[];
  /** How many calls launch a kernel and have none, without those that one of unknown launch may be of. */
  kernels = 0;

  constructor(
    private readonly trace: Trace,
    private readonly launches: LaunchJoin,
  ) {
    const isCaptured = capturedCalls(trace);
    const nameOf = byCallName(trace, (name) => (isGraphLaunch(name) || isKernelLaunch(name) ? name : null));
    const hasWork = new Uint8Array(trace.hostCalls.length);
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

  /** Calls `each` for all work but waits, with the row of its launch; -1 where that is not known. */
  #eachWork(each: (row: number, call: number) => void): void {
    const { kind } = this.trace.activities;
    const { callOf } = this.launches;
    for (let row = 0; row < callOf.length; row++) {
      if (kind.at(row) !== KIND_CODE.sync) each(row, elementAt(callOf, row));
    }
  }

  /** Graph launches without work of their own, and those that ran less than half of their graph's nodes. */
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
    return new Map(found.filter((one): one is [number, 'none' | 'part'] => one[1] !== null));
  }

  /** By thread: the streams on which its graphs ran. */
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
    // From the last call of each thread to its first: the work after each.
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

  /** How many of these launches the kernels of unknown launch may be of: one each, which starts after it. */
  #mayHaveKernel(lacking: readonly number[]): number {
    const { hostCalls, activities } = this.trace;
    const launched = valuesByProcess(lacking, hostCalls.process, hostCalls.start);
    // A kernel without times may have started whenever.
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

  /** Kernels without an id, those with the id of a launch that was not taken for theirs, and all where a launch has no id. */
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

  /** Calls of these threads that launched a graph or other work, by thread in order of start, outer ones first. */
  #ofThreads(threads: ReadonlySet<number>, first: Float64Array): Uint32Array {
    const { start, end, thread } = this.trace.hostCalls;
    const rows: number[] = [];
    for (let row = 0; row < start.length; row++) {
      const isLaunch = elementAt(first, row) < Infinity || this.#launching.has(row);
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

  /** The calls within no other: what is launched by a call within one, as that of the driver, it launched. */
  #outermost(rows: Uint32Array, incomplete: Incomplete, first: Float64Array, device: Uint32Array): number[] {
    return outermost(rows, spanRows(this.trace.hostCalls), (row, around) => {
      const api = this.#launching.get(row);
      if (api !== undefined && !this.#launching.has(around)) this.#launching.set(around, api);
      if (incomplete.get(row) === 'part') incomplete.set(around, 'part');
      if (elementAt(first, row) >= elementAt(first, around)) return;
      first[around] = elementAt(first, row);
      device[around] = elementAt(device, row);
    });
  }
}

/**
 * Whether any work of unknown launch starts within a time: it may be that of a graph launch that seems to have none.
 * @param starts of such work
 */
function holdsAny(starts: readonly number[]): (from: number, to: number) => boolean {
  const sorted = Float64Array.from(starts).sort();
  const valueAt = (index: number): number => elementAt(sorted, index);
  return (from, to) => {
    const at = countBelow(sorted.length, valueAt, from);
    return at < sorted.length && valueAt(at) < to;
  };
}

/** Values of rows by process, in ascending order. */
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
