/**
 * The clocks of the ranks of a job against the clock of one of them: offset and drift of each, by the ends of operations
 * that end on all ranks together. First from rank to rank through the groups that they share, then each rank against
 * all others. Robust: medians throughout, so that operations that end late on one rank do not count.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { MatchedGroup } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';
import { observationsOf, type Observations } from './observations.js';
import { robustLine } from './robust-line.js';

/**
 * How a clock was set: it is the job's, or that of the same profile; by matched operations; by the Unix time of the
 * profile's start, or not at all.
 */
export type ClockSource = 'reference' | 'profile' | 'operations' | 'start' | 'unknown';

export interface RankClock {
  readonly source: ClockSource;
  /** What brings times of the profile to the origin of all profiles, ns. */
  readonly shift: number;
  /** By how much the clock is ahead of the job's at `at`, ns; null when unknown. */
  readonly offset: number | null;
  /** How much faster it runs, a fraction (1e-6 is 1 ppm); null when unknown. */
  readonly drift: number | null;
  /** ns since the origin. */
  readonly at: number;
  /** Median distance of the rank's ends from those of the others, ns; null without operations. */
  readonly residual: number | null;
  /**
   * How far the clock could be off at most, the others held: no rank can end an operation before the last one joins. ns;
   * null without operations.
   */
  readonly bound: number | null;
  /** Operations that it was compared by. */
  readonly operations: number;
}

/** Sweeps over all ranks after the first pass; each changes offsets by less than a microsecond. */
const SWEEPS = 4;

/** Clocks of computers drift by less, a fraction: 200 parts per million. */
const MOST_DRIFT = 2e-4;

/**
 * Clocks of all parts. Times of a part go to the clock of the job by `jobTime`.
 * @param shifts starts of the profiles, as `startShifts` has them
 */
export function jobClocks(
  parts: readonly RankPart[],
  groups: readonly MatchedGroup[],
  shifts: readonly number[],
): RankClock[] {
  const together = observationsAmong(groups, parts, shifts, true);
  const fits = new ClockFits(sharedClocks(parts), centreOf(together));
  fits.place(reference(parts, together), null);
  fits.spread(together);
  // Ranks that share no such operation with the others: stages that only exchange messages.
  const others = observationsAmong(groups, parts, shifts, false);
  fits.spread([...together, ...others]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) fits.refine(together);
  return parts.map((part, index) => fits.clock(index, part, elementAt(shifts, index), together));
}

/** A time of the rank's profile, ns → ns since the origin on the job's clock. */
export function jobTime({ shift, offset, drift, at }: RankClock, time: number): number {
  const local = time + shift;
  return local - (offset ?? 0) - (drift ?? 0) * (local - at);
}

const observationsAmong = (
  groups: readonly MatchedGroup[],
  parts: readonly RankPart[],
  shifts: readonly number[],
  together: boolean,
): Observations[] =>
  groups.map((group) => observationsOf(group, parts, shifts, together)).filter(({ count }) => count > 0);

/** The middle of all operations: offsets are those at that time, so that they do not depend on the drift. */
function centreOf(all: readonly Observations[]): number {
  const ends = all.map(({ ends: values }) => median(values.filter((value) => !Number.isNaN(value))) ?? 0);
  return median(ends) ?? 0;
}

/** The lowest rank of the largest group of matched ranks; the first part where none is matched. */
function reference(parts: readonly RankPart[], all: readonly Observations[]): number {
  const reach = components(sharedClocks(parts), all);
  const sizes = new Map<number, number>();
  for (const component of reach) sizes.set(component, (sizes.get(component) ?? 0) + 1);
  const order = parts.map((_, index) => index);
  const sizeOf = (index: number): number => sizes.get(elementAt(reach, index)) ?? 0;
  const rankOf = (index: number): number => elementAt(parts, index).rank ?? Infinity;
  order.sort((a, b) => sizeOf(b) - sizeOf(a) || compare(rankOf(a), rankOf(b)) || a - b);
  return order[0] ?? 0;
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Of each part the first part of its profile: devices of one profile have one clock, that of its profiler. */
function sharedClocks(parts: readonly RankPart[]): number[] {
  const firsts = new Map<string, number>();
  return parts.map(({ isDevice, file, startUnixNs }, index) =>
    isDevice ? entryOf(firsts, JSON.stringify([file, startUnixNs]), () => index) : index,
  );
}

/** Of each part the lowest part that operations, or one clock, lead to. */
function components(shared: readonly number[], all: readonly Observations[]): number[] {
  const parent = [...shared];
  const rootOf = (index: number): number => {
    let root = index;
    while (elementAt(parent, root) !== root) root = elementAt(parent, root);
    parent[index] = root;
    return root;
  };
  for (const { parts } of all) {
    const [first = 0, ...others] = parts.map(rootOf);
    for (const other of others) {
      const [low, high] = [Math.min(rootOf(first), other), Math.max(rootOf(first), other)];
      parent[high] = low;
    }
  }
  return parent.map((_, index) => rootOf(index));
}

interface Fit {
  offset: number;
  slope: number | null;
}

/** Offsets and slopes while they are found. */
class ClockFits {
  readonly #fits: (Fit | null)[];
  #reference = 0;

  /** @param shared of each part the one whose clock it has */
  constructor(
    private readonly shared: readonly number[],
    private readonly centre: number,
  ) {
    this.#fits = new Array<Fit | null>(shared.length).fill(null);
  }

  /** @param fit null for the reference */
  place(part: number, fit: Fit | null): void {
    if (fit === null) this.#reference = part;
    const clock = this.shared[part];
    for (const [other, of] of this.shared.entries())
      if (of === clock) this.#fits[other] = fit ?? { offset: 0, slope: 0 };
  }

  /** Places ranks that share operations with placed ones, through the groups of the most operations first. */
  spread(all: readonly Observations[]): void {
    const left = [...all].sort((a, b) => b.count - a.count);
    const next = (): number =>
      left.findIndex(({ parts }) => parts.some((p) => this.#isPlaced(p)) && parts.some((p) => !this.#isPlaced(p)));
    for (let index = next(); index >= 0; index = next()) {
      const [observations] = left.splice(index, 1);
      if (observations === undefined) return;
      const placed = observations.parts.map((part) => this.#isPlaced(part));
      for (const [column, part] of observations.parts.entries()) {
        if (placed[column] === true) continue;
        const fit = this.#fit([{ observations, column }], (other) => placed[other] === true);
        if (fit !== null) this.place(part, fit);
      }
    }
  }

  /** Fits each rank but the reference against all others that it shares operations with. */
  refine(all: readonly Observations[]): void {
    for (const [part, columns] of columnsByPart(all)) {
      if (this.#isReference(part) || !this.#isPlaced(part)) continue;
      const fit = this.#fit(columns, () => true);
      if (fit !== null) this.place(part, fit);
    }
  }

  clock(part: number, { startUnixNs }: RankPart, shift: number, all: readonly Observations[]): RankClock {
    const fit = this.#fits[part] ?? null;
    const nothing = { shift, at: this.centre, residual: null, bound: null, operations: 0 };
    if (fit === null) {
      const isKnown = startUnixNs !== null;
      return { ...nothing, source: isKnown ? 'start' : 'unknown', offset: isKnown ? 0 : null, drift: null };
    }
    const columns = columnsByPart(all).get(part) ?? [];
    const source = part === this.#reference ? 'reference' : this.#isReference(part) ? 'profile' : 'operations';
    return { ...nothing, source, offset: fit.offset, drift: fit.slope, ...this.#quality(columns) };
  }

  /** Whether it has the clock of the job. */
  #isReference(part: number): boolean {
    return this.shared[part] === this.shared[this.#reference];
  }

  #isPlaced(part: number): boolean {
    return elementAt(this.#fits, part) !== null;
  }

  /** On the job's clock. */
  #time(part: number, local: number): number {
    const fit = this.#fits[part];
    return local - (fit?.offset ?? 0) - (fit?.slope ?? 0) * (local - this.centre);
  }

  /** @param counts whether another column of the same operations counts */
  #fit(columns: readonly RankColumn[], counts: (column: number) => boolean): Fit | null {
    const [xs, ys]: [number[], number[]] = [[], []];
    for (const { observations, column } of columns) {
      const { parts, ends } = observations;
      for (let row = 0; row < observations.count; row++) {
        const own = elementAt(ends, row * parts.length + column);
        const others = parts.flatMap((part, other) => {
          const end = elementAt(ends, row * parts.length + other);
          const isOther = other !== column && counts(other) && this.#isPlaced(part) && !Number.isNaN(end);
          return isOther ? [this.#time(part, end)] : [];
        });
        const common = median(others);
        if (common === null || Number.isNaN(own)) continue;
        xs.push(own - this.centre);
        ys.push(own - common);
      }
    }
    if (xs.length === 0) return null;
    const [at, apart] = [Float64Array.from(xs), Float64Array.from(ys)];
    const line = robustLine(at, apart);
    return Math.abs(line.slope ?? 0) <= MOST_DRIFT ? line : robustLine(at, apart, false);
  }

  #quality(columns: readonly RankColumn[]): Pick<RankClock, 'residual' | 'bound' | 'operations'> {
    const distances: number[] = [];
    let [early, late] = [Infinity, Infinity];
    for (const { observations, column } of columns) {
      const { parts, starts, ends, count } = observations;
      for (let row = 0; row < count; row++) {
        const at = row * parts.length;
        if (Number.isNaN(elementAt(ends, at + column))) continue;
        const timesOf = (values: Float64Array): number[] =>
          parts.flatMap((part, other) =>
            other === column || !this.#isPlaced(part) || Number.isNaN(elementAt(values, at + other))
              ? []
              : [this.#time(part, elementAt(values, at + other))],
          );
        const otherEnds = timesOf(ends);
        const common = median(otherEnds);
        if (common === null) continue;
        const part = elementAt(parts, column);
        const [start, end] = [
          this.#time(part, elementAt(starts, at + column)),
          this.#time(part, elementAt(ends, at + column)),
        ];
        distances.push(Math.abs(end - common));
        late = Math.min(late, leastOf(otherEnds) - start);
        early = Math.min(early, end + leastOf(timesOf(starts).map((other) => -other)));
      }
    }
    const bound = distances.length === 0 ? null : Math.max(0, early, late);
    return { residual: median(distances), bound, operations: distances.length };
  }
}

const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Infinity);

interface RankColumn {
  readonly observations: Observations;
  readonly column: number;
}

function columnsByPart(all: readonly Observations[]): Map<number, RankColumn[]> {
  const columns = new Map<number, RankColumn[]>();
  for (const observations of all)
    for (const [column, part] of observations.parts.entries()) {
      const list = columns.get(part);
      if (list === undefined) columns.set(part, [{ observations, column }]);
      else list.push({ observations, column });
    }
  return columns;
}
