/**
 * Finds ranks whose own work is slower than that of their peers more often than by chance, and determines by how much,
 * since when, and why.
 */
import { elementAt, append } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';
import { falseDiscovery } from '../../diff/mann-whitney.js';
import type { RankPart } from '../part/rank-part.js';
import { delaysOf, type Delay } from './delays.js';
import { lateSetOf, mostLate } from './late-alike.js';
import { excessOver, ownWorkOf, type OwnWork } from './own-work.js';
import { chanceOf, leastChance, stepPlaces, type StepPlaces, changeOf, type StepWindow } from './rank-sum-test.js';
import { reasonsOf, type Reasons } from './reasons.js';
import { unitsOf, worstRow, type NamedGroup, type Unit, type UnitLevel } from './tested-units.js';

/** A rank, or the ranks of a machine or a group that do the same work. */
export interface Straggler {
  /** The rank; for a machine or a group, the latest of its ranks. */
  readonly part: number;
  readonly level: UnitLevel;
  /** Name of the machine or the group; null for a rank. */
  readonly name: string | null;
  /** Parts of its ranks. */
  readonly members: readonly number[];
  /**
   * First and last step of the stretch in which it is late, at the end or the start of the profile; null when it is late in
   * all steps.
   */
  readonly since: number | null;
  readonly until: number | null;
  /** Own work per step beyond the median of the peers in ns, as mean over these steps. */
  readonly late: number;
  /** Lateness as a share of the step. */
  readonly share: number;
  /** q-value: the p-value adjusted for all tests, which is the expected share of false positives. */
  readonly q: number;
  /** Number of steps in which it was compared, and number of those in which it was late by more than half of the mean. */
  readonly steps: number;
  readonly lateIn: number;
  /** Number of ranks, machines or groups that were compared, including itself. */
  readonly peers: number;
  readonly reasons: Reasons;
}

/** Maximum expected share of false positives among the reported stragglers. */
export const FALSE_DISCOVERY_RATE = 0.02;
/**
 * Minimum share of a step to be mentioned, even if it may be due to chance. It is also the minimum for stragglers in
 * only a stretch of the steps.
 */
const NOTABLE_SHARE = 0.01;
/** Minimum share of a step for a straggler, however constant the lateness is, because devices differ slightly. */
const LEAST_SHARE = 0.002;

/** A rank that could not be tested, and why. */
export interface Untested {
  readonly part: number;
  readonly why: string;
}

export interface Lateness {
  /** Machines first, then groups, then ranks; the latest first. */
  readonly stragglers: readonly Straggler[];
  /** Ranks that were very late in some steps without being late in most; largest time first. */
  readonly delays: readonly Delay[];
  /**
   * When there are no stragglers, the rank with the largest notable lateness; there are too few steps to distinguish it
   * from chance. Null for none.
   */
  readonly latest: Straggler | null;
  /** Number of parts that could be tested. */
  readonly tested: number;
  /** Parts that could not be tested, in order. */
  readonly untested: readonly Untested[];
}

export interface ComparedRanks {
  /** Lists of parts that do the same work. */
  readonly classes: readonly (readonly number[])[];
  /** Machine of each part; null when unknown. */
  readonly nodes: readonly (string | null)[];
  readonly groups: readonly NamedGroup[];
  /** Parts whose times fit no clock. */
  readonly refuted: ReadonlySet<number>;
}

export function latenessOf(parts: readonly RankPart[], { classes, nodes, groups, refuted }: ComparedRanks): Lateness {
  const works = classes.map((peers) =>
    ownWorkOf(
      parts,
      peers.filter((peer) => !refuted.has(peer)),
    ),
  );
  const families = works.flatMap((work) => unitsOf(work, nodes, groups).map((units): Family => ({ own: work, units })));
  const { named, first } = inRounds(families);
  const stragglers = named.map((test) => stragglerOf(parts, test, named)).sort(inOrder);
  const delays = delaysOf(parts, works, stragglers, FALSE_DISCOVERY_RATE);
  const ranks = first.filter(({ unit: { level }, window }) => level === 'rank' && window === null);
  const delayed = new Set(delays.map(({ part }) => part));
  const [latest] = ranks
    .filter((test) => test.share >= NOTABLE_SHARE && !delayed.has(partOf(test)))
    .sort((a, b) => b.late - a.late);
  // Others would not be found late even if they alone were last in each of their steps: they have too few.
  const tests = first.filter(isOfRanks).length;
  const canBeLate = ranks.filter(({ q, least }) => Math.min(q, least * tests) <= FALSE_DISCOVERY_RATE);
  const compared = new Set([...canBeLate, ...named.filter(({ unit }) => unit.level === 'rank')].map(partOf));
  const whyNot = whyUntested(parts, { classes, works, refuted });
  return {
    ...{ stragglers, delays },
    latest: stragglers.length > 0 || latest === undefined ? null : stragglerOf(parts, latest, []),
    tested: compared.size,
    untested: parts.flatMap((_, part) => (compared.has(part) ? [] : [{ part, why: whyNot(part) }])),
  };
}

/** Units that are compared with each other. */
interface Family {
  readonly own: OwnWork;
  readonly units: readonly Unit[];
}

/**
 * Reported units take the last places from the others, which are therefore tested again without them until no more are
 * found. If no unit is late, there is only one round, with the allowed rate of false positives. The same rate applies
 * to each later round.
 */
function inRounds(families: readonly Family[]): {
  readonly named: readonly Outcome[];
  readonly first: readonly Outcome[];
} {
  const first = outcomes(families);
  const named: Outcome[] = [];
  for (let found = first; ;) {
    const alone = withoutRepeated(found.filter(isLate));
    const late = alone.length > 0 ? alone : families.flatMap((family) => lateAlike(family, named));
    if (late.length === 0) break;
    append(named, late);
    found = outcomes(without(families, named));
  }
  return { named: named.map((test) => againstOthers(test, families, named)), first };
}

function without(families: readonly Family[], named: readonly Test[]): Family[] {
  const units = new Set(named.map(({ unit }) => unit));
  return families.map((family) => ({ ...family, units: family.units.filter((unit) => !units.has(unit)) }));
}

/**
 * Units that are late by about the same time hide each other, so each of them is tested only against units that are not
 * late.
 */
function lateAlike(family: Family, named: readonly Test[]): Outcome[] {
  const units = without([family], named).flatMap((other) => other.units);
  const most = mostLate(family.units.length) - (family.units.length - units.length);
  const set = lateSetOf(
    units.map(({ times }) => times),
    most,
  );
  if (set === null || set.p > FALSE_DISCOVERY_RATE) return [];
  const late = set.rows.map((row) => elementAt(units, row));
  const others = units.filter((unit) => !late.includes(unit));
  return late.flatMap((unit) => {
    const test = testOf(family.own, [unit, ...others]);
    if (test === null || test.p === null) return [];
    // The tested unit may be any of them.
    const outcome = withLateness(test, Math.max(set.p, Math.min(1, test.p * test.peers.length)));
    return isLate(outcome) ? [outcome] : [];
  });
}

/** Whether a test is about all steps of a rank or a machine. */
function isOfRanks({ window, unit }: Test): boolean {
  return window === null && unit.level !== 'group';
}

/** Hypotheses about the ranks; the rate of false positives is controlled for each separately. */
const QUESTIONS: readonly ((test: Test) => boolean)[] = [
  isOfRanks,
  ({ window, unit }) => window === null && unit.level === 'group',
  ({ window }) => window !== null,
];

function outcomes(families: readonly Family[]): Outcome[] {
  const tests = families.flatMap(({ own: work, units }) => tested(work, units));
  return QUESTIONS.flatMap((isAsked) => {
    const asked = tests.filter(isAsked);
    const qs = falseDiscovery(asked.map(({ p }) => p));
    return asked.flatMap((test, index): Outcome[] => {
      const q = qs[index] ?? null;
      return q === null ? [] : [withLateness(test, q)];
    });
  });
}

function withLateness(test: Test, q: number): Outcome {
  const late = meanLate(test);
  return { ...test, late, share: late / test.own.typical, q };
}

/** Lateness compared with units that are not reported. */
function againstOthers(test: Outcome, families: readonly Family[], named: readonly Test[]): Outcome {
  const family = families.find(({ own: work, units }) => work === test.own && units.includes(test.unit));
  const [others] = without(family === undefined ? [] : [family], named);
  if (others === undefined || others.units.length === 0) return test;
  const [excess = []] = excessOver([test.unit, ...others.units].map(({ times }) => times));
  const isKnown = test.columns.every((column) => !Number.isNaN(excess[column]));
  return isKnown ? withLateness({ ...test, excess }, test.q) : test;
}

const isLate = (outcome: Outcome): boolean =>
  outcome.q <= FALSE_DISCOVERY_RATE &&
  outcome.share >= (outcome.window === null ? LEAST_SHARE : NOTABLE_SHARE) &&
  isOfMost(outcome);

/**
 * For a machine or a group: whether most of its ranks are late by at least half of its lateness, compared with the ranks of
 * the others.
 */
function isOfMost({ own: work, unit, peers, columns, late }: Outcome): boolean {
  if (unit.level === 'rank') return true;
  const others = peers.flatMap(({ rows }) => (rows === unit.rows ? [] : rows));
  const timesIn = (rows: readonly number[], column: number): number[] =>
    rows.map((row) => elementAt(elementAt(work.times, row), column)).filter((time) => !Number.isNaN(time));
  const middles = columns.map((column) => median(timesIn(others, column)) ?? NaN);
  const isAsLate = (row: number): boolean => {
    const known = columns
      .map((column, index) => elementAt(elementAt(work.times, row), column) - elementAt(middles, index))
      .filter((difference) => !Number.isNaN(difference));
    return known.reduce((sum, difference) => sum + difference, 0) > (known.length * late) / 2;
  };
  return unit.rows.filter(isAsLate).length > unit.rows.length / 2;
}

const partOf = ({ own: work, unit: { rows } }: Test): number => elementAt(work.parts, elementAt(rows, 0));

/** A unit compared with the others, in all steps or in a stretch of them. */
interface Test {
  readonly own: OwnWork;
  readonly unit: Unit;
  /** Units in the comparison, including itself. */
  readonly peers: readonly Unit[];
  /** How much longer it took than the median of the others, one column per step. */
  readonly excess: readonly number[];
  /** Columns of the compared steps. */
  readonly columns: readonly number[];
  /** Null for all steps. */
  readonly window: StepWindow | null;
  /** Null when even a unit that is last in each step could be so by chance. */
  readonly p: number | null;
  /** The p-value of a unit that is last in every step. */
  readonly least: number;
}

/** A test with its result. */
interface Outcome extends Test {
  readonly late: number;
  readonly share: number;
  readonly q: number;
}

/** Tests the first unit against the others, in all steps. */
function testOf(work: OwnWork, units: readonly Unit[]): Test | null {
  const times = units.map((unit) => unit.times);
  const [[unit], [places], [excess]] = [units, stepPlaces(times), excessOver(times)];
  if (unit === undefined || places === undefined || excess === undefined) return null;
  return { own: work, unit, peers: units, excess, columns: places.columns, window: null, ...chances(places) };
}

function tested(work: OwnWork, units: readonly Unit[]): Test[] {
  const times = units.map((unit) => unit.times);
  const excess = excessOver(times);
  return stepPlaces(times).flatMap((all, index): Test[] => {
    const common = { own: work, unit: elementAt(units, index), peers: units, excess: elementAt(excess, index) };
    const whole = { ...common, columns: all.columns, window: null, ...chances(all) };
    const change = changeOf(all, FALSE_DISCOVERY_RATE);
    if (change === null) return [whole];
    return [whole, { ...whole, columns: change.columns, window: change, p: change.p }];
  });
}

function chances({ places, sizes }: StepPlaces): Pick<Test, 'p' | 'least'> {
  const least = sizes.length === 0 ? 1 : leastChance(sizes);
  return { p: least <= FALSE_DISCOVERY_RATE ? chanceOf(places, sizes) : null, least };
}

/** A unit that is late in all steps and also in a stretch is reported for the result that is less likely by chance. */
function withoutRepeated(found: readonly Outcome[]): Outcome[] {
  const clearest = new Map<Unit, Outcome>();
  for (const outcome of found) {
    const other = clearest.get(outcome.unit);
    if (other === undefined || outcome.q < other.q) clearest.set(outcome.unit, outcome);
  }
  return [...clearest.values()];
}

const meanLate = ({ excess, columns }: Test): number =>
  columns.reduce((sum, column) => sum + elementAt(excess, column), 0) / columns.length;

const LEVELS: Readonly<Record<UnitLevel, number>> = { machine: 0, group: 1, rank: 2 };

const inOrder = (a: Straggler, b: Straggler): number =>
  LEVELS[a.level] - LEVELS[b.level] || b.late - a.late || a.part - b.part;

/** @param named all late units, which are not used as peers of each other */
function stragglerOf(parts: readonly RankPart[], test: Outcome, named: readonly Test[]): Straggler {
  const { own: work, unit, excess, columns, window, peers, late, share, q } = test;
  const row = worstRow(work, unit.rows);
  const lateRows = new Set([...unit.rows, ...named.flatMap((other) => (other.own === work ? other.unit.rows : []))]);
  const together = lateRows.size < work.parts.length ? [...lateRows] : unit.rows;
  const stepAt = (column: number | undefined): number | null =>
    column === undefined || window === null ? null : (work.steps[column] ?? null);
  return {
    ...{ part: elementAt(work.parts, row), level: unit.level, name: unit.name },
    members: unit.rows.map((member) => elementAt(work.parts, member)),
    since: window?.isEnd === true ? stepAt(columns[0]) : null,
    until: window?.isEnd === false ? stepAt(columns.at(-1)) : null,
    ...{ late, share, q, steps: columns.length, peers: peers.length },
    lateIn: columns.filter((column) => elementAt(excess, column) > late / 2).length,
    reasons: reasonsOf(parts, work, { row, together, columns }),
  };
}

function whyUntested(
  parts: readonly RankPart[],
  { classes, works, refuted }: Pick<ComparedRanks, 'classes' | 'refuted'> & { readonly works: readonly OwnWork[] },
): (part: number) => string {
  const believed = classes.map((peers) => peers.filter((peer) => !refuted.has(peer)));
  const withPeers = new Set(believed.flatMap((peers) => (peers.length < 2 ? [] : peers)));
  const inWorks = new Set(works.flatMap((work) => work.parts));
  return (part) => {
    if (refuted.has(part)) return 'its times do not fit any clock';
    if (elementAt(parts, part).steps.step.length === 0) return 'it has no step';
    if (!withPeers.has(part)) return 'no other rank does the same work';
    return inWorks.has(part)
      ? 'too few steps in common with ranks that do the same work'
      : 'no step in common with ranks that do the same work';
  };
}
