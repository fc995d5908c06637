/**
 * Groups captured graphs by their sequence of nodes, and finds the group whose sequence the work of a launch has. Graphs of
 * the same sequence, such as the layers of a model captured piece by piece, are one shape.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { CapturedGraph, CapturedNode } from './captured-graph.js';

/** Number of a node that has no name to compare. */
const NAMELESS = 0;
/**
 * Numbers of nodes that are compared by kind, not by name: copies and memsets. In a replay, HIP runs special kernels for
 * them.
 */
const [COPY, SET] = [1, 2];
const FIRST = 3;

const RUNTIME_KERNELS: readonly (readonly [beginning: string, number: number])[] = [
  ['__amd_rocclr_copyBuffer', COPY],
  ['__amd_rocclr_fillBuffer', SET],
];

export class NodeNames {
  readonly #numbers = new Map<string, number>();

  /** The number of a node. Nodes with equal numbers may be the same node. */
  numberOf(kind: CapturedNode['kind'], name: string | null): number {
    if (kind === 'copy') return COPY;
    if (kind === 'set') return SET;
    if (name === null || kind === 'graph') return NAMELESS;
    const known = RUNTIME_KERNELS.find(([beginning]) => name.startsWith(beginning));
    if (known !== undefined) return known[1];
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = FIRST + this.#numbers.size));
    return number;
  }
}

/** A captured graph and its place in the order of capture. */
export interface PlacedGraph extends CapturedGraph {
  readonly ordinal: number;
}

/** Captured graphs with the same sequence of nodes, in the order of capture. */
export interface Shape {
  /** Numbers from `NodeNames`, in the order of capture. */
  readonly numbers: Uint32Array;
  /** Whether every node has a kind or name to compare. */
  readonly isNamed: boolean;
  readonly graphs: PlacedGraph[];
}

/** The shape that a launch matches, and for each position in the launch the node that ran there. */
export interface ShapeMatch {
  readonly shape: Shape;
  /** Null when the n-th piece of work is the n-th node. */
  readonly nodes: Uint32Array | null;
}

/** The work of one launch: its numbers from `NodeNames` in order, and the stream of each piece. */
export interface LaunchSequence {
  readonly numbers: Uint32Array;
  readonly streams: Float64Array;
  /**
   * Whether the work is in the order of nodes; otherwise it is in order of start time, which is the order of nodes only
   * within a stream.
   */
  readonly byNode: boolean;
}

/** Maximum number of combinations of inner graphs that are tried for a graph that contains other graphs. */
const MOST_VARIANTS = 64;

/**
 * Maximum number of nodes in all these combinations together. Once it is reached, later graphs that contain other
 * graphs stay unknown.
 */
const MOST_NODES = 4_000_000;

export class CaptureShapes {
  readonly #shapes = new Map<string, Shape>();
  /**
   * Shapes by keys that do not depend on an order: the counts of all nodes, and the counts of all nodes but the last.
   */
  readonly #byContent = new Map<string, Shape[]>();

  constructor(graphs: readonly CapturedGraph[], names: NodeNames) {
    /** The nodes of earlier graphs, latest first. */
    let before: (readonly CapturedNode[])[] = [];
    let left = MOST_NODES;
    for (const [ordinal, graph] of graphs.entries()) {
      const holdsGraphs = graph.nodes.some(({ kind }) => kind === 'graph');
      const variants = holdsGraphs ? variantsOf(graph, before, left) : [graph.nodes];
      if (holdsGraphs) left -= variants.reduce((sum, { length }) => sum + length, 0);
      // If several graphs of the same sequence may be the inner one, the latest is used.
      const known = new Set<Shape>();
      for (const nodes of variants) this.#add({ ...graph, nodes, ordinal }, names, known);
      before = [...variants, ...before.slice(0, MOST_VARIANTS)];
    }
  }

  /** @param taken shapes of the graph's other variants */
  #add(graph: PlacedGraph, names: NodeNames, taken: Set<Shape>): void {
    if (graph.nodes.length === 0) return;
    const numbers = Uint32Array.from(graph.nodes, ({ kind, name }) => names.numberOf(kind, name));
    const key = numbers.join();
    const known = this.#shapes.get(key);
    if (known !== undefined) {
      if (!taken.has(known)) known.graphs.push(graph);
      taken.add(known);
      return;
    }
    const shape: Shape = { numbers, isNamed: numbers.every((number) => number !== NAMELESS), graphs: [graph] };
    this.#shapes.set(key, shape);
    taken.add(shape);
    // Traces of HIP may leave out the last node of a replay. Without names, a sequence that lacks it could be any other
    // graph.
    for (const part of shape.isNamed ? [numbers, numbers.subarray(0, -1)] : [numbers]) {
      if (part.length > 0) entryOf(this.#byContent, contentOf(part, shape.isNamed), (): Shape[] => []).push(shape);
    }
  }

  /** The shape that a launch replays, or null. A complete match is preferred to one that lacks the last node. */
  match(launch: LaunchSequence): ShapeMatch | null {
    const { numbers } = launch;
    const candidates = [true, false].flatMap((isNamed) => this.#byContent.get(contentOf(numbers, isNamed)) ?? []);
    candidates.sort((a, b) => a.numbers.length - b.numbers.length);
    for (const shape of candidates) {
      const nodes = nodesOf(launch, shape);
      if (nodes !== null) return { shape, nodes: nodes === 'in order' ? null : nodes };
    }
    return null;
  }
}

/** A key made from the number of occurrences of each node number, or without names, of each kind of node. */
function contentOf(numbers: Uint32Array, isNamed: boolean): string {
  let [sum, product, copies, sets] = [0, 1, 0, 0];
  for (const number of numbers) {
    if (number === COPY) copies++;
    else if (number === SET) sets++;
    sum = (sum + Math.imul(number, 0x9e3779b1)) | 0;
    product = Math.imul(product, number * 2 + 1);
  }
  return `${isNamed ? `${sum},${product}` : ''},${numbers.length},${copies},${sets}`;
}

const fits = (work: number, node: number): boolean =>
  work === node || (node === NAMELESS && work !== COPY && work !== SET);

function nodesOf(launch: LaunchSequence, { numbers, isNamed }: Shape): Uint32Array | 'in order' | null {
  if (launch.numbers.every((number, i) => fits(number, elementAt(numbers, i)))) {
    const isOrdered = launch.byNode || isNamed || new Set(launch.streams).size === 1;
    return isOrdered ? 'in order' : null;
  }
  return launch.byNode || !isNamed ? null : merged(launch, numbers);
}

/**
 * Matches work on several streams: each stream runs its nodes in the order of capture. If the next piece of work of several
 * streams fits a node, the piece that started first gets it.
 */
function merged({ numbers, streams }: LaunchSequence, nodes: Uint32Array): Uint32Array | null {
  const queues = new Map<number, number[]>();
  for (const [i, stream] of streams.entries()) entryOf(queues, stream, (): number[] => []).push(i);
  const heads = [...queues.values()].map((queue) => ({ queue, next: 0 }));
  if (heads.length === 1) return null;
  const found = new Uint32Array(numbers.length);
  let placed = 0;
  for (let node = 0; node < nodes.length; node++) {
    const fitting = heads.filter(
      ({ queue, next }) => next < queue.length && numbers[queue[next] ?? -1] === nodes[node],
    );
    const first = fitting.sort((a, b) => elementAt(a.queue, a.next) - elementAt(b.queue, b.next))[0];
    if (first === undefined) return placed === numbers.length ? found : null;
    found[elementAt(first.queue, first.next++)] = node;
    placed++;
  }
  return placed === numbers.length ? found : null;
}

/**
 * The nodes of a graph with each inner graph replaced by the nodes of a graph that was captured before.
 * @param most approximate limit for the number of nodes of all results together
 */
function variantsOf(
  { nodes }: CapturedGraph,
  before: readonly (readonly CapturedNode[])[],
  most: number,
): readonly (readonly CapturedNode[])[] {
  let variants: CapturedNode[][] = [[]];
  for (const node of nodes) {
    if (node.kind === 'graph') variants = extended(variants, before, most);
    else for (const variant of variants) variant.push(node);
  }
  return variants;
}

/** All combinations of a list followed by a part, up to the limits. */
function extended(
  lists: readonly (readonly CapturedNode[])[],
  parts: readonly (readonly CapturedNode[])[],
  most: number,
): CapturedNode[][] {
  const found: CapturedNode[][] = [];
  let size = 0;
  for (const list of lists) {
    for (const part of parts) {
      if (found.length === MOST_VARIANTS || size >= most) return found;
      size += list.length + part.length;
      found.push([...list, ...part]);
    }
  }
  return found;
}
