/**
 * Kernels whose recorded end cannot be: a stream finishes its work in order, so that a kernel which ends after the next one
 * of its stream has ended, and takes far longer than all others of its name, has a damaged end (TraceLens#669: 1.6 s over
 * its neighbours). That one is taken to last until the next begins. Kernels of programmatic launches overlap by their
 * beginnings, those of graphs run side by side, and one that communicates lasts until others arrive.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { isGraphLaunch } from '../graphs/graph-launches.js';
import { byCallName } from '../calls/call-names.js';
import { kernelNameOf, type Capture } from '../capture.js';
import { KIND_CODE } from '../capture-columns.js';
import type { LaunchJoin } from '../launches.js';

/** ns by which clocks of one device may differ: a kernel may end so much after the next one has. */
const TOLERANCE = 10_000;
/** ns. No kernel begins so long before the one before it has ended. */
const LONGEST_OVERLAP = 1_000_000;
/** Largest share of a stream's kernels whose end may be damaged: where it is more, what it has is not one stream's. */
const MOST_CUT = 0.05;
/** How much longer than the longest other kernel of its name one with a damaged end takes at least. */
const FAR_LONGER = 10;

/** A stream so far: its last kernel, how many it has, and those that overrun with where they are cut. */
interface Stream {
  last: number;
  kernels: number;
  readonly overruns: [row: number, end: number][];
}

/** Ends kernels where the next of their stream begins. @param order rows in order of start @returns the rows of these */
export function cutOverruns(capture: Capture, launches: LaunchJoin, order: Uint32Array): ReadonlySet<number> {
  const { end } = capture.activities;
  const isOdd = oddOnes(capture);
  const cut = new Set<number>();
  for (const { kernels, overruns } of streamsOf(capture, launches, order)) {
    if (overruns.length > Math.max(1, MOST_CUT * kernels)) continue;
    for (const [row, at] of overruns) {
      if (!isOdd(row)) continue;
      end.set(row, at);
      cut.add(row);
    }
  }
  capture.diagnostics.count('end-not-believed', cut.size);
  return cut;
}

/** The streams of each device, context and process, with the overruns of each. */
function streamsOf(capture: Capture, { callOf }: LaunchJoin, order: Uint32Array): Iterable<Stream> {
  const { activities, hostCalls, threads } = capture;
  const launchesGraph = byCallName(capture, isGraphLaunch);
  const { kind, start, end, stream, process: owner, node, kernels, ownRow } = activities;
  const streams = new Map<string, Stream>();
  for (const row of order) {
    if (kind.at(row) !== KIND_CODE.kernel || !(end.at(row) > start.at(row)) || Number.isNaN(stream.at(row))) continue;
    const call = elementAt(callOf, row);
    const isOfGraph =
      !Number.isNaN(node.at(row)) ||
      !Number.isNaN(kernels.graphId.at(ownRow.at(row))) ||
      (call !== -1 && launchesGraph(call));
    if (isOfGraph) continue;
    const launcher = call === -1 ? '' : threads.processOf(hostCalls.thread.at(call));
    const key = `${activities.streamOf(row)} ${owner.at(row)} ${launcher}`;
    const of = entryOf(streams, key, (): Stream => ({ last: row, kernels: 0, overruns: [] }));
    of.kernels++;
    const [lastEnd, from] = [end.at(of.last), start.at(row)];
    const isOver = lastEnd > end.at(row) + TOLERANCE || lastEnd > from + LONGEST_OVERLAP;
    if (isOver && from > start.at(of.last)) of.overruns.push([of.last, from]);
    of.last = row;
  }
  return streams.values();
}

/** Whether a kernel takes far longer than all others of its name, and does not communicate. */
function oddOnes(capture: Capture): (row: number) => boolean {
  const { kind, start, end, kernels, ownRow } = capture.activities;
  /** By number of the name: the two longest durations. */
  let longest: Map<number, [first: number, second: number]> | null = null;
  const durations = (): Map<number, [first: number, second: number]> => {
    const found = new Map<number, [first: number, second: number]>();
    for (let row = 0; row < kind.length; row++) {
      if (kind.at(row) !== KIND_CODE.kernel) continue;
      const dur = end.at(row) - start.at(row);
      const of = entryOf(found, kernels.name.at(ownRow.at(row)), (): [number, number] => [0, 0]);
      if (dur > of[0]) [of[0], of[1]] = [dur, of[0]];
      else if (dur > of[1]) of[1] = dur;
    }
    return found;
  };
  return (row) => {
    const name = kernels.name.at(ownRow.at(row));
    if (COMMUNICATES.test(kernelNameOf(capture, name) ?? '') || (capture.collectiveOf?.(row) ?? null) !== null)
      return false;
    longest ??= durations();
    const [first, second] = longest.get(name) ?? [0, 0];
    const dur = end.at(row) - start.at(row);
    const other = dur === first ? second : first;
    return other > 0 && dur > FAR_LONGER * other;
  };
}

const COMMUNICATES = /nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|send_?recv/i;
