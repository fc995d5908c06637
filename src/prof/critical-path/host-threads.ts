/** The host's threads as chains of moments: the begin and the end of each range and call. */
import { countBelow, countUpTo, allRows, sortRows } from '../../containers/row-order.js';
import { elementAt } from '../../containers/element.js';
import { columns } from '../../containers/numeric-column.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import type { Pieces } from './bounds.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH } from '../steps/step-work.js';
import { MOSTLY } from '../steps/transfers.js';

/** Ranges and calls of a thread, in any order. Times in ns; `piece` is a number of `Pieces`. */
class Spans extends columns({ start: 'f64', end: 'f64', piece: 'u32' }) {}

/** A range or call that has begun and not yet ended. */
interface OpenSpan {
  readonly end: number;
  readonly piece: number;
}

/** Name of the time of a thread outside of all ranges and calls. */
export const OUTSIDE = 'outside of ops';

export class HostThread {
  readonly #spans = new Spans();
  #first = 0;
  #count = 0;
  #firstEdge = 0;
  #outside = 0;

  constructor(
    private readonly pieces: Pieces,
    private readonly graph: TimedGraph,
    readonly pid: number | null,
  ) {}

  /** The edge into its second moment; its other edges follow. */
  get firstEdge(): number {
    return this.#firstEdge;
  }

  add(start: number, end: number, piece: number): void {
    if (end >= start) this.#spans.pushCells(start, end, piece);
  }

  /** Number of moments. */
  get count(): number {
    return this.#count;
  }

  nodeAt(index: number): number {
    return this.#first + index;
  }

  timeAt(index: number): number {
    return this.graph.timeOf(this.#first + index);
  }

  /** Index of the first moment at or after a time; `count` when there is none. */
  indexFrom(time: number): number {
    return countBelow(this.#count, (index) => this.timeAt(index), time);
  }

  hasMoment(time: number): boolean {
    const index = this.indexFrom(time);
    return index < this.#count && this.timeAt(index) === time;
  }

  /** Index of the last moment at or before a time; -1 when there is none. */
  indexUpTo(time: number): number {
    return countUpTo(this.#count, (index) => this.timeAt(index), time) - 1;
  }

  /** The edge from the moment before into a moment; only the first one has none. */
  edgeInto(index: number): number {
    return this.#firstEdge + index - 1;
  }

  /** Whether no range or call was open right before a moment. */
  isOutsideBefore(index: number): boolean {
    return this.graph.tagOf(this.edgeInto(index)) === this.#outside;
  }

  /** Adds the moments to the graph, each linked to the one before it. Call it once per thread. */
  build(): void {
    const { start, end, piece } = this.#spans;
    this.#first = this.graph.nodes;
    this.#firstEdge = this.graph.edges;
    this.#outside = this.pieces.numberOf('host', OUTSIDE);
    const rows = allRows(start.length);
    sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a));
    const open: OpenSpan[] = [];
    for (const row of rows) {
      this.#closeUpTo(open, start.at(row));
      this.#moment(start.at(row), open.at(-1));
      const outer = open.at(-1);
      open.push({ end: Math.min(end.at(row), outer?.end ?? Infinity), piece: this.#within(outer, piece.at(row)) });
    }
    this.#closeUpTo(open, Infinity);
    for (const column of [start, end, piece]) column.clear();
  }

  #closeUpTo(open: OpenSpan[], time: number): void {
    for (let inner = open.at(-1); inner !== undefined && inner.end <= time; inner = open.at(-1)) {
      this.#moment(inner.end, inner);
      open.pop();
    }
  }

  /** Everything within the fetching of a batch is part of it. */
  #within(outer: OpenSpan | undefined, piece: number): number {
    return outer !== undefined && this.pieces.at(outer.piece).bound === 'loading' ? outer.piece : piece;
  }

  /** Adds a moment, unless the last one is at the same time. @param inner what was open before it */
  #moment(time: number, inner: OpenSpan | undefined): void {
    const { graph } = this;
    const last = this.#first + this.#count - 1;
    if (this.#count > 0 && graph.timeOf(last) >= time) return;
    const node = graph.addNode(time);
    if (this.#count > 0) graph.addEdge(last, node, time - graph.timeOf(last), inner?.piece ?? this.#outside);
    this.#count++;
  }
}

/** The threads of a profile. */
export class HostThreads {
  readonly #numbers = new Map<string, number>();
  readonly all: HostThread[] = [];

  constructor(
    private readonly pieces: Pieces,
    private readonly graph: TimedGraph,
  ) {}

  numberOf(pid: number | null, tid: number | null): number {
    const key = `${pid ?? ''}/${tid ?? ''}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      this.#numbers.set(key, (number = this.all.length));
      this.all.push(new HostThread(this.pieces, this.graph, pid));
    }
    return number;
  }

  at(number: number): HostThread {
    return elementAt(this.all, number);
  }
}

// Where a thread waits for another thread that works for it: the program's thread waits in `backward` for a thread of
// autograd. No profiler records it. It is known from the work that such a thread launches, and seen in the gaps of the
// waiting thread that it fills.

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
