/**
 * Finds kernels, copies and memsets whose recorded end is impossible. A stream finishes its work in order. The end of
 * work is damaged under two conditions: it is after the end of the next work of its stream, and the work takes far
 * longer than all other work of the same kind (TraceLens#669: 1.6 s longer). Such work is assumed to last until the
 * next work begins. There are three exceptions. A kernel of a programmatic launch may begin before the previous kernel
 * ends. Work of one launch, such as a graph, may run in parallel. A communication kernel lasts until other ranks
 * arrive.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { isGraphLaunch } from '../graphs/graph-launches.js';
import { byCallName } from '../calls.js';
import { kernelNameOf, type Trace } from '../trace.js';
import { KIND_CODE, knownId } from '../trace-columns.js';
import type { LaunchJoin } from '../launches.js';

/** Unit: ns. Work may end this much after the next work of its stream, because clocks of one device may differ. */
const TOLERANCE = 10_000;
/** Unit: ns. Without programmatic launches, no work begins this long before the previous work has ended. */
const LONGEST_OVERLAP = 1_000_000;
/** Architectures with programmatic launches, Hopper and later: a kernel may begin as soon as the previous one has begun. */
const PROGRAMMATIC = /^sm(?:9|1\d)\d$/;
/** Largest fraction of a stream's work whose end may be damaged. With more, the work is not that of a single stream. */
const MOST_CUT = 0.05;
/**
 * Work with a damaged end takes at least this many times as long as all other work of the same kind. The square of this
 * is the factor for a comparison with all work.
 */
const FAR_LONGER = 10;

/** State of a stream: its last work, how much work it has, and which work overruns, with the time at which to cut it. */
interface Stream {
  last: number;
  count: number;
  /**
   * Whether the ids of launches rise. They do in one process, but not for several processes that share a stream number.
   */
  isRising: boolean;
  readonly overruns: [row: number, end: number][];
}

/**
 * Cuts overrunning work where the next work of its stream begins.
 * @returns the rows that were cut
 */
export function cutOverruns(trace: Trace, streams: readonly Stream[]): ReadonlySet<number> {
  const { end } = trace.activities;
  const believed = streams.filter(
    ({ overruns, count, isRising }) => isRising && overruns.length <= Math.max(1, MOST_CUT * count),
  );
  const overruns = believed.flatMap((stream) => stream.overruns);
  if (overruns.length === 0) return new Set();
  const isLong = farLonger(trace, new Set(streams.flatMap((stream) => stream.overruns.map(([row]) => row))));
  const isAlone = launchedAlone(trace, overruns);
  const odd = overruns.filter(([row]) => isLong(row) && isAlone(row) && !communicates(trace, row));
  for (const [row, at] of odd) end.set(row, at);
  trace.diagnostics.count('end-not-believed', odd.length);
  return new Set(odd.map(([row]) => row));
}

/**
 * The streams of each device, context and process, with the work that overruns.
 * @param order rows in order of start time
 */
export function streamsOf(trace: Trace, { callOf }: LaunchJoin, order: Uint32Array): Stream[] {
  const { activities, hostCalls, threads } = trace;
  const launchesGraph = byCallName(trace, isGraphLaunch);
  const overlaps = programmaticDevices(trace);
  const { kind, start, end, stream, process: owner, corr, node, kernels, ownRow } = activities;
  const streams = new Map<string, Stream>();
  for (const row of order) {
    if (!IN_ORDER.has(kind.at(row)) || !(end.at(row) > start.at(row)) || Number.isNaN(stream.at(row))) continue;
    const call = elementAt(callOf, row);
    const isOfGraph =
      !Number.isNaN(node.at(row)) ||
      (kind.at(row) === KIND_CODE.kernel && !Number.isNaN(kernels.graphId.at(ownRow.at(row)))) ||
      (call !== -1 && launchesGraph(call));
    if (isOfGraph) continue;
    const launcher = call === -1 ? '' : threads.processOf(hostCalls.thread.at(call));
    const key = `${activities.streamOf(row)} ${owner.at(row)} ${launcher}`;
    const entry = entryOf(streams, key, (): Stream => ({ last: row, count: 0, isRising: true, overruns: [] }));
    entry.count++;
    if (knownId(corr.at(row)) < knownId(corr.at(entry.last))) entry.isRising = false;
    const [lastEnd, from] = [end.at(entry.last), start.at(row)];
    const isOver =
      lastEnd > end.at(row) + TOLERANCE ||
      (lastEnd > from + LONGEST_OVERLAP && !overlaps.has(activities.device.at(row)));
    if (isOver && from > start.at(entry.last)) entry.overruns.push([entry.last, from]);
    entry.last = row;
  }
  return [...streams.values()];
}

/** Kinds of work that a stream runs in order. */
export const IN_ORDER: ReadonlySet<number> = new Set([KIND_CODE.kernel, KIND_CODE.copy, KIND_CODE.set]);

/** Devices whose kernels may begin while the previous kernel is running. */
const programmaticDevices = ({ header }: Trace): ReadonlySet<number> =>
  new Set(header.devices.flatMap(({ id, arch }) => (PROGRAMMATIC.test(arch ?? '') ? [id] : [])));

/**
 * Whether work takes far longer than all other work of the same kind.
 * @param leftOut rows to leave out of the comparison, because their ends may be damaged
 * @param unlike result for work that is the only one of its kind; null to compare it with all work
 */
export function farLonger(
  trace: Trace,
  leftOut: ReadonlySet<number>,
  unlike: boolean | null = null,
): (row: number) => boolean {
  const { start, end } = trace.activities;
  let longest: ReadonlyMap<string, number> | null = null;
  let ofAll = Infinity;
  return (row) => {
    if (longest === null) {
      longest = longestOf(trace, leftOut);
      if (longest.size > 0) ofAll = [...longest.values()].reduce((a, b) => Math.max(a, b));
    }
    const dur = end.at(row) - start.at(row);
    const ofTask = longest.get(taskOf(trace, row));
    if (ofTask !== undefined) return dur > FAR_LONGER * ofTask;
    if (unlike !== null) return unlike;
    // Work that is the only one of its kind is compared with all work by a larger factor, because it may really be the
    // longest.
    return dur > FAR_LONGER ** 2 * ofAll;
  };
}

/** Whether work communicates with other devices. */
export const communicates = (trace: Trace, row: number): boolean => {
  const { kind, kernels, ownRow } = trace.activities;
  if (kind.at(row) !== KIND_CODE.kernel) return false;
  const name = kernelNameOf(trace, kernels.name.at(ownRow.at(row))) ?? '';
  return COMMUNICATES.test(name) || (trace.collectiveOf?.(row) ?? null) !== null;
};

/**
 * Whether no other work of the device has the id of its launch. Work of one launch does not run in stream order, and
 * neither does work of several processes with the same ids.
 */
function launchedAlone(
  { activities }: Trace,
  overruns: readonly (readonly [row: number, end: number])[],
): (row: number) => boolean {
  const { kind, corr, device, process: owner } = activities;
  const idOf = (row: number): string => `${owner.at(row)} ${device.at(row)} ${corr.at(row)}`;
  const hasId = (row: number): boolean => !Number.isNaN(knownId(corr.at(row)));
  const ids = new Set(overruns.flatMap(([row]) => (hasId(row) ? [corr.at(row)] : [])));
  const counts = new Map<string, number>();
  for (let row = 0; row < corr.length; row++) {
    if (ids.has(corr.at(row)) && IN_ORDER.has(kind.at(row))) counts.set(idOf(row), (counts.get(idOf(row)) ?? 0) + 1);
  }
  return (row) => !hasId(row) || counts.get(idOf(row)) === 1;
}

/** Key for what work does: the name of a kernel, the direction and size of a copy, or the size of a memset. */
function taskOf({ activities }: Trace, row: number): string {
  const { kind, kernels, copies, sets, ownRow } = activities;
  const kindRow = ownRow.at(row);
  if (kind.at(row) === KIND_CODE.kernel) return `kernel ${kernels.name.at(kindRow)}`;
  if (kind.at(row) === KIND_CODE.set) return `set ${sets.bytes.at(kindRow)}`;
  return `copy ${copies.kindCode.at(kindRow)} ${copies.bytes.at(kindRow)} ${copies.hostMemoryCode.at(kindRow)}`;
}

/** The longest duration of each task, in ns. */
function longestOf(trace: Trace, leftOut: ReadonlySet<number>): ReadonlyMap<string, number> {
  const { kind, start, end } = trace.activities;
  const longest = new Map<string, number>();
  for (let row = 0; row < kind.length; row++) {
    const dur = end.at(row) - start.at(row);
    if (!IN_ORDER.has(kind.at(row)) || !(dur > 0) || leftOut.has(row)) continue;
    const task = taskOf(trace, row);
    longest.set(task, Math.max(dur, longest.get(task) ?? 0));
  }
  return longest;
}

const COMMUNICATES = /nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|send_?recv/i;
