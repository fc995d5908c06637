/**
 * Finds where the work of a replayed graph was captured. Either the profiler states which captured node each replayed
 * node was made from, or the capture is found because its sequence of nodes matches the work of the launch.
 */
import { elementAt, least } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { readServingStep, type ServingStep, type ServingPhase } from '../../../record/serving-step.js';
import { ACTIVITY_KINDS, type Activities } from '../trace-columns.js';
import { kernelNameOf, type Trace } from '../trace.js';
import { NO_CONTEXT, type KernelContexts } from '../launch-steps.js';
import type { LaunchJoin } from '../launches.js';
import {
  CaptureShapes,
  NodeNames,
  type LaunchSequence,
  type PlacedGraph,
  type Shape,
  type ShapeMatch,
} from './capture-shapes.js';
import type { CapturedGraph, CapturedNode, NodeAnnotation, Origin, OtherCaptures } from './captured-graph.js';
import { graphLaunches, workWithoutLaunch, type GraphLaunch } from './graph-launches.js';
import { countBelow } from '../../../containers/row-order.js';

/** A graph launch whose work has the node sequence of a captured graph. */
export interface ShapedLaunch {
  readonly replay: GraphLaunch;
  readonly match: ShapeMatch;
  /** Number of the thread that launched the graph. */
  readonly thread: number;
  /** The profiler's id of the graph; null when it has none. */
  readonly graphId: number | null;
  /** The server's step around the launch; null when it is outside of all steps. */
  readonly step: ServingStep | null;
}

interface Choice {
  readonly launch: ShapedLaunch;
  readonly graph: PlacedGraph;
  /** Whether several captures have the same sequence, so that only their order distinguishes them. */
  readonly isByOrder: boolean;
}

/** The captures that a launch may replay, at least one, in the order of capture. */
type Fitting = readonly [PlacedGraph, ...PlacedGraph[]];

/**
 * Chooses which of several captures of the same sequence each launch replays: from their recorded facts if possible,
 * otherwise from their order.
 * @param launches in order of start time
 */
export function chooseCaptures(launches: readonly ShapedLaunch[]): Choice[] {
  const fittingOf = fittings();
  const fitted = launches.map((launch) => ({ launch, fitting: fittingOf(launch) }));
  const ids = new Map<Fitting, Set<number>>();
  for (const { launch, fitting } of fitted) {
    if (launch.graphId !== null) entryOf(ids, fitting, () => new Set<number>()).add(launch.graphId);
  }
  const ranks = new Map([...ids].map(([fitting, members]) => [fitting, ranksOf(members)] as const));
  /** The capture that each thread's last launch replayed. */
  const last = new Map<number, PlacedGraph>();
  return fitted.map(({ launch, fitting }) => {
    const { graphId, thread } = launch;
    const rank = graphId === null ? undefined : ranks.get(fitting)?.get(graphId);
    const ranked = rank === undefined ? undefined : fitting[rank % fitting.length];
    const graph = ranked ?? nextOf(fitting, last.get(thread)?.ordinal ?? -1);
    last.set(thread, graph);
    const isKnown = rank !== undefined && ranks.get(fitting)?.size === fitting.length;
    return { launch, graph, isByOrder: fitting.length > 1 && !isKnown };
  });
}

/** Ranks of graph ids. Graphs are instantiated, and numbered, in the order in which they were captured. */
const ranksOf = (ids: ReadonlySet<number>): ReadonlyMap<number, number> =>
  new Map([...ids].sort((a, b) => a - b).map((id, rank) => [id, rank] as const));

/**
 * The capture that follows the one replayed last, whatever its sequence, because the pieces of a model are replayed in
 * the order of their capture. If a launch is missing from the profile, later launches are wrong only up to the next
 * piece with a different sequence.
 */
function nextOf(fitting: Fitting, ordinal: number): PlacedGraph {
  const next = countBelow(fitting.length, (i) => elementAt(fitting, i).ordinal, ordinal + 1);
  return fitting[next] ?? fitting[0];
}

/** The captures that fit a launch. Launches with the same captures get the same array. */
function fittings(): (launch: ShapedLaunch) => Fitting {
  const bySize = new Map<Shape, Map<string, Fitting>>();
  const known = new Map<Shape, Map<string, Fitting>>();
  return ({ match: { shape }, step }) => {
    const size = `${step === null ? '' : rowsOf(step)},${step?.phase ?? ''}`;
    return entryOf(entryOf(bySize, shape, newMap), size, () => {
      const fitting = ofStep(shape.graphs, step) as Fitting;
      return entryOf(entryOf(known, shape, newMap), `${fitting[0].ordinal},${fitting.length}`, () => fitting);
    });
  };
}

const newMap = (): Map<string, Fitting> => new Map();

/** Modes of the captures that steps of each phase replay. */
const MODES: Readonly<Record<ServingPhase, ReadonlySet<string>>> = {
  decode: new Set(['FULL', 'DECODE']),
  prefill: new Set(['PIECEWISE', 'EXTEND', 'PREFILL']),
  mixed: new Set(['PIECEWISE', 'EXTEND', 'MIXED']),
};

/**
 * The smallest captures that have room for a launch, and of these the ones of its mode, if any. All captures when none is
 * known to fit.
 */
function ofStep(graphs: readonly PlacedGraph[], step: ServingStep | null): readonly PlacedGraph[] {
  if (step === null || graphs.length === 1) return graphs;
  const { phase } = step;
  const rows = rowsOf(step);
  const smallest = least(graphs.flatMap(({ batch }) => (batch !== null && batch >= rows ? [batch] : [])));
  const sized = graphs.filter(({ batch }) => batch === smallest);
  const fitting = sized.length > 0 ? sized : graphs;
  const moded = fitting.filter(({ mode }) => mode !== null && phase !== null && MODES[phase].has(mode));
  return moded.length > 0 ? moded : fitting;
}

/**
 * Rows of a step. Captures are named by the rows of the model's matrices, one row for each token; if the number of tokens
 * is unknown, the number of requests is used.
 */
const rowsOf = ({ tokens, batch }: ServingStep): number => tokens ?? batch ?? Infinity;

/** Combines nodes with their annotations. Each combined node is made once. */
class AnnotatedNodes {
  readonly #made = new Map<CapturedNode | null, Map<NodeAnnotation, CapturedNode>>();

  constructor(private readonly annotations: ReadonlyMap<number, NodeAnnotation>) {}

  has(id: number): boolean {
    return this.annotations.has(id);
  }

  /** @param node the node as known without annotations; null when unknown */
  of(id: number, node: CapturedNode | null): CapturedNode | null {
    const annotation = this.annotations.get(id);
    if (annotation === undefined) return node;
    const made = entryOf(this.#made, node, () => new Map<NodeAnnotation, CapturedNode>());
    return entryOf(made, annotation, () => annotated(node, annotation));
  }
}

function annotated(node: CapturedNode | null, { layer, ranges }: NodeAnnotation): CapturedNode {
  const known = node ?? { kind: 'kernel', name: null, grid: null, block: null, context: NO_CONTEXT };
  const { context } = known;
  return {
    ...known,
    context: {
      ...context,
      layer: context.layer.length > 0 ? context.layer : layer,
      ranges: [...context.ranges, ...ranges.filter((text) => !context.ranges.includes(text))],
    },
  };
}

const NONE = -1;

/** Origin of work that is known only from an annotation. */
const ANNOTATED: Omit<Origin, 'node'> = { from: 'annotation', verified: true, capture: null, idsAfter: 0 };

/**
 * Finds the origin of each piece of graph work. Memory: 8 bytes for each activity if there is any graph work, and the nodes
 * of the captures.
 */
export class GraphOrigins {
  /** For each activity: its index in `#launches` and in `#nodes`. */
  readonly #launchOf: Int32Array;
  readonly #nodeOf: Int32Array;
  readonly #launches: Omit<Origin, 'node'>[] = [];
  readonly #nodes: CapturedNode[] = [];
  readonly #indexOf = new Map<CapturedNode, number>();
  readonly #annotated: AnnotatedNodes;
  /** Offset of the next launch's call ids. It starts above the ids of launches without an origin. */
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
    const recorded = isAsked ? (trace.capturedGraphs?.(launches) ?? []) : [];
    const graphs = isAsked ? [...recorded, ...(captures?.graphs(rank, diagnostics) ?? [])] : [];
    if (graphs.length > 0) this.#match(unstated, graphs, contexts);
    const annotations = all.length === 0 ? undefined : captures?.annotations(rank, diagnostics);
    this.#annotated = new AnnotatedNodes(annotations ?? new Map<number, NodeAnnotation>());
    for (const work of all) diagnostics.count('graph-work-with-origin', this.#onlyAnnotated(work.rows));
  }

  /** Number of these rows that have only an annotation. */
  #onlyAnnotated(rows: Uint32Array): number {
    const { node } = this.trace.activities;
    return rows.reduce(
      (sum, row) => sum + (this.#launchOf[row] === NONE && this.#annotated.has(node.at(row)) ? 1 : 0),
      0,
    );
  }

  /** The origin of an activity; null when unknown. */
  of(activity: number): Origin | null {
    if (this.#launchOf.length === 0) return null;
    const launch = this.#launches[this.#launchOf[activity] ?? NONE];
    const known = launch === undefined ? null : (this.#nodes[elementAt(this.#nodeOf, activity)] ?? null);
    const node = this.#annotated.of(this.trace.activities.node.at(activity), known);
    return node === null ? null : { ...(launch ?? ANNOTATED), node };
  }

  /**
   * Takes the nodes that the profiler states.
   * @returns whether it states any node of this launch
   */
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

  /** @param ids number of call ids that the launch needs */
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

/** Highest call id in the contexts of these nodes. */
function mostIds(nodes: readonly CapturedNode[]): number {
  let most = 0;
  for (const { context } of nodes) for (const id of context.callIds ?? []) most = Math.max(most, id);
  return most;
}

/** Turns the work of a launch into numbers of `NodeNames`. Each name is read once. */
function sequences(trace: Trace, names: NodeNames): (replay: GraphLaunch) => LaunchSequence {
  const { kind, ownRow, kernels, stream } = trace.activities;
  const known = new Map<number, number>();
  const numberOf = (row: number): number => {
    const activityKind = elementAt(ACTIVITY_KINDS, kind.at(row));
    if (activityKind === 'copy' || activityKind === 'set') return names.numberOf(activityKind, null);
    const name = kernels.name.at(ownRow.at(row));
    return entryOf(known, name, () => names.numberOf('kernel', kernelNameOf(trace, name)));
  };
  return ({ rows, byNode }) => ({
    numbers: rows.map(numberOf),
    streams: Float64Array.from(rows, (row) => stream.at(row)),
    byNode,
  });
}

/** Id of the graph that a launch replays; null when its kernels have no id, or several different ids. */
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

/** The server's step of a launch; null when it is outside of all steps. */
function servingSteps(contexts: KernelContexts): (replay: GraphLaunch) => ServingStep | null {
  const texts = new Map((contexts.steps ?? []).map(({ step, text }) => [step, text] as const));
  return ({ call, rows }) => {
    const step = contexts.stepOf?.(call, elementAt(rows, 0)) ?? null;
    const text = step === null ? null : (texts.get(step) ?? null);
    return text === null ? null : readServingStep(text);
  };
}
