/** Offsets and slopes of clocks during the fit. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import { columnsByPart, type Observations, type RankColumn } from './observations.js';
import { FEWEST_POINTS, orderOf, robustLine } from './robust-line.js';

/**
 * Groups in which some ranks are placed and others are not, lowest index first. The work per placed rank is proportional to
 * the number of its groups, so that time is linear in the number of groups.
 */
class MixedGroups {
  /** Indices of the groups of each part. */
  readonly #groupsOf = new Map<number, number[]>();
  /** Groups with a placed rank, and perhaps others. */
  readonly #reached = new Set<number>();
  /** Binary heap of group indices, with the lowest at the top. */
  readonly #heap: number[] = [];
  /** Groups that are or were on the heap in this round. */
  #seen = new Set<number>();

  /** @param groups in order */
  constructor(
    private readonly groups: readonly Observations[],
    private readonly isPlaced: (part: number) => boolean,
  ) {
    for (const [index, { parts }] of groups.entries())
      for (const part of parts) {
        entryOf(this.#groupsOf, part, (): number[] => []).push(index);
        if (isPlaced(part)) this.#reached.add(index);
      }
  }

  /** Must be called when a part is placed. */
  reach(part: number): void {
    for (const index of this.#groupsOf.get(part) ?? []) {
      this.#reached.add(index);
      this.#push(index);
    }
  }

  /** Mixed groups, each once; always the first of those that are currently mixed. */
  *round(): Generator<Observations> {
    this.#seen = new Set();
    this.#heap.length = 0;
    for (const index of this.#reached) this.#push(index);
    for (let index; (index = this.#pop()) !== undefined;) {
      const group = elementAt(this.groups, index);
      if (!group.parts.every(this.isPlaced)) yield group;
      if (group.parts.every(this.isPlaced)) this.#reached.delete(index);
    }
  }

  #push(index: number): void {
    if (this.#seen.has(index)) return;
    this.#seen.add(index);
    const heap = this.#heap;
    let at = heap.length;
    for (let above; at > 0 && elementAt(heap, (above = (at - 1) >> 1)) > index; at = above)
      heap[at] = elementAt(heap, above);
    heap[at] = index;
  }

  #pop(): number | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let below; (below = 2 * at + 1) < heap.length; at = below) {
      if (below + 1 < heap.length && elementAt(heap, below + 1) < elementAt(heap, below)) below++;
      if (elementAt(heap, below) >= last) break;
      heap[at] = elementAt(heap, below);
    }
    heap[at] = last;
    return first;
  }
}

/**
 * Maximum drift between two computer clocks, as a fraction: their crystals are at most 100 parts per million off, one in
 * each direction.
 */
export const MOST_DRIFT = 2e-4;
/** From this size on, one rank does not change the median of all, which is computed once for the whole group. */
const LARGE_GROUP = 16;

interface Fit {
  readonly offset: number;
  readonly slope: number | null;
}

/** The time of each operation on the job's clock according to its other members; NaN when there is none. */
type CommonTime = (observations: Observations, row: number, column: number) => number;

export class ClockFits {
  readonly #fits: (Fit | null)[];
  /** Parts whose clocks stay unchanged and to which others are fitted; the first one's clock is the job's. */
  readonly #anchors: number[] = [];
  /** The anchor to which each part's clock was fitted. */
  readonly #anchorOf: (number | null)[];
  /** Sort order of the ends of each part, which is the same in every sweep because no rank is placed in between. */
  readonly #orders = new Map<number, Uint32Array>();
  /** Parts by the part whose clock they share. */
  readonly #sharing = new Map<number, number[]>();
  /** Parts whose clock is that of an anchor. */
  readonly #anchored = new Set<number>();
  readonly #mixed: MixedGroups[] = [];

  /**
   * @param shared for each part, the part whose clock it shares
   * @param centre time to which offsets refer
   */
  constructor(
    private readonly shared: readonly number[],
    readonly centre: number,
  ) {
    this.#fits = new Array<Fit | null>(shared.length).fill(null);
    this.#anchorOf = new Array<number | null>(shared.length).fill(null);
    for (const [part, clock] of shared.entries()) entryOf(this.#sharing, clock, (): number[] => []).push(part);
  }

  of(part: number): Fit | null {
    return elementAt(this.#fits, part);
  }

  /** The anchor to which the part was fitted; null when it is not placed. */
  anchorOf(part: number): number | null {
    return elementAt(this.#anchorOf, part);
  }

  sourceOf(part: number): 'reference' | 'profile' | 'operations' | 'start' {
    const [reference] = this.#anchors;
    if (part === reference) return 'reference';
    if (!this.#isAnchored(part)) return 'operations';
    return this.anchorOf(part) === reference ? 'profile' : 'start';
  }

  /** Accepts the clock of a part unchanged. */
  anchor(part: number): void {
    this.#anchors.push(part);
    this.#anchored.add(elementAt(this.shared, part));
    this.#place(part, { offset: 0, slope: 0 }, part);
  }

  #place(part: number, fit: Fit, anchor: number | null): void {
    for (const other of this.#sharing.get(elementAt(this.shared, part)) ?? []) {
      const isNew = !this.isPlaced(other);
      this.#fits[other] = fit;
      this.#anchorOf[other] = anchor;
      if (isNew) for (const mixed of this.#mixed) mixed.reach(other);
    }
  }

  /** Groups through which `spread` places ranks, the most informative ones first. */
  groupsToSpread(all: readonly Observations[]): MixedGroups {
    const sorted = [...all].sort(
      (a, b) =>
        // A wrong drift would persist here, because ranks of a stage agree with each other whatever the drift is.
        Number(a.count < FEWEST_POINTS) - Number(b.count < FEWEST_POINTS) ||
        Number(a.areMessages) - Number(b.areMessages) ||
        b.count - a.count,
    );
    const mixed = new MixedGroups(sorted, (part) => this.isPlaced(part));
    this.#mixed.push(mixed);
    return mixed;
  }

  /** Places ranks that share operations with placed ones. */
  spread(groups: MixedGroups): void {
    for (const observations of groups.round()) {
      const common = this.#commonTimes(observations);
      for (const [column, part] of observations.parts.entries()) {
        if (this.isPlaced(part)) continue;
        const points = this.#pointsOf([{ observations, column }], (_, row) => elementAt(common, row));
        const fit = fitOf(points, orderOf(points.at));
        if (fit !== null) this.#place(part, fit, this.#anchorBy(observations, column));
      }
    }
  }

  /** The anchor of a placed rank that shares an operation with the given one. */
  #anchorBy({ parts, ends, count }: Observations, column: number): number | null {
    for (let row = 0; row < count; row++) {
      const isThere = (other: number): boolean => !Number.isNaN(elementAt(ends, row * parts.length + other));
      const found = parts.find((part, other) => other !== column && this.isPlaced(part) && isThere(other));
      if (found !== undefined && isThere(column)) return this.anchorOf(found);
    }
    return null;
  }

  /** Fits each rank except the anchors to all others with which it shares operations. */
  refine(all: readonly Observations[]): void {
    const commons = new Map(
      all
        .filter(({ parts }) => parts.length > LARGE_GROUP)
        .map((observations) => [observations, this.#commonTimes(observations)] as const),
    );
    const commonTime: CommonTime = (observations, row, column) =>
      commons.get(observations)?.[row] ?? median(this.#timesOf(observations, row, column)) ?? NaN;
    for (const [part, columns] of columnsByPart(all)) {
      if (this.#isAnchored(part) || !this.isPlaced(part)) continue;
      const points = this.#pointsOf(columns, commonTime);
      const fit = fitOf(
        points,
        entryOf(this.#orders, part, () => orderOf(points.at)),
      );
      if (fit !== null) this.#place(part, fit, this.anchorOf(part));
    }
  }

  isPlaced(part: number): boolean {
    return elementAt(this.#fits, part) !== null;
  }

  /** Converts a local time of a part to the job's clock. */
  time(part: number, local: number): number {
    const fit = this.#fits[part];
    return local - (fit?.offset ?? 0) - (fit?.slope ?? 0) * (local - this.centre);
  }

  /** Whether the part has the clock of an anchor. */
  #isAnchored(part: number): boolean {
    return this.#anchored.has(elementAt(this.shared, part));
  }

  /** Median end of each operation over the placed ranks; NaN without any. */
  #commonTimes(observations: Observations): Float64Array {
    return Float64Array.from(
      { length: observations.count },
      (_, row) => median(this.#timesOf(observations, row)) ?? NaN,
    );
  }

  /** Ends of an operation on the placed ranks except one. */
  #timesOf({ parts, ends }: Observations, row: number, without = -1): number[] {
    const times: number[] = [];
    for (const [column, part] of parts.entries()) {
      const end = elementAt(ends, row * parts.length + column);
      if (column !== without && this.isPlaced(part) && !Number.isNaN(end)) times.push(this.time(part, end));
    }
    return times;
  }

  #pointsOf(columns: readonly RankColumn[], commonTime: CommonTime): Points {
    const [at, apart]: [number[], number[]] = [[], []];
    for (const { observations, column } of columns) {
      const { parts, ends, count } = observations;
      for (let row = 0; row < count; row++) {
        const ownEnd = elementAt(ends, row * parts.length + column);
        if (Number.isNaN(ownEnd)) continue;
        const common = commonTime(observations, row, column);
        if (Number.isNaN(common)) continue;
        at.push(ownEnd - this.centre);
        apart.push(ownEnd - common);
      }
    }
    return { at: Float64Array.from(at), apart: Float64Array.from(apart) };
  }
}

/** Ends of a rank on its own clock, and their differences from the common ends. */
interface Points {
  readonly at: Float64Array;
  readonly apart: Float64Array;
}

/**
 * Null without points.
 * @param order sort order of `at`
 */
function fitOf({ at, apart }: Points, order: Uint32Array): Fit | null {
  if (at.length === 0) return null;
  const line = robustLine(at, apart, true, order);
  return Math.abs(line.slope ?? 0) <= MOST_DRIFT ? line : robustLine(at, apart, false, order);
}
