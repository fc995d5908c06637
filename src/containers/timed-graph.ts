/**
 * A directed graph of moments in time: an edge says that its target is not earlier than its source plus a lag. Given
 * when the first moments were, the graph can be replayed, with the same lags or with others; what is latest among the
 * edges into a moment determined it, and these edges make up the critical path. Nodes and edges are rows of typed arrays;
 * building, ordering and replaying are linear in their number, apart from sorting by time.
 */
import { elementAt } from './element.js';
import { NumericColumn } from './numeric-column.js';
import { allRows, countUpTo, sortRows } from './row-order.js';

/** Stands for no edge. */
const NONE = -1;

/** Lag of an edge that holds nothing back. */
const NO_HOLD = -Infinity;

const shifted = (edge: number, by: number): number => (edge === NONE ? NONE : edge + by);

/** The edge that determined when a node was. */
export interface PathEdge {
  readonly edge: number;
  readonly from: number;
  readonly to: number;
}

export class TimedGraph {
  readonly #times = NumericColumn.floats();
  readonly #sources = NumericColumn.counts();
  readonly #lags = NumericColumn.floats();
  readonly #tags = NumericColumn.counts();
  /** The last edge into each node, and for each edge the one added before it with the same target. */
  readonly #last = NumericColumn.int32();
  readonly #before = NumericColumn.int32();
  /** Number of edges left out because their source is later than their target. */
  backward = 0;

  get nodes(): number {
    return this.#times.length;
  }

  get edges(): number {
    return this.#lags.length;
  }

  /** Adds a moment that was measured. */
  addNode(time: number): number {
    this.#times.push(time);
    this.#last.push(NONE);
    return this.#times.length - 1;
  }

  timeOf(node: number): number {
    return this.#times.at(node);
  }

  /** The measured times of all nodes, without a copy; valid until the next node is added. */
  get times(): Float64Array {
    return this.#times.values;
  }

  /**
   * Adds an edge; an edge whose source was measured later than its target is only counted.
   * @param lag least time between source and target
   * @param tag what the time between them is, for the caller
   * @returns the edge's number; -1 when it was left out
   */
  addEdge(from: number, to: number, lag: number, tag: number): number {
    if (!(this.timeOf(from) <= this.timeOf(to)) || from === to) {
      this.backward++;
      return NONE;
    }
    const edge = this.#lags.length;
    this.#sources.push(from);
    this.#lags.push(lag);
    this.#tags.push(tag);
    this.#before.push(this.#last.at(to));
    this.#last.set(to, edge);
    return edge;
  }

  lagOf(edge: number): number {
    return this.#lags.at(edge);
  }

  setLag(edge: number, lag: number): void {
    this.#lags.set(edge, lag);
  }

  tagOf(edge: number): number {
    return this.#tags.at(edge);
  }

  sourceOf(edge: number): number {
    return this.#sources.at(edge);
  }

  /** The last edge added into a node; -1 for none. */
  lastInto(node: number): number {
    return this.#last.at(node);
  }

  /** The edge into the same node that was added before; -1 for none. */
  nextInto(edge: number): number {
    return this.#before.at(edge);
  }

  /**
   * Adds all nodes and edges of another graph.
   * @param timeOf converts its times to those of this graph, in the same order; a lag that was the whole time between two
   *   moments remains so
   * @returns the number of its first node, and of its first edge
   */
  append(other: TimedGraph, timeOf: (time: number) => number): { readonly node: number; readonly edge: number } {
    const [node, edge] = [this.nodes, this.edges];
    for (let from = 0; from < other.nodes; from++) {
      this.#times.push(timeOf(other.timeOf(from)));
      this.#last.push(shifted(other.#last.at(from), edge));
    }
    for (let from = 0; from < other.edges; from++) {
      this.#sources.push(other.#sources.at(from) + node);
      this.#lags.push(other.#lags.at(from));
      this.#tags.push(other.#tags.at(from));
      this.#before.push(shifted(other.#before.at(from), edge));
    }
    for (let to = 0; to < other.nodes; to++)
      for (let into = other.lastInto(to); into !== NONE; into = other.nextInto(into)) {
        const [lag, source] = [other.lagOf(into), other.sourceOf(into)];
        const time = this.timeOf(node + to) - this.timeOf(node + source);
        const isWhole = lag === other.timeOf(to) - other.timeOf(source);
        this.setLag(edge + into, isWhole ? time : Math.min(lag, time));
      }
    this.backward += other.backward;
    return { node, edge };
  }

  /** Orders the nodes. No node or edge may be added afterwards. */
  ordered(): OrderedGraph {
    return new OrderedGraph(this);
  }
}

/** A graph whose nodes are in time order, and each after all sources of its edges. */
export class OrderedGraph {
  readonly #order: Uint32Array<ArrayBuffer>;
  /** Number of edges that closed a cycle of nodes with the same time; they hold nothing back. */
  cycles = 0;

  constructor(readonly graph: TimedGraph) {
    this.#order = allRows(graph.nodes);
    sortRows(this.#order, (a, b) => graph.timeOf(a) - graph.timeOf(b));
    this.#orderEqualTimes();
  }

  /** Number of nodes up to a time. */
  countUpTo(time: number): number {
    return countUpTo(this.#order.length, (at) => this.graph.timeOf(elementAt(this.#order, at)), time);
  }

  /** The node at a position in the order; undefined beyond its ends. */
  nodeAt(position: number): number | undefined {
    return this.#order[position];
  }

  /**
   * Replays the graph: each node after `from`, up to `to`, is as early as its edges allow, and no earlier than `from`.
   * The nodes before were when they were measured.
   * @param times receives the times of the replayed nodes
   * @param lagOf lag of an edge; by default as it was added
   */
  replay(
    times: Float64Array,
    from: number,
    to: number,
    lagOf: (edge: number) => number = (edge) => this.graph.lagOf(edge),
  ): void {
    const { graph } = this;
    const measured = graph.times;
    const end = this.countUpTo(to);
    for (let at = this.countUpTo(from); at < end; at++) {
      const node = elementAt(this.#order, at);
      let time = from;
      for (let edge = graph.lastInto(node); edge !== NONE; edge = graph.nextInto(edge)) {
        const source = graph.sourceOf(edge);
        const begun = elementAt(measured, source);
        const held = (begun > from ? elementAt(times, source) : begun) + lagOf(edge);
        if (held > time) time = held;
      }
      times[node] = time;
    }
  }

  /**
   * The edges that determined when a node was, from the node back to the first source that is not after `from`, or that
   * has no edges. Among edges that hold equally long, the one added last counts.
   */
  *pathTo(target: number, times: Float64Array, from: number): Generator<PathEdge> {
    for (let node = target; elementAt(times, node) > from;) {
      const edge = this.#holding(node, times);
      if (edge === NONE) return;
      const source = this.graph.sourceOf(edge);
      yield { edge, from: source, to: node };
      node = source;
    }
  }

  #holding(node: number, times: Float64Array): number {
    const { graph } = this;
    let best = NONE;
    let latest = NO_HOLD;
    for (let edge = graph.lastInto(node); edge !== NONE; edge = graph.nextInto(edge)) {
      const held = elementAt(times, graph.sourceOf(edge)) + graph.lagOf(edge);
      if (held > latest) [best, latest] = [edge, held];
    }
    return best;
  }

  /** Puts each node after the sources of its edges where the times are equal. */
  #orderEqualTimes(): void {
    const order = this.#order;
    const state = new Uint8Array(order.length);
    for (let first = 0; first < order.length;) {
      const time = this.graph.timeOf(elementAt(order, first));
      let end = first + 1;
      while (end < order.length && this.graph.timeOf(elementAt(order, end)) === time) end++;
      if (end - first > 1) this.#orderGroup(order.slice(first, end), first, state);
      first = end;
    }
  }

  #orderGroup(group: Uint32Array, first: number, state: Uint8Array): void {
    const { graph } = this;
    let position = first;
    for (const start of group) {
      if (state[start] !== UNSEEN) continue;
      const stack = [start];
      const edges = [graph.lastInto(start)];
      state[start] = OPEN;
      while (stack.length > 0) {
        const node = elementAt(stack, stack.length - 1);
        const edge = elementAt(edges, edges.length - 1);
        if (edge === NONE) {
          state[node] = DONE;
          this.#order[position++] = node;
          stack.pop();
          edges.pop();
          continue;
        }
        edges[edges.length - 1] = graph.nextInto(edge);
        const source = graph.sourceOf(edge);
        if (graph.timeOf(source) !== graph.timeOf(node) || state[source] === DONE) continue;
        if (state[source] === OPEN) {
          this.cycles++;
          graph.setLag(edge, NO_HOLD);
          continue;
        }
        state[source] = OPEN;
        stack.push(source);
        edges.push(graph.lastInto(source));
      }
    }
  }
}

/** States of a node while nodes of one time are ordered. */
const [UNSEEN, OPEN, DONE] = [0, 1, 2];
