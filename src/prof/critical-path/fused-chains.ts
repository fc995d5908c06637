/**
 * What if kernels that follow each other on a stream were one: each begins when the one before it ends, and only the first
 * is launched. Their times, and the CPU code of their ops, stay as they were.
 */
import { elementAt } from '../../containers/element.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import type { Pieces } from './bounds.js';
import { NO_THREAD, UNORDERED, type DeviceWork } from './device-work.js';
import type { HostThreads } from './host-threads.js';

/** The events of a profile after they were linked. */
interface LinkedEvents {
  readonly graph: TimedGraph;
  readonly work: DeviceWork;
  readonly threads: HostThreads;
  readonly pieces: Pieces;
}

/**
 * Lags of edges in fused chains: 0 from one kernel to the next and within their launch calls, none from calls to kernels.
 * @param chains names of ops or kernels in order, at least two each
 */
export function fusedLags(chains: readonly (readonly string[])[], events: LinkedEvents): Map<number, number> {
  const lags = new Map<number, number>();
  for (let stream = UNORDERED + 1; stream < events.work.streams; stream++) {
    const rows = events.work.rowsOf(stream);
    for (let at = 0; at < rows.length;) {
      const length = lengthAt(chains, rows, at, events);
      for (let next = at + 1; next < at + length; next++)
        fuse(elementAt(rows, next - 1), elementAt(rows, next), events, lags);
      at += Math.max(1, length);
    }
  }
  return lags;
}

/** Number of kernels of the longest chain that begins at a position of a stream; 0 when none does. */
function lengthAt(
  chains: readonly (readonly string[])[],
  rows: Uint32Array,
  at: number,
  { work, pieces }: LinkedEvents,
): number {
  const isAt = (name: string, index: number): boolean => {
    const row = rows[at + index];
    return row !== undefined && pieces.at(work.piece.at(row)).name === name;
  };
  return chains.reduce((most, chain) => (chain.length > most && chain.every(isAt) ? chain.length : most), 0);
}

function fuse(before: number, row: number, { graph, work, threads }: LinkedEvents, lags: Map<number, number>): void {
  const end = work.endNode(before);
  for (let edge = graph.lastInto(work.startNode(row)); edge >= 0; edge = graph.nextInto(edge)) {
    const isDevice = graph.sourceOf(edge) >= work.startNode(0);
    if (graph.sourceOf(edge) === end) lags.set(edge, 0);
    else if (!isDevice) lags.set(edge, -Infinity);
  }
  if (work.caller.at(row) === NO_THREAD) return;
  const thread = threads.at(work.caller.at(row) - 1);
  const returned = thread.indexUpTo(work.returned.at(row));
  for (let index = thread.indexUpTo(work.called.at(row)) + 1; index <= returned; index++)
    if (index > 0) lags.set(thread.edgeInto(index), 0);
}
