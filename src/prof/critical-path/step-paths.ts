/** The critical path of each step, and how well a replay of the graph reproduces the step. */
import { addTo, entryOf } from '../../containers/map-entry.js';
import type { OrderedGraph } from '../../containers/timed-graph.js';
import { BOUND_NAMES, type Bound, type Missing, type Piece, type Pieces } from './bounds.js';

/** A time to explain, in ns, and the moment at which it ends. */
export interface PathWindow {
  /** Number of the step; null for a time that is not a step. */
  readonly step: number | null;
  readonly from: number;
  readonly to: number;
  /** The node at `from`; null when there is none. */
  readonly begin: number | null;
  /** The node at `to`. */
  readonly end: number;
}

/** Time on the path that was spent on the same thing. */
export interface PathPart extends Piece {
  /** Index of the profile in which it was spent, among those of the job. */
  readonly member: number;
  /** Number of uninterrupted runs. */
  readonly runs: number;
  /** In ns. */
  readonly time: number;
}

/** The critical path of a step. Times in ns. */
export interface StepPath {
  readonly step: number | null;
  readonly from: number;
  readonly measured: number;
  /** How long the step takes when its graph is replayed. */
  readonly replayed: number;
  /** How long it would take with the changes; null without changes, and when replays are too far from the step. */
  readonly predicted: number | null;
  /** How long each kind of time bounds the step; together they are `measured`. */
  readonly bounds: Readonly<Record<Bound, number>>;
  /** The part without a known cause, by what is missing. */
  readonly missing: ReadonlyMap<Missing, number>;
  /** The longest first. */
  readonly parts: readonly PathPart[];
}

/** Maximum share by which a replay may differ for its predictions to be worth printing. */
export const MOST_ERROR = 0.05;

/** How much longer the replay takes than the step, as a share of the step. */
export const replayError = ({ measured, replayed }: Pick<StepPath, 'measured' | 'replayed'>): number =>
  replayed / measured - 1;

/** What the explanation of steps reads. */
export interface Explained {
  readonly ordered: OrderedGraph;
  readonly pieces: Pieces;
  readonly windows: readonly PathWindow[];
  /** Index of the profile that a moment belongs to, among those of the graph. */
  readonly memberAt: (node: number) => number;
  /** Why the time before a node has no cause. */
  readonly missingAt: (node: number) => Missing;
  /** Lags of edges with the changes; null without changes. */
  readonly changedLag: ((edge: number) => number) | null;
}

/** Numbers of pieces are smaller than this. */
const MOST_PIECES = 2 ** 24;

/** Adds up the parts of one path, which is walked from its end. */
class PathSums {
  readonly bounds = Object.fromEntries(BOUND_NAMES.map((bound) => [bound, 0])) as Record<Bound, number>;
  readonly missing = new Map<Missing, number>();
  readonly #times = new Map<number, { runs: number; time: number }>();
  #last = -1;

  constructor(private readonly pieces: Pieces) {}

  add(piece: number, member: number, time: number): void {
    if (time <= 0) return;
    this.bounds[this.pieces.at(piece).bound] += time;
    const key = member * MOST_PIECES + piece;
    const sum = entryOf(this.#times, key, () => ({ runs: 0, time: 0 }));
    if (key !== this.#last) sum.runs++;
    sum.time += time;
    this.#last = key;
  }

  addMissing(missing: Missing, member: number, time: number): void {
    if (time <= 0) return;
    this.add(this.pieces.numberOf('unknown', missing), member, time);
    addTo(this.missing, missing, time);
  }

  get parts(): PathPart[] {
    return [...this.#times]
      .map(([key, sums]) => ({
        ...this.pieces.at(key % MOST_PIECES),
        ...{ member: Math.floor(key / MOST_PIECES), ...sums },
      }))
      .sort((a, b) => b.time - a.time || a.member - b.member || (a.name < b.name ? -1 : 1));
  }
}

/** The path of each window. Linear in the events within it. */
export function* stepPaths(explained: Explained): Generator<StepPath> {
  const { ordered, windows } = explained;
  const times = new Float64Array(ordered.graph.nodes);
  const predictions = predicted(explained);
  for (const [index, window] of windows.entries()) {
    ordered.replay(times, window.from, window.to);
    const sums = walked(window, explained);
    const measured = window.to - window.from;
    const replayed = (times[window.end] ?? NaN) - window.from;
    const isClose = Math.abs(replayError({ measured, replayed })) <= MOST_ERROR;
    yield {
      ...{ step: window.step, from: window.from, measured, replayed },
      predicted: isClose ? (predictions[index] ?? null) : null,
      ...{ bounds: sums.bounds, missing: sums.missing, parts: sums.parts },
    };
  }
}

/**
 * The duration of each step with the changes: all steps are replayed as one, with and without them, because a step may
 * also begin earlier. What the replay without them does not reproduce stays as it was. Null where that is too much.
 */
function predicted({ ordered, windows, changedLag }: Explained): readonly (number | null)[] {
  if (changedLag === null) return [];
  const [before, after] = [replayedAsOne(windows, ordered), replayedAsOne(windows, ordered, changedLag)];
  return windows.map(({ from, to }, index) => {
    const [measured, replayed] = [to - from, before[index] ?? NaN];
    if (!(Math.abs(replayError({ measured, replayed })) <= MOST_ERROR)) return null;
    return measured - replayed + (after[index] ?? NaN);
  });
}

function replayedAsOne(
  windows: readonly PathWindow[],
  ordered: OrderedGraph,
  lagOf?: (edge: number) => number,
): readonly number[] {
  const from = windows[0]?.from ?? 0;
  const times = new Float64Array(ordered.graph.nodes);
  ordered.replay(times, from, windows.at(-1)?.to ?? 0, lagOf);
  const timeOf = (node: number): number =>
    ordered.graph.timeOf(node) <= from ? ordered.graph.timeOf(node) : (times[node] ?? NaN);
  return windows.map((window) => timeOf(window.end) - (window.begin === null ? window.from : timeOf(window.begin)));
}

/** Walks the path from the end of a window to its beginning. */
function walked({ from, end }: PathWindow, { ordered, pieces, memberAt, missingAt }: Explained): PathSums {
  const { graph } = ordered;
  const sums = new PathSums(pieces);
  let reached = end;
  for (const { edge, from: source, to } of ordered.pathTo(end, graph.times, from)) {
    const time = graph.timeOf(to) - Math.max(from, graph.timeOf(source));
    const held = Math.min(time, graph.lagOf(edge));
    sums.add(graph.tagOf(edge), memberAt(to), held);
    sums.addMissing(missingAt(to), memberAt(to), time - held);
    reached = source;
  }
  sums.addMissing(missingAt(reached), memberAt(reached), graph.timeOf(reached) - from);
  return sums;
}
