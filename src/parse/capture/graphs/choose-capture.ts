/** Which of several captures of one sequence a launch replays: by what is recorded of them, else in their order. */
import { least } from '../../../containers/lists.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { ServingPhase, ServingStep } from '../../../record/serving-step.js';
import type { CapturedGraph } from './captured-graph.js';
import type { Shape, ShapeMatch } from './capture-shapes.js';
import type { GraphLaunch } from './graph-launches.js';

/** A launch whose work has the sequence of a captured graph. */
export interface ShapedLaunch {
  readonly replay: GraphLaunch;
  readonly match: ShapeMatch;
  /** The profiler's id of the graph; null where it has none. */
  readonly graphId: number | null;
  /** The server's step around the launch; null where it is in none. */
  readonly step: ServingStep | null;
}

interface Choice {
  readonly launch: ShapedLaunch;
  readonly graph: CapturedGraph;
  /** Whether other captures have the same sequence, so that the order alone decides. */
  readonly isByOrder: boolean;
}

/** @param launches in order of start */
export function chooseCaptures(launches: readonly ShapedLaunch[]): Choice[] {
  const ids = new Map<Shape, Set<number>>();
  for (const { match, graphId } of launches) {
    if (graphId !== null) entryOf(ids, match.shape, () => new Set<number>()).add(graphId);
  }
  const ranks = new Map([...ids].map(([shape, own]) => [shape, ranksOf(own)] as const));
  /** How many launches took one of the captures that begin with this one. */
  const taken = new Map<CapturedGraph, number>();
  return launches.map((launch) => {
    const { shape } = launch.match;
    const fitting = ofStep(shape.graphs, launch.step);
    const [first] = fitting as readonly [CapturedGraph, ...CapturedGraph[]];
    const rank = launch.graphId === null ? undefined : ranks.get(shape)?.get(launch.graphId);
    const place = rank ?? taken.get(first) ?? 0;
    if (rank === undefined) taken.set(first, place + 1);
    const isKnown = rank !== undefined && ranks.get(shape)?.size === fitting.length;
    return { launch, graph: fitting[place % fitting.length] ?? first, isByOrder: fitting.length > 1 && !isKnown };
  });
}

/** Graphs are instantiated, and numbered, in the order in which they were captured. */
const ranksOf = (ids: ReadonlySet<number>): ReadonlyMap<number, number> =>
  new Map([...ids].sort((a, b) => a - b).map((id, rank) => [id, rank] as const));

/** Modes of captures that steps of a phase replay. */
const MODES: Readonly<Record<ServingPhase, ReadonlySet<string>>> = {
  decode: new Set(['FULL', 'DECODE']),
  prefill: new Set(['PIECEWISE', 'EXTEND', 'PREFILL']),
  mixed: new Set(['PIECEWISE', 'EXTEND', 'MIXED']),
};

/** The smallest captures that have room for a launch, of its mode if any is; all where none is known to. */
function ofStep(graphs: readonly CapturedGraph[], step: ServingStep | null): readonly CapturedGraph[] {
  if (step === null || graphs.length === 1) return graphs;
  const { phase } = step;
  // Captures are named by rows of the model's matrices, one a token; where tokens are unknown, requests are as many.
  const rows = step.tokens ?? step.batch ?? Infinity;
  const smallest = least(graphs.flatMap(({ batch }) => (batch !== null && batch >= rows ? [batch] : [])));
  const sized = graphs.filter(({ batch }) => batch === smallest);
  const fitting = sized.length > 0 ? sized : graphs;
  const moded = fitting.filter(({ mode }) => mode !== null && phase !== null && MODES[phase].has(mode));
  return moded.length > 0 ? moded : fitting;
}
