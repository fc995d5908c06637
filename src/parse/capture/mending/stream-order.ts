/**
 * Kernels whose recorded end cannot be: a stream finishes its work in order, so that a kernel which ends after the next one
 * of its stream has ended has a damaged end (TraceLens#669: 1.6 s over its neighbours). That one is taken to last until the
 * next begins. Kernels of programmatic launches overlap by their beginnings, and those of graphs run beside each other.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { KIND_CODE, type Activities } from '../capture-columns.js';

/** ns by which clocks of one device may differ: a kernel may end so much after the next one has. */
const TOLERANCE = 10_000;
/** ns. No kernel begins so long before the one before it has ended. */
const LONGEST_OVERLAP = 1_000_000;
/** Largest share of a stream's kernels whose end may be damaged: where it is more, what it has is not one stream's. */
const MOST_CUT = 0.05;

/** A stream so far: its last kernel, how many it has, and those that overrun with where they are cut. */
interface Stream {
  last: number;
  kernels: number;
  readonly overruns: [row: number, end: number][];
}

/** Ends kernels where the next of their stream begins. @param order rows in order of start @returns the rows of these */
export function cutOverruns(activities: Activities, order: Uint32Array, diagnostics: Diagnostics): ReadonlySet<number> {
  const { end } = activities;
  const cut = new Set<number>();
  for (const { kernels, overruns } of streamsOf(activities, order)) {
    if (overruns.length > Math.max(1, MOST_CUT * kernels)) continue;
    for (const [row, at] of overruns) {
      end.set(row, at);
      cut.add(row);
    }
  }
  diagnostics.count('end-not-believed', cut.size);
  return cut;
}

/** The streams of each device and process, with the overruns of each. */
function streamsOf(activities: Activities, order: Uint32Array): Iterable<Stream> {
  const { kind, start, end, device, stream, process: owner, node } = activities;
  const streams = new Map<string, Stream>();
  for (const row of order) {
    const isInOrder = kind.at(row) === KIND_CODE.kernel && Number.isNaN(node.at(row)) && end.at(row) > start.at(row);
    if (!isInOrder || Number.isNaN(stream.at(row))) continue;
    const key = `${device.at(row)} ${stream.at(row)} ${owner.at(row)}`;
    const of = entryOf(streams, key, (): Stream => ({ last: row, kernels: 0, overruns: [] }));
    of.kernels++;
    const [lastEnd, from] = [end.at(of.last), start.at(row)];
    const isOver = lastEnd > end.at(row) + TOLERANCE || lastEnd > from + LONGEST_OVERLAP;
    if (isOver && from > start.at(of.last)) of.overruns.push([of.last, from]);
    of.last = row;
  }
  return streams.values();
}
