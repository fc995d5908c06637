/**
 * The clocks of a job's ranks relative to the clock of one of them: offset and drift of each, from the ends of
 * operations that end on all ranks together. Clocks are first fitted from rank to rank through the groups that they
 * share, then each rank is fitted to all others. Only medians are used, so that operations that end late on one rank
 * have no influence.
 */
import { DisjointSets } from '../../../containers/disjoint-sets.js';
import { elementAt } from '../../../containers/element.js';
import { addTo, entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { MatchedGroup } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';
import { observationsOf, type Observations } from './observations.js';
import { ClockFits } from './clock-fits.js';
import { stepLength } from '../stragglers/own-work.js';

/**
 * Accuracy of the clocks: differences between ends of the same operation, and contradictions. One pass over all operations.
 */
interface ClockQuality {
  /** Median difference of the rank's ends from the median of all, in ns. */
  readonly residual: number | null;
  /**
   * Maximum error of the clock in ns if the others are right, because no rank can end an operation before the last one
   * has joined; null when operations contradict each other.
   */
  readonly bound: number | null;
  readonly operations: number;
}

interface OpenQuality {
  readonly distances: number[];
  /** How much earlier, and how much later, the clock could be. */
  early: number;
  late: number;
}

/** Quality by part. */
function qualitiesOf(all: readonly Observations[], fits: ClockFits): Map<number, ClockQuality> {
  const open = new Map<number, OpenQuality>();
  for (const observations of all)
    for (let row = 0; row < observations.count; row++) addRow(open, observations, row, fits);
  return new Map(
    [...open].map(([part, { distances, early, late }]) => [
      part,
      {
        residual: median(distances),
        // No clock is possible if some operation would end before all ranks have joined, whatever the offset.
        bound: distances.length === 0 || early + late < 0 ? null : Math.max(early, late),
        operations: distances.length,
      },
    ]),
  );
}

function addRow(
  open: Map<number, OpenQuality>,
  { parts, starts, ends }: Observations,
  row: number,
  fits: ClockFits,
): void {
  const members = parts.flatMap((part, column) => {
    const at = row * parts.length + column;
    const [start, end] = [elementAt(starts, at), elementAt(ends, at)];
    return Number.isNaN(end) || !fits.isPlaced(part)
      ? []
      : [{ part, start: fits.time(part, start), end: fits.time(part, end) }];
  });
  if (members.length < 2) return;
  const common = median(members.map(({ end }) => end)) ?? NaN;
  const lastStart = twoLargest(members.map(({ start }) => start));
  const firstEnd = twoLargest(members.map(({ end }) => -end));
  for (const [index, { part, start, end }] of members.entries()) {
    const quality = entryOf(open, part, () => ({ distances: [], early: Infinity, late: Infinity }));
    quality.distances.push(Math.abs(end - common));
    quality.late = Math.min(quality.late, -firstEnd.without(index) - start);
    quality.early = Math.min(quality.early, end - lastStart.without(index));
  }
}

/** The largest value except one of them. */
function twoLargest(values: readonly number[]): { readonly without: (index: number) => number } {
  let [first, second, at] = [-Infinity, -Infinity, -1];
  for (const [index, value] of values.entries()) {
    if (value > first) [second, first, at] = [first, value, index];
    else if (value > second) second = value;
  }
  return { without: (index) => (index === at ? second : first) };
}

/**
 * How a clock was set. It is the job's clock or that of the same profile, or was set by matched operations or by the
 * Unix time of the profile's start. It may also be unset, because it is unknown or the times of the rank fit no clock.
 */
type ClockSource = 'reference' | 'profile' | 'operations' | 'start' | 'unknown' | 'refuted';

export interface RankClock {
  readonly source: ClockSource;
  /**
   * The anchor to which operations connect it: the job's reference, or a part that is placed by the start of its profile.
   */
  readonly against: number | null;
  /** Time in ns that is added to times of the profile to make them relative to the common origin of all profiles. */
  readonly shift: number;
  /** How much the clock is ahead of the job's at time `at`, in ns; null when unknown. */
  readonly offset: number | null;
  /** How much faster the clock runs, as a fraction (1e-6 is 1 ppm); null when unknown. */
  readonly drift: number | null;
  /** Time in ns since the origin. */
  readonly at: number;
  /** Median difference of the rank's ends from those of the others, in ns; null without operations. */
  readonly residual: number | null;
  /**
   * Maximum error of the clock in ns if the others are right, because no rank can end an operation before the last one
   * joins; null without operations, and when they contradict each other.
   */
  readonly bound: number | null;
  /** Number of operations by which it was compared. */
  readonly operations: number;
}

/** Number of sweeps over all ranks after the first pass; each changes offsets by less than a microsecond. */
const SWEEPS = 4;

/**
 * Clocks of all parts. Computes the clocks of all parts; `jobTime` converts times of a part to the job's clock.
 * @param shifts starts of the profiles, from `startShifts`
 * @param wrong parts whose clock must not become the job's
 */
export function jobClocks(
  parts: readonly RankPart[],
  groups: readonly MatchedGroup[],
  shifts: readonly number[],
  wrong: ReadonlySet<number>,
): RankClock[] {
  const together = observationsAmong(groups, parts, shifts, true);
  const shared = sharedClocks(parts);
  const fits = new ClockFits(shared, centreOf(together));
  const others = observationsAmong(groups, parts, shifts, false);
  const near = fits.groupsToSpread(together);
  // Ranks that share no such operation with the others: stages that only exchange messages.
  const all = fits.groupsToSpread([...together, ...others]);
  for (const part of anchors(parts, shared, { together, others, wrong })) {
    if (fits.isPlaced(part)) continue;
    fits.anchor(part);
    fits.spread(near);
    fits.spread(all);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) fits.refine(together);
  const qualities = qualitiesOf(together, fits);
  return parts.map((part, index) => clockOf(part, elementAt(shifts, index), fits, index, qualities.get(index) ?? null));
}

/** The clock of a rank whose times fit no clock. Its profile keeps its recorded start. */
export const refutedClock = ({ shift, at }: RankClock): RankClock => ({
  ...{ source: 'refuted', against: null, shift, at },
  ...{ offset: null, drift: null, residual: null, bound: null, operations: 0 },
});

function clockOf(
  { startUnixNs }: RankPart,
  shift: number,
  fits: ClockFits,
  index: number,
  quality: ClockQuality | null,
): RankClock {
  const fit = fits.of(index);
  const at = fits.centre;
  if (fit === null) {
    const isKnown = startUnixNs !== null;
    const nothing = { against: null, shift, at, residual: null, bound: null, operations: 0, drift: null };
    return { ...nothing, source: isKnown ? 'start' : 'unknown', offset: isKnown ? 0 : null };
  }
  const { residual = null, bound = null, operations = 0 } = quality ?? {};
  const against = fits.anchorOf(index);
  return {
    source: fits.sourceOf(index),
    against,
    shift,
    at,
    offset: fit.offset,
    drift: fit.slope,
    residual,
    bound,
    operations,
  };
}

/**
 * How much the clock is ahead of its reference, in ns. Unknown when either profile does not give its start as Unix time
 * (for example times since boot): the offset is then between the starts of two profiles, not between two clocks.
 */
export function clockAhead(
  { offset, against, source }: RankClock,
  { startUnixNs }: RankPart,
  parts: readonly RankPart[],
): number | null {
  if (source === 'reference') return offset;
  const other = against === null ? null : elementAt(parts, against).startUnixNs;
  return startUnixNs === null || (against !== null && other === null) ? null : offset;
}

/** Converts a time of the rank's profile in ns to ns since the origin on the job's clock. */
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

/** The middle of all operations, to which offsets refer so that they do not depend on the drift. */
function centreOf(all: readonly Observations[]): number {
  const ends = all.map(({ ends: values }) => median(values.filter((value) => !Number.isNaN(value))) ?? 0);
  return median(ends) ?? 0;
}

interface AnchorChoice {
  readonly together: readonly Observations[];
  readonly others: readonly Observations[];
  readonly wrong: ReadonlySet<number>;
}

/**
 * The lowest rank of the largest group of matched ranks, or the first part when none is matched, and an anchor for each
 * set of ranks that shares no operation with that group. These are placed by the start of their profiles.
 */
function anchors(
  parts: readonly RankPart[],
  shared: readonly number[],
  { together, others, wrong }: AnchorChoice,
): number[] {
  const reach = components(shared, together);
  const sizes = new Map<number, number>();
  for (const component of reach) addTo(sizes, component, 1);
  const order = parts.map((_, index) => index);
  const sizeOf = (index: number): number => sizes.get(elementAt(reach, index)) ?? 0;
  const rankOf = (index: number): number => elementAt(parts, index).rank ?? Infinity;
  const isWrong = (index: number): number => Number(wrong.has(index));
  order.sort((a, b) => isWrong(a) - isWrong(b) || sizeOf(b) - sizeOf(a) || compare(rankOf(a), rankOf(b)) || a - b);
  const matched = new Set([...together, ...others].flatMap((observations) => observations.parts));
  return order.filter((part, at) => at === 0 || (matched.has(part) && elementAt(parts, part).startUnixNs !== null));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** For each part, the first part of its profile: devices of one profile share the profiler's clock. */
function sharedClocks(parts: readonly RankPart[]): number[] {
  const firsts = new Map<string, number>();
  return parts.map(({ isDevice, file, startUnixNs }, index) =>
    isDevice ? entryOf(firsts, JSON.stringify([file, startUnixNs]), () => index) : index,
  );
}

/** For each part, the lowest part that is connected to it by operations or a shared clock. */
function components(shared: readonly number[], all: readonly Observations[]): number[] {
  const sets = new DisjointSets(shared.length);
  for (const [index, first] of shared.entries()) sets.join([first, index]);
  for (const { parts } of all) sets.join(parts);
  return sets.all;
}

// When the profile of each rank begins. If profilers are started one after the other, ranks seem to wait for each other
// in their first operations, whichever rank is slow.

/** The parts whose profiles begin first and last, and the time between these in ns. */
export interface ApartBegins {
  readonly first: number;
  readonly last: number;
  readonly time: number;
}

/** Start of each part's profile on the job's clock, relative to the earliest, in ns; null when its clock is unknown. */
export function profileBegins(clocks: readonly RankClock[]): (number | null)[] {
  const begins = clocks.map((clock) => (clock.offset === null ? null : jobTime(clock, 0)));
  const earliest = begins.reduce((least: number, begin) => Math.min(least, begin ?? least), Infinity);
  return begins.map((begin) => (begin === null ? null : begin - earliest));
}

/**
 * Null unless the profiles begin further apart than the duration of a step.
 * @param begins from `profileBegins`
 */
export function apartBegins(begins: readonly (number | null)[], parts: readonly RankPart[]): ApartBegins | null {
  const known = begins.flatMap((begin, part) => (begin === null ? [] : [{ part, begin }]));
  const [first, ...others] = known.sort((a, b) => a.begin - b.begin || a.part - b.part);
  const last = others.at(-1);
  const step = median(parts.flatMap((part) => part.steps.step.map((_, index) => stepLength(part, index))));
  if (first === undefined || last === undefined || step === null || last.begin <= step) return null;
  return { first: first.part, last: last.part, time: last.begin };
}
