/**
 * Where the work of a replayed graph was captured. The profiler states the node that a node was made from, or the
 * capture is found whose sequence of nodes the work of the launch has.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { readServingStep, type ServingStep } from '../../../record/serving-step.js';
import { ACTIVITY_KINDS, type Activities } from '../trace-columns.js';
import { kernelNameOf, type Trace } from '../trace.js';
import type { KernelContexts } from '../kernel-contexts.js';
import type { LaunchJoin } from '../launches.js';
import { CaptureShapes, type LaunchSequence } from './capture-shapes.js';
import type { CapturedGraph, CapturedNode, NodeAnnotation, Origin, OtherCaptures } from './captured-graph.js';
import { chooseCaptures, type ShapedLaunch } from './choose-capture.js';
import { graphLaunches, workWithoutLaunch, type GraphLaunch } from './graph-launches.js';
import { AnnotatedNodes } from './node-annotations.js';
import { NodeNames } from './node-names.js';

const NONE = -1;

/** Work of which nothing but an annotation is known. */
const ANNOTATED: Omit<Origin, 'node'> = { from: 'annotation', verified: true, capture: null, idsAfter: 0 };

/** The origin of each piece of work of graphs. Memory: 8 bytes an activity where there is any, and the captures' nodes. */
export class GraphOrigins {
  /** By activity: index in `#launches`, and in `#nodes`. */
  readonly #launchOf: Int32Array;
  readonly #nodeOf: Int32Array;
  readonly #launches: Omit<Origin, 'node'>[] = [];
  readonly #nodes: CapturedNode[] = [];
  readonly #indexOf = new Map<CapturedNode, number>();
  readonly #annotated: AnnotatedNodes;
  /** Ids of calls that launches without an origin have are lower. */
  #idsAfter: number;

  constructor(
    private readonly trace: Trace,
    launches: LaunchJoin,
    contexts: KernelContexts,
    { captures, rank }: { readonly captures?: OtherCaptures | undefined; readonly rank: number | null },
  ) {
    const { activities, ranges, diagnostics } = trace;
    const [replays, others] = [graphLaunches(trace, launches), workWithoutLaunch(trace, launches)];
    const all = [...replays, ...others];
    const rows = all.length === 0 ? 0 : activities.length;
    this.#launchOf = new Int32Array(rows).fill(NONE);
    this.#nodeOf = new Int32Array(rows);
    this.#idsAfter = ranges.length;
    for (const work of others) this.#takeStated(work);
    const unstated = replays.filter((replay) => !this.#takeStated(replay));
    const isAsked = unstated.length > 0;
    if (!isAsked) diagnostics.count('capture-not-used', captures?.given ?? 0);
    const own = isAsked ? (trace.capturedGraphs?.(launches) ?? []) : [];
    const graphs = isAsked ? [...own, ...(captures?.graphs(rank, diagnostics) ?? [])] : [];
    if (graphs.length > 0) this.#match(unstated, graphs, contexts);
    const annotations = all.length === 0 ? undefined : captures?.annotations(rank, diagnostics);
    this.#annotated = new AnnotatedNodes(annotations ?? new Map<number, NodeAnnotation>());
    for (const work of all) diagnostics.count('graph-work-with-origin', this.#onlyAnnotated(work.rows));
  }

  /** How many have nothing but an annotation. */
  #onlyAnnotated(rows: Uint32Array): number {
    const { node } = this.trace.activities;
    return rows.reduce(
      (sum, row) => sum + (this.#launchOf[row] === NONE && this.#annotated.has(node.at(row)) ? 1 : 0),
      0,
    );
  }

  /** Null where it is unknown. */
  of(activity: number): Origin | null {
    if (this.#launchOf.length === 0) return null;
    const launch = this.#launches[this.#launchOf[activity] ?? NONE];
    const known = launch === undefined ? null : (this.#nodes[elementAt(this.#nodeOf, activity)] ?? null);
    const node = this.#annotated.of(this.trace.activities.node.at(activity), known);
    return node === null ? null : { ...(launch ?? ANNOTATED), node };
  }

  /** Takes the nodes that the profiler states. @returns whether it states any of this launch */
  #takeStated({ rows }: GraphLaunch): boolean {
    if (this.trace.capturedNode === undefined) return false;
    const nodes = Array.from(rows, (row) => this.trace.capturedNode?.(row) ?? null);
    const ids = mostIds(nodes.filter((node) => node !== null));
    return this.#take(rows, (i) => nodes[i] ?? null, { from: 'node', verified: true, capture: null }, ids);
  }

  #match(replays: readonly GraphLaunch[], graphs: readonly CapturedGraph[], contexts: KernelContexts): void {
    const { activities, diagnostics, hostCalls } = this.trace;
    const names = new NodeNames();
    const shapes = new CaptureShapes(graphs, names);
    const sequenceOf = sequences(this.trace, names);
    const stepOf = servingSteps(contexts);
    const found: ShapedLaunch[] = [];
    for (const replay of replays) {
      const match = shapes.match(sequenceOf(replay));
      if (match === null) {
        diagnostics.count('graph-without-capture');
        continue;
      }
      const thread = hostCalls.thread.at(replay.call);
      found.push({ replay, match, thread, graphId: graphIdOf(activities, replay), step: stepOf(replay) });
    }
    const ids = mostIds(graphs.flatMap(({ nodes }) => nodes));
    for (const { launch, graph, isByOrder } of chooseCaptures(found)) {
      const { replay, match } = launch;
      if (isByOrder) diagnostics.count('graph-capture-by-order');
      const nodeAt = (i: number): CapturedNode | null => graph.nodes[match.nodes?.[i] ?? i] ?? null;
      const verified = match.shape.isNamed;
      this.#take(replay.rows, nodeAt, { from: 'capture', verified, capture: graph.name }, ids);
      if (!verified) diagnostics.count('graph-origin-by-order', replay.rows.length);
    }
  }

  /** @param ids how many ids of calls the launch needs */
  #take(
    rows: Uint32Array,
    nodeAt: (i: number) => CapturedNode | null,
    launch: Omit<Origin, 'node' | 'idsAfter'>,
    ids: number,
  ): boolean {
    let taken = 0;
    for (const [i, row] of rows.entries()) {
      const node = nodeAt(i);
      if (node === null) continue;
      this.#launchOf[row] = this.#launches.length;
      this.#nodeOf[row] = entryOf(this.#indexOf, node, () => this.#nodes.push(node) - 1);
      taken++;
    }
    if (taken === 0) return false;
    this.#launches.push({ ...launch, idsAfter: this.#idsAfter });
    this.#idsAfter += ids;
    this.trace.diagnostics.count('graph-work-with-origin', taken);
    return true;
  }
}

/** Highest id of a call around a node. */
function mostIds(nodes: readonly CapturedNode[]): number {
  let most = 0;
  for (const { context } of nodes) for (const id of context.callIds ?? []) most = Math.max(most, id);
  return most;
}

/** Numbers of the work of launches. Names are read once each. */
function sequences(trace: Trace, names: NodeNames): (replay: GraphLaunch) => LaunchSequence {
  const { kind, ownRow, kernels, stream } = trace.activities;
  const known = new Map<number, number>();
  const numberOf = (row: number): number => {
    const of = elementAt(ACTIVITY_KINDS, kind.at(row));
    if (of === 'copy' || of === 'set') return names.numberOf(of, null);
    const name = kernels.name.at(ownRow.at(row));
    return entryOf(known, name, () => names.numberOf('kernel', kernelNameOf(trace, name)));
  };
  return ({ rows, byNode }) => ({
    numbers: rows.map(numberOf),
    streams: Float64Array.from(rows, (row) => stream.at(row)),
    byNode,
  });
}

/** Id of the graph that a launch replays; null where its kernels have none, or several. */
function graphIdOf({ kind, ownRow, kernels }: Activities, { rows }: GraphLaunch): number | null {
  let found: number | null = null;
  for (const row of rows) {
    if (ACTIVITY_KINDS[kind.at(row)] !== 'kernel') continue;
    const id = kernels.graphId.at(ownRow.at(row));
    if (Number.isNaN(id) || (found !== null && found !== id)) return null;
    found = id;
  }
  return found;
}

/** The server's step of a launch; null where it is in none. */
function servingSteps(contexts: KernelContexts): (replay: GraphLaunch) => ServingStep | null {
  const texts = new Map((contexts.steps ?? []).map(({ step, text }) => [step, text] as const));
  return ({ call, rows }) => {
    const step = contexts.stepOf?.(call, elementAt(rows, 0)) ?? null;
    const text = step === null ? null : (texts.get(step) ?? null);
    return text === null ? null : readServingStep(text);
  };
}
