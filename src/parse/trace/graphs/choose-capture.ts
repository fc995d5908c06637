/** Which of several captures of one sequence a launch replays: by what is recorded of them, else in their order. */
import { elementAt, least } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { countBelow } from '../../../containers/row-order.js';
import type { ServingPhase, ServingStep } from '../../../record/serving-step.js';
import type { PlacedGraph, Shape, ShapeMatch } from './capture-shapes.js';
import type { GraphLaunch } from './graph-launches.js';

/** A launch whose work has the sequence of a captured graph. */
export interface ShapedLaunch {
  readonly replay: GraphLaunch;
  readonly match: ShapeMatch;
  /** Number of the thread that launched it. */
  readonly thread: number;
  /** The profiler's id of the graph; null where it has none. */
  readonly graphId: number | null;
  /** The server's step around the launch; null where it is in none. */
  readonly step: ServingStep | null;
}

interface Choice {
  readonly launch: ShapedLaunch;
  readonly graph: PlacedGraph;
  /** Whether other captures have the same sequence, so that the order alone decides. */
  readonly isByOrder: boolean;
}

/** Captures among which a launch has to choose, at least one, in the order of capture. */
type Fitting = readonly [PlacedGraph, ...PlacedGraph[]];

/** @param launches in order of start */
export function chooseCaptures(launches: readonly ShapedLaunch[]): Choice[] {
  const fittingOf = fittings();
  const fitted = launches.map((launch) => ({ launch, fitting: fittingOf(launch) }));
  const ids = new Map<Fitting, Set<number>>();
  for (const { launch, fitting } of fitted) {
    if (launch.graphId !== null) entryOf(ids, fitting, () => new Set<number>()).add(launch.graphId);
  }
  const ranks = new Map([...ids].map(([fitting, own]) => [fitting, ranksOf(own)] as const));
  /** By thread: what its last launch took. */
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

/** Graphs are instantiated, and numbered, in the order in which they were captured. */
const ranksOf = (ids: ReadonlySet<number>): ReadonlyMap<number, number> =>
  new Map([...ids].sort((a, b) => a - b).map((id, rank) => [id, rank] as const));

/**
 * Pieces of a model are replayed in the order of their capture: the first after what was replayed before it, whatever
 * sequence that has. So a launch that is not in the profile misplaces others only up to the next piece of its own kind.
 */
function nextOf(fitting: Fitting, ordinal: number): PlacedGraph {
  const next = countBelow(fitting.length, (i) => elementAt(fitting, i).ordinal, ordinal + 1);
  return fitting[next] ?? fitting[0];
}

/** The captures that fit a launch; the same array for the same ones. */
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

/** Modes of captures that steps of a phase replay. */
const MODES: Readonly<Record<ServingPhase, ReadonlySet<string>>> = {
  decode: new Set(['FULL', 'DECODE']),
  prefill: new Set(['PIECEWISE', 'EXTEND', 'PREFILL']),
  mixed: new Set(['PIECEWISE', 'EXTEND', 'MIXED']),
};

/** The smallest captures that have room for a launch, of its mode if any is; all where none is known to. */
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

/** Captures are named by rows of the model's matrices, one a token; where tokens are unknown, requests are as many. */
const rowsOf = ({ tokens, batch }: ServingStep): number => tokens ?? batch ?? Infinity;
