/**
 * What each piece of work on a device waited for: the call that launched it, the work before it on its stream, an event,
 * or earlier nodes of its graph. The latest of them held it, and the time until it started is then the lag of that edge.
 * The others hold it only as long as they usually would.
 *
 * A call holds work only when the queue of its stream was empty: it usually takes as long as the median over all work
 * whose stream had nothing to do when it was called.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { allRows, sortRows } from '../../containers/row-order.js';
import { median } from '../../record/statistics.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import { LONGEST_LAUNCH } from '../steps/step-work.js';
import type { Missing, Pieces } from './bounds.js';
import { NO_THREAD, UNORDERED, type DeviceWork } from './device-work.js';
import type { HostThreads } from './host-threads.js';

/** Something that a piece of work may have waited for. Times in ns. */
interface Candidate {
  readonly node: number;
  /** When it allowed the work to start, as far as is known. */
  readonly arrival: number;
  /** Whether the work started soon enough afterwards. */
  readonly explains: boolean;
  /** Whether it also explains the start if what came later does not. */
  readonly mayExplain?: boolean;
  /** Usual time until the work starts. */
  readonly usual: number;
  readonly piece: number;
}

/** Usual times in ns. */
interface UsualTimes {
  readonly launch: number;
  readonly switch: number;
}

/** Number of nodes of a graph, before a node of it, that it may wait for. */
const NODES_BEFORE = 32;

export class WorkEdges {
  /** Why the start of some work has no known cause, by its row. */
  readonly missing = new Map<number, Missing>();
  readonly #usual: UsualTimes;
  readonly #launchPiece: number;
  readonly #switchPiece: number;
  readonly #eventPiece: number;
  readonly #presumedPiece: number;
  /** The latest nodes of each graph launch. */
  readonly #graphs = new Map<string, number[]>();

  /**
   * @param awaited work that other work waits for by an event, by the row of that other work
   * @param mayPresume whether streams wait for events that the profile does not identify
   */
  constructor(
    private readonly graph: TimedGraph,
    private readonly work: DeviceWork,
    private readonly threads: HostThreads,
    private readonly pieces: Pieces,
    private readonly awaited: ReadonlyMap<number, readonly number[]>,
    private readonly mayPresume: boolean,
  ) {
    this.#usual = usualTimes(work, awaited);
    this.#launchPiece = pieces.numberOf('launch', 'from the call to its work');
    this.#switchPiece = pieces.numberOf('switch', 'next work of the stream');
    this.#eventPiece = pieces.numberOf('switch', 'event of another stream');
    this.#presumedPiece = pieces.numberOf('switch', 'presumed event of another stream');
  }

  build(): void {
    const { work } = this;
    const { start, end, stream } = work;
    const rows = allRows(work.length);
    sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b));
    /** The work of each stream that ended last. */
    const latest = new Int32Array(work.streams).fill(-1);
    for (const row of rows) {
      const queue = stream.at(row);
      const before = queue === UNORDERED ? -1 : elementAt(latest, queue);
      this.#hold(row, before === -1 ? null : before);
      if (before === -1 || end.at(row) >= end.at(before)) latest[queue] = row;
    }
  }

  #candidates(row: number, before: number | null): Candidate[] {
    const events = this.awaited.get(row) ?? [];
    const nodes = this.#graphNode(row);
    return [
      ...this.#launch(row, nodes.length === 0),
      ...(before === null ? [] : [this.#next(before, row)]),
      ...events.map((source) => this.#after(source, row, this.#eventPiece)),
      ...nodes,
    ];
  }

  /** @param isFirst whether it is the first work of the call: other nodes of a graph wait for nodes */
  #launch(row: number, isFirst: boolean): Candidate[] {
    const { called, returned, start, caller, isAwaited } = this.work;
    const [from, until, begin] = [called.at(row), returned.at(row), start.at(row)];
    if (Number.isNaN(from) || caller.at(row) === NO_THREAD || from > begin) return [];
    const thread = this.threads.at(caller.at(row) - 1);
    const usual = from + this.#usual.launch;
    // A call that had not returned may have handed the work over at any time, unless it waits for the work.
    const isRunning = until > begin;
    return [
      {
        node: thread.nodeAt(thread.indexUpTo(from)),
        arrival: Math.min(isRunning || !isFirst ? usual : Math.max(usual, until), begin),
        mayExplain: isRunning && isAwaited.at(row) === 0,
        explains: begin - until <= LONGEST_LAUNCH,
        usual: this.#usual.launch,
        piece: this.#launchPiece,
      },
    ];
  }

  /** The next work of a stream; if the stream waited in between, it was held by what that wait was for. */
  #next(before: number, row: number): Candidate {
    const candidate = this.#after(before, row, this.#switchPiece);
    return this.#waited(row, before) ? { ...candidate, explains: false } : candidate;
  }

  /** Whether the device recorded a wait between some work and the work before it on its stream. */
  #waited(row: number, before: number): boolean {
    const { work } = this;
    return work.waited(work.stream.at(row), work.end.at(before), work.start.at(row));
  }

  /** Work that waits for the end of other work; work that starts before that end waits for its start. */
  #after(source: number, row: number, piece: number): Candidate {
    const { work } = this;
    const [begin, ended] = [work.start.at(row), work.end.at(source)];
    const isOverlapping = ended > begin;
    const time = isOverlapping ? work.start.at(source) : ended;
    return {
      node: isOverlapping ? work.startNode(source) : work.endNode(source),
      // Work that had ended when the other was called did not delay it.
      arrival: isOverlapping || ended <= work.called.at(row) ? time : Math.min(time + this.#usual.switch, begin),
      explains: begin - time <= work.longestSwitch(row),
      usual: isOverlapping ? 0 : this.#usual.switch,
      piece: isOverlapping ? work.piece.at(source) : piece,
    };
  }

  /**
   * Work of another stream of the device that ended right before, and was launched earlier: it is presumed that the
   * stream waited for it by an event that the profile does not identify. Communication libraries wait by events even if
   * no call that does so is recorded.
   */
  #presumed(row: number): Candidate | null {
    const { work } = this;
    const begin = work.start.at(row);
    for (const source of work.endedWithin(begin - work.longestSwitch(row), begin))
      if (
        work.device.at(source) === work.device.at(row) &&
        work.stream.at(source) !== work.stream.at(row) &&
        work.issuedAt(source) <= work.issuedAt(row) &&
        (this.mayPresume || work.recordsWaits(row) || this.#communicates(source) || this.#communicates(row)) &&
        work.isLastEnded(source, begin)
      )
        return this.#after(source, row, this.#presumedPiece);
    return null;
  }

  #communicates(row: number): boolean {
    return this.pieces.at(this.work.piece.at(row)).bound === 'communication';
  }

  /** The node of the same graph launch that ended last before. Graphs are not recorded: their branches join in time. */
  #graphNode(row: number): Candidate[] {
    const { work } = this;
    if (work.isGraphNode.at(row) !== 1) return [];
    const nodes = entryOf(this.#graphs, `${work.caller.at(row)} ${work.called.at(row)}`, (): number[] => []);
    const begin = work.start.at(row);
    let latest: number | null = null;
    for (const node of nodes) {
      const ended = work.end.at(node);
      if (ended <= begin && (latest === null || ended > work.end.at(latest))) latest = node;
    }
    nodes.push(row);
    if (nodes.length > NODES_BEFORE) nodes.shift();
    return latest === null ? [] : [this.#after(latest, row, this.#switchPiece)];
  }

  /**
   * Whether other work may have delayed some work, although the profile does not say so: nothing recorded delayed it, or
   * only the launch of its whole program.
   */
  #mayFollow(row: number, recorded: Candidate | null): boolean {
    return recorded === null || (recorded.piece === this.#launchPiece && this.work.recordsWaits(row));
  }

  #hold(row: number, before: number | null): void {
    const { graph, work } = this;
    const candidates = this.#candidates(row, before);
    const [node, begin] = [work.startNode(row), work.start.at(row)];
    const recorded = causeOf(candidates);
    const cause = this.#mayFollow(row, recorded) ? (this.#presumed(row) ?? recorded) : recorded;
    const add = ({ node: source, usual, piece }: Candidate, isCause: boolean): void => {
      const time = begin - graph.timeOf(source);
      graph.addEdge(source, node, isCause ? time : Math.min(usual, time), piece);
    };
    for (const candidate of candidates) if (candidate !== cause) add(candidate, false);
    // Added last, it is the one on the path among edges that hold equally long.
    if (cause !== null) add(cause, true);
    if (cause === null) this.missing.set(row, Number.isNaN(work.called.at(row)) ? 'launch' : 'wait');
  }
}

/** What held some work longest, of what can explain its start; null when the latest cannot. */
function causeOf(candidates: readonly Candidate[]): Candidate | null {
  let latest: Candidate | null = null;
  for (const candidate of candidates)
    if (
      latest === null ||
      candidate.arrival > latest.arrival ||
      (candidate.arrival === latest.arrival && candidate.explains)
    )
      latest = candidate;
  if (latest?.explains === true) return latest;
  return candidates.find(({ mayExplain }) => mayExplain === true) ?? null;
}

/** Work is sampled, for the medians. */
const MOST_SAMPLES = 100_000;

/** Work that waits for an event says nothing about them. */
function usualTimes(work: DeviceWork, awaited: ReadonlyMap<number, unknown>): UsualTimes {
  const [launches, switches]: [number[], number[]] = [[], []];
  for (let stream = 1; stream < work.streams; stream++) {
    const rows = work.rowsOf(stream);
    for (let at = 0; at < rows.length && launches.length + switches.length < MOST_SAMPLES; at++) {
      const row = elementAt(rows, at);
      const ended = at === 0 ? -Infinity : work.end.at(elementAt(rows, at - 1));
      const [called, begin] = [work.called.at(row), work.start.at(row)];
      if (awaited.has(row)) continue;
      if (ended <= called) {
        if (begin - work.returned.at(row) <= LONGEST_LAUNCH && begin >= called) launches.push(begin - called);
      } else if (begin >= ended && begin - ended <= work.longestSwitch(row) && !work.waited(stream, ended, begin))
        switches.push(begin - ended);
    }
  }
  return { launch: median(launches, 'lower') ?? 0, switch: median(switches, 'lower') ?? 0 };
}
