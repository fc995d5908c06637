/**
 * Captured graphs by the sequence of their nodes, and the one whose sequence a launch's work has. Graphs of one sequence
 * (the layers of a model, captured piece by piece) are one shape.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { CapturedGraph, CapturedNode } from './captured-graph.js';

/** What has no name to be compared by. */
const NAMELESS = 0;
/**
 * Numbers for what two nodes are compared by: a kernel's name, or that one is a copy or a set. HIP copies and fills by
 * kernels of its own in a replay.
 */
const [COPY, SET] = [1, 2];
const FIRST = 3;

const RUNTIME_KERNELS: readonly (readonly [beginning: string, number: number])[] = [
  ['__amd_rocclr_copyBuffer', COPY],
  ['__amd_rocclr_fillBuffer', SET],
];

export class NodeNames {
  readonly #numbers = new Map<string, number>();

  /** Nodes of equal number may be the same one. */
  numberOf(kind: CapturedNode['kind'], name: string | null): number {
    if (kind === 'copy') return COPY;
    if (kind === 'set') return SET;
    if (name === null || kind === 'graph') return NAMELESS;
    const own = RUNTIME_KERNELS.find(([beginning]) => name.startsWith(beginning));
    if (own !== undefined) return own[1];
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = FIRST + this.#numbers.size));
    return number;
  }
}

/** A captured graph, and which of all it is in the order of capture. */
export interface PlacedGraph extends CapturedGraph {
  readonly ordinal: number;
}

/** Captured graphs of one sequence of nodes, in the order of capture. */
export interface Shape {
  /** Numbers of `NodeNames`. */
  readonly numbers: Uint32Array;
  /** Whether each kernel has a name to be compared by. */
  readonly isNamed: boolean;
  readonly graphs: PlacedGraph[];
}

/** Which node each piece of a launch's work is: by position in the launch. */
export interface ShapeMatch {
  readonly shape: Shape;
  /** Null where the n-th piece of work is the n-th node. */
  readonly nodes: Uint32Array | null;
}

/** The work of one launch: numbers of `NodeNames` in order, and the stream of each. */
export interface LaunchSequence {
  readonly numbers: Uint32Array;
  readonly streams: Float64Array;
  /** Whether the order is that of nodes; else of start, which is that of nodes on each stream alone. */
  readonly byNode: boolean;
}

/** Most ways in which the graphs within a graph are tried. */
const MOST_VARIANTS = 64;

/** Most nodes of all these ways together: graphs that are captured after them and hold others are not known. */
const MOST_NODES = 4_000_000;

export class CaptureShapes {
  readonly #shapes = new Map<string, Shape>();
  /** By what can be compared without an order, of all nodes, and of all but the last. */
  readonly #byContent = new Map<string, Shape[]>();

  constructor(graphs: readonly CapturedGraph[], names: NodeNames) {
    /** The nodes of the graphs so far, the latest first. */
    let before: (readonly CapturedNode[])[] = [];
    let left = MOST_NODES;
    for (const [ordinal, graph] of graphs.entries()) {
      const holdsGraphs = graph.nodes.some(({ kind }) => kind === 'graph');
      const variants = holdsGraphs ? variantsOf(graph, before, left) : [graph.nodes];
      if (holdsGraphs) left -= variants.reduce((sum, { length }) => sum + length, 0);
      // Of several graphs of one sequence that may be the one within, the latest is taken.
      const known = new Set<Shape>();
      for (const nodes of variants) this.#add({ ...graph, nodes, ordinal }, names, known);
      before = [...variants, ...before.slice(0, MOST_VARIANTS)];
    }
  }

  /** @param taken shapes that another variant of the graph has */
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
    // A replay may lack the last node, which traces of HIP leave out: without names, that would be any other graph.
    for (const part of shape.isNamed ? [numbers, numbers.subarray(0, -1)] : [numbers]) {
      if (part.length > 0) entryOf(this.#byContent, contentOf(part, shape.isNamed), (): Shape[] => []).push(shape);
    }
  }

  /** The shape that a launch replays; a whole one before one that it lacks the last node of. Null when there is none. */
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

/** How many there are of each number; without names, of each kind. */
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
 * Work on several streams: each stream runs its nodes in the order of capture. Of streams whose next piece of work may be
 * a node, the one that started first has it.
 */
function merged({ numbers, streams }: LaunchSequence, nodes: Uint32Array): Uint32Array | null {
  const queues = new Map<number, number[]>();
  for (const [i, stream] of streams.entries()) entryOf(queues, stream, (): number[] => []).push(i);
  const heads = [...queues.values()].map((queue) => ({ queue, next: 0 }));
  if (heads.length === 1) return null;
  const found = new Uint32Array(numbers.length);
  let placed = 0;
  for (let node = 0; node < nodes.length; node++) {
    const own = heads.filter(({ queue, next }) => next < queue.length && numbers[queue[next] ?? -1] === nodes[node]);
    const first = own.sort((a, b) => elementAt(a.queue, a.next) - elementAt(b.queue, b.next))[0];
    if (first === undefined) return placed === numbers.length ? found : null;
    found[elementAt(first.queue, first.next++)] = node;
    placed++;
  }
  return placed === numbers.length ? found : null;
}

/**
 * The nodes of a graph, each graph within it replaced by the nodes of one that was captured before.
 * @param most nodes of all results together, about
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

/** Each list with each part after it, the first of these. */
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
