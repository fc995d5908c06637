/**
 * Where a thread waits for another thread that works for it: the program's thread waits in `backward` for a thread of
 * autograd. No profiler records it. It is known from the work that such a thread launches, and seen in the gaps of the
 * waiting thread that it fills.
 */
import type { TimedGraph } from '../../containers/timed-graph.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH } from '../steps/step-work.js';
import { MOSTLY } from '../steps/transfers.js';
import type { Pieces } from './bounds.js';
import type { HostThread } from './host-threads.js';

/** Adds the edges of one pair of threads. */
export function addHandOvers(graph: TimedGraph, waiting: HostThread, working: HostThread, pieces: Pieces): void {
  const piece = pieces.numberOf('host', 'hand-over between threads');
  for (let index = 1; index < waiting.count; index++) {
    const [begin, end] = [waiting.timeAt(index - 1), waiting.timeAt(index)];
    const [first, last] = [working.indexFrom(begin), working.indexUpTo(end)];
    if (end - begin <= LONGEST_SWITCH || first >= last) continue;
    const [begun, ended] = [working.timeAt(first), working.timeAt(last)];
    const fills = ended - begun >= MOSTLY * (end - begin);
    // A thread that was idle began because of the one that waits.
    if ((first === 0 || working.isOutsideBefore(first)) && (fills || begun - begin <= LONGEST_LAUNCH)) {
      if (first > 0) graph.setLag(working.edgeInto(first), 0);
      graph.addEdge(waiting.nodeAt(index - 1), working.nodeAt(first), begun - begin, piece);
    }
    if (!fills) continue;
    graph.setLag(waiting.edgeInto(index), 0);
    graph.addEdge(working.nodeAt(last), waiting.nodeAt(index), end - ended, piece);
  }
}
