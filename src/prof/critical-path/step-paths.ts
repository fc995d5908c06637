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

/** An uninterrupted part of the path, on the clock of its profile. Times in ns. */
interface PathStretch extends Piece {
  readonly member: number;
  readonly start: number;
  readonly dur: number;
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
  /** The same in time order; empty unless wanted. */
  readonly stretches: readonly PathStretch[];
}

/** Maximum share by which a replay may differ for its predictions to be worth printing. */
export const MOST_ERROR = 0.05;

/** How much longer the replay takes than the step, as a share of the step. */
export const replayError = ({ measured, replayed }: Pick<StepPath, 'measured' | 'replayed'>): number =>
  replayed / measured - 1;

/** The clocks of profiles, which may differ from that of their graph. */
export interface LocalClocks {
  /** When a node was on the clock of a profile; NaN for a node of another profile. */
  readonly timeOf: (node: number, member: number) => number;
  /** How long a time of the graph is on the clock of a profile. */
  readonly lengthOf: (time: number, member: number) => number;
}

/** What the explanation of steps reads. */
export interface Explained {
  readonly ordered: OrderedGraph;
  readonly pieces: Pieces;
  readonly windows: readonly PathWindow[];
  /** Index of the profile that a moment belongs to, among those of the graph. */
  readonly memberAt: (node: number) => number;
  /** Why the time before a node has no cause. */
  readonly missingAt: (node: number) => Missing;
  /** Clocks of the profiles; null when stretches are not wanted. */
  readonly clocks: LocalClocks | null;
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
  readonly #stretches: { piece: number; member: number; start: number; end: number }[] = [];
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

  /** Times are on the clock of the profile; each stretch is before the one that was added last. */
  addStretch(piece: number, member: number, start: number, end: number): void {
    if (start >= end) return;
    const next = this.#stretches.at(-1);
    if (next?.piece === piece && next.member === member && next.start <= end) next.start = start;
    else this.#stretches.push({ piece, member, start, end });
  }

  get stretches(): PathStretch[] {
    return this.#stretches
      .reverse()
      .map(({ piece, member, start, end }) => ({ ...this.pieces.at(piece), member, start, dur: end - start }));
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
      ...{ bounds: sums.bounds, missing: sums.missing, parts: sums.parts, stretches: sums.stretches },
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
function walked({ from, end }: PathWindow, { ordered, pieces, memberAt, missingAt, clocks }: Explained): PathSums {
  const { graph } = ordered;
  const sums = new PathSums(pieces);
  /** The time before a node: first what an edge holds, then what nothing explains. */
  const add = (to: number, time: number, edge: number | null, begin: number): void => {
    const [member, missing] = [memberAt(to), missingAt(to)];
    const held = edge === null ? 0 : Math.min(time, graph.lagOf(edge));
    if (edge !== null) sums.add(graph.tagOf(edge), member, held);
    sums.addMissing(missing, member, time - held);
    if (clocks === null) return;
    const until = clocks.timeOf(to, member);
    const start = Number.isNaN(begin) ? until - clocks.lengthOf(time, member) : begin;
    const known = until - clocks.lengthOf(time - held, member);
    if (time > held) sums.addStretch(pieces.numberOf('unknown', missing), member, Math.max(start, known), until);
    if (edge !== null) sums.addStretch(graph.tagOf(edge), member, start, known);
  };
  let reached = end;
  for (const { edge, from: source, to } of ordered.pathTo(end, graph.times, from)) {
    const begun = graph.timeOf(source);
    add(
      to,
      graph.timeOf(to) - Math.max(from, begun),
      edge,
      begun < from ? NaN : (clocks?.timeOf(source, memberAt(to)) ?? NaN),
    );
    reached = source;
  }
  add(reached, graph.timeOf(reached) - from, null, NaN);
  return sums;
}
