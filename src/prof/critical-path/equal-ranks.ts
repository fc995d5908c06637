/**
 * What if all ranks were equally fast: work of one kind, and code of one name on the CPU, takes as long on each rank as it
 * does on the median rank.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import { median } from '../../record/statistics.js';
import type { Bound, Pieces } from './bounds.js';
import { OUTSIDE } from './host-threads.js';
import type { Member } from './profile-events.js';
import { NO_KIND } from './what-if.js';

/** Time in ns, and the number of stretches that it adds up. */
interface Sum {
  time: number;
  count: number;
}

/** Sums of something by kind, and within a kind by rank. */
class SumsByRank {
  readonly #sums = new Map<number, Map<string, Sum>>();

  add(kind: number, rank: string, time: number, count: number): void {
    const sum = entryOf(
      entryOf(this.#sums, kind, () => new Map<string, Sum>()),
      rank,
      () => ({ time: 0, count: 0 }),
    );
    sum.time += time;
    sum.count += count;
  }

  /** Factor from the time of a rank to that of the median rank; 1 for a single rank. */
  factors(): (kind: number, rank: string) => number {
    const factors = new Map<number, Map<string, number>>();
    for (const [kind, ranks] of this.#sums) {
      const means = new Map([...ranks].map(([rank, { time, count }]) => [rank, time / count]));
      const middle = median([...means.values()], 'lower') ?? NaN;
      factors.set(kind, new Map([...means].map(([rank, mean]) => [rank, mean > 0 ? middle / mean : 1])));
    }
    return (kind, rank) => factors.get(kind)?.get(rank) ?? 1;
  }
}

/** Multiplies the factors of all work. Devices of one profile are ranks too. */
export function equalizeWork(graph: TimedGraph, members: readonly Member[]): void {
  const sums = new SumsByRank();
  const eachRow = (visit: (member: Member, row: number, kind: number, rank: string) => void): void => {
    for (const member of members) {
      const { factors, kinds, devices } = member.events.changes ?? { factors: [], kinds: null, devices: null };
      for (let row = 0; row < factors.length; row++) {
        const kind = kinds?.at(row) ?? NO_KIND;
        if (kind !== NO_KIND) visit(member, row, kind, `${member.profile}/${devices?.at(row) ?? ''}`);
      }
    }
  };
  eachRow((member, row, kind, rank) => {
    const start = member.node + member.events.firstWork + 2 * row;
    sums.add(kind, rank, graph.timeOf(start + 1) - graph.timeOf(start), 1);
  });
  const factorOf = sums.factors();
  eachRow(({ events: { changes } }, row, kind, rank) => {
    if (changes !== null) changes.factors[row] = elementAt(changes.factors, row) * factorOf(kind, rank);
  });
}

/** Time on the CPU that is compared. */
const COMPARED: ReadonlySet<Bound> = new Set(['host', 'loading'] as const);

/**
 * Factor that multiplies the time of an edge of a member, if it is code on the CPU. Times of pieces are compared per step.
 * Processes of one profile are ranks if it says so.
 * @param members whose edges follow each other in the graph
 */
export function equalHostFactors(
  graph: TimedGraph,
  members: readonly Member[],
  pieces: Pieces,
): (member: number, edge: number) => number {
  const isCompared = pieces.all.map(({ bound, name }) => COMPARED.has(bound) && name !== OUTSIDE);
  const sums = new SumsByRank();
  for (const [at, { edge: first, events }] of members.entries()) {
    const times = new Map<string, Map<number, number>>();
    for (let edge = first; edge < (members[at + 1]?.edge ?? graph.edges); edge++) {
      const piece = graph.tagOf(edge);
      if (isCompared[piece] !== true) continue;
      const rank = rankOf(members, at, edge);
      if (rank === null) continue;
      const ofRank = entryOf(times, rank, () => new Map<number, number>());
      ofRank.set(piece, (ofRank.get(piece) ?? 0) + graph.lagOf(edge));
    }
    for (const [rank, ofRank] of times)
      for (const [piece, time] of ofRank) sums.add(piece, rank, time, Math.max(1, events.steps.length));
  }
  const factorOf = sums.factors();
  return (member, edge) => {
    const piece = graph.tagOf(edge);
    const rank = isCompared[piece] === true ? rankOf(members, member, edge) : null;
    return rank === null ? 1 : factorOf(piece, rank);
  };
}

/**
 * The rank of an edge between moments of a thread: its profile, and its process where processes are ranks; null for an edge
 * between threads of such a process.
 */
function rankOf(members: readonly Member[], at: number, edge: number): string | null {
  const { edge: first, events } = elementAt(members, at);
  const { processes } = events;
  if (processes.length > 0 && edge - first >= events.firstWorkEdge) return null;
  const thread = countUpTo(processes.length, (index) => elementAt(processes, index).edge, edge - first) - 1;
  return `${at}/${processes[thread]?.pid ?? ''}`;
}
