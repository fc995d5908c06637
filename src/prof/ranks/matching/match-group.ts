/**
 * Matches the operations of one group across ranks: by their ordinals if the profiler records them, else by their order
 * within the steps of the job, else by their order in the whole profile.
 */
import { elementAt } from '../../../containers/element.js';
import { addTo, entryOf } from '../../../containers/map-entry.js';
import type { OperationColumns, RankPart } from '../part/rank-part.js';
import { matchByTime, type EndedOperation } from './match-by-time.js';
import {
  fits,
  signatureOf,
  signatureText,
  type GroupMember,
  type JobGroup,
  type OperationSignature,
} from './job-groups.js';

/**
 * Maximum number of comparisons of one search. Without a limit, lists with one repeated pattern would take the product
 * of both lengths.
 */
const MOST_COMPARISONS = 20_000_000;

/**
 * Offset of a list within the base list.
 * @param edges whether operations may be missing before it, and after it
 * @param fits whether an entry of the list may be one of the base
 * @returns null when the list does not fit. If operations may be missing on both sides, also null when it fits in several
 *   places or the comparison limit is reached.
 */
export function alignments(
  list: readonly number[],
  base: readonly number[],
  edges: { readonly begins: boolean; readonly ends: boolean },
  fits: (entry: number, baseEntry: number) => boolean,
): number | null {
  const most = base.length - list.length;
  let left = MOST_COMPARISONS;
  const isAt = (shift: number): boolean =>
    list.every((entry, k) => left-- > 0 && fits(entry, elementAt(base, k + shift)));
  if (edges.begins && !edges.ends) return isAt(most) ? most : null;
  if (edges.ends && !edges.begins) return isAt(0) ? 0 : null;
  if (!edges.begins) return null;
  let found: number | null = null;
  for (let shift = 0; shift <= most; shift++) {
    if (!isAt(shift)) continue;
    if (found !== null) return null;
    found = shift;
  }
  return left > 0 ? found : null;
}

/**
 * How operations were matched: by ordinal (also operations of one launch for several devices), by order within steps or in
 * the whole profile, or by time.
 */
export type MatchedBy = 'ordinal' | 'step' | 'order' | 'time';

/** Why an operation of a rank has no counterpart. */
export type UnmatchedReason =
  'no-other-rank' | 'no-peer' | 'not-captured' | 'mismatch' | 'no-alignment' | 'times-differ' | 'no-clock';

/** An operation in which at least two ranks took part: for each member of the group, the index of its operation, or -1. */
export interface MatchedOperation {
  readonly signature: OperationSignature;
  readonly at: readonly number[];
}

export interface MatchedGroup {
  readonly group: JobGroup;
  readonly by: MatchedBy | null;
  readonly operations: readonly MatchedOperation[];
  /** Unmatched operations across all ranks of the group, by reason. */
  readonly unmatched: ReadonlyMap<UnmatchedReason, number>;
  /** The first operations that differ, at which matching ended; null when none do. */
  readonly mismatch: string | null;
  /** Why the ordinals, or the order, of the group or of some of its ranks were not trusted; null when they were. */
  readonly doubt: string | null;
}

export function matchGroup(group: JobGroup, parts: readonly RankPart[]): MatchedGroup {
  const { members } = group;
  const count = operationsIn(group);
  if (members.length < 2) return unmatchedGroup(group, 'no-other-rank', count);
  if (group.lone) return unmatchedGroup(group, 'no-peer', count);
  const sides = members.map((member) => new Side(member, elementAt(parts, member.part)));
  for (const { by, find } of ATTEMPTS) {
    const found = find(sides);
    if (found !== null) return { group, by, ...compared(sides, found, count), doubt: null };
  }
  return unmatchedGroup(group, 'no-alignment', count);
}

/**
 * Matches the same group by order within steps, whatever its ordinals; null when steps do not determine which operations
 * belong together.
 */
export function matchGroupByStep(group: JobGroup, parts: readonly RankPart[]): MatchedGroup | null {
  if (group.members.length < 2 || group.lone) return null;
  const sides = group.members.map((member) => new Side(member, elementAt(parts, member.part)));
  const found = byStep(sides);
  return found === null ? null : { group, by: 'step', ...compared(sides, found, operationsIn(group)), doubt: null };
}

/**
 * Matches the same group by the times at which operations end.
 * @param shifts starts of the profiles
 * @returns null when no offset between the clocks stands out
 */
export function matchGroupByTime(
  { group, mismatch }: MatchedGroup,
  parts: readonly RankPart[],
  shifts: readonly number[],
): MatchedGroup | null {
  const sides = group.members.map((member) => new Side(member, elementAt(parts, member.part)));
  const count = operationsIn(group);
  const longest = indexOfMost(sides.map(({ size }) => size));
  const ended = sides.map((side, index) => side.ended(elementAt(shifts, elementAt(group.members, index).part)));
  const base = elementAt(ended, longest);
  const rows = base.map(() => new Array<number>(sides.length).fill(-1));
  for (const [index, list] of ended.entries()) {
    const pairs = index === longest ? list.map((_, at) => at) : matchByTime(base, list);
    if (pairs === null) return null;
    for (const [at, row] of pairs.entries()) if (row >= 0) elementAt(rows, row)[index] = elementAt(list, at).position;
  }
  const { operations } = compared(sides, { rows, stopped: null }, count);
  const matched = operations.reduce((sum, { at }) => sum + at.filter((index) => index >= 0).length, 0);
  const unmatched = new Map<UnmatchedReason, number>(matched < count ? [['not-captured', count - matched]] : []);
  return { group, by: 'time', operations, unmatched, mismatch, doubt: null };
}

export const operationsIn = ({ members }: JobGroup): number =>
  members.reduce((sum, { operations }) => sum + operations.length, 0);

/** Index of the first of the largest values. */
const indexOfMost = (lengths: readonly number[]): number =>
  lengths.reduce((most, length, index) => (length > elementAt(lengths, most) ? index : most), 0);

export const unmatchedGroup = (group: JobGroup, reason: UnmatchedReason, count: number): MatchedGroup => ({
  ...{ group, by: null, operations: [], mismatch: null, doubt: null },
  unmatched: new Map([[reason, count]]),
});

/** The operations of one member. */
class Side {
  readonly columns: OperationColumns;

  constructor(
    readonly member: GroupMember,
    readonly part: RankPart,
  ) {
    this.columns = part.operations;
  }

  get size(): number {
    return this.member.operations.length;
  }

  signature(position: number): OperationSignature {
    return signatureOf(this.columns, elementAt(this.member.operations, position));
  }

  /** Operations in order of end; `position` is the index in order of start time. */
  ended(shift: number): (EndedOperation & { readonly position: number })[] {
    const { start, dur } = this.columns;
    return this.member.operations
      .map((at, position) => ({
        position,
        end: elementAt(start, at) + elementAt(dur, at) + shift,
        kind: this.signature(position).kind,
      }))
      .sort((a, b) => a.end - b.end);
  }

  /** Ordinals of all operations, with a counter for repeated ones; null when some have no ordinal. */
  get ordinals(): string[] | null {
    const counts = new Map<number, number>();
    const ordinals: string[] = [];
    for (const at of this.member.operations) {
      const ordinal = this.columns.ordinal[at] ?? null;
      if (ordinal === null) return null;
      addTo(counts, ordinal, 1);
      ordinals.push(`${ordinal}/${counts.get(ordinal) ?? 0}`);
    }
    return ordinals;
  }
}

/** One row per operation: its position on each side, or -1. */
type Rows = readonly (readonly number[])[];

/** Rows up to the point where the sides no longer match; `stopped` says why, and is null when they match to the end. */
interface Found {
  readonly rows: Rows;
  readonly stopped: string | null;
}

const ATTEMPTS: readonly { readonly by: MatchedBy; readonly find: (sides: readonly Side[]) => Found | null }[] = [
  { by: 'ordinal', find: byOrdinal },
  { by: 'step', find: byStep },
  { by: 'order', find: byOrder },
];

/** Rows of operations with the same ordinal; null when some have no ordinal. */
function byOrdinal(sides: readonly Side[]): Found | null {
  const rows = new Map<string, number[]>();
  for (const [index, { ordinals }] of sides.entries()) {
    if (ordinals === null) return null;
    for (const [position, ordinal] of ordinals.entries())
      entryOf(rows, ordinal, () => new Array<number>(sides.length).fill(-1))[index] = position;
  }
  return { rows: [...rows.values()], stopped: null };
}

/** Rows of each step, aligned by order; null when an operation is in no step, or the sides have no step in common. */
function byStep(sides: readonly Side[]): Found | null {
  const steps = sides.map(positionsByStep);
  if (steps.some((positions) => positions === null)) return null;
  const numbers = new Set(steps.flatMap((positions) => [...(positions?.keys() ?? [])]));
  const rows: (readonly number[])[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const lists = steps.map((positions) => positions?.get(number) ?? []);
    const edges = steps.map((positions) => edgesOf(positions, number));
    const aligned = alignedRows(sides, lists, edges);
    if (aligned === null) return rows.length === 0 ? null : { rows, stopped: unequalText(sides, lists, number) };
    for (const row of aligned) rows.push(row);
  }
  return { rows, stopped: null };
}

/** Text about the ranks with the most and the fewest operations of a step. */
function unequalText(sides: readonly Side[], lists: readonly (readonly number[])[], step: number): string {
  const lengths = lists.map(({ length }) => length);
  const textOf = (index: number): string =>
    `${nameOf(elementAt(sides, index).part)} has ${elementAt(lengths, index)} operations`;
  return `in step ${step} ${textOf(indexOfMost(lengths))}, ${textOf(indexOfMost(lengths.map((length) => -length)))}`;
}

const nameOf = ({ rank, file }: RankPart): string => (rank === null ? file : `rank ${rank}`);

function positionsByStep(side: Side): Map<number, number[]> | null {
  const steps = new Map<number, number[]>();
  for (const [position, at] of side.member.operations.entries()) {
    const step = side.columns.step[at] ?? null;
    if (step === null) return null;
    entryOf(steps, step, (): number[] => []).push(position);
  }
  return steps;
}

/** Whether a profile may begin or end within a step, which is possible in its first and its last step. */
function edgesOf(steps: Map<number, number[]> | null | undefined, number: number): Edges {
  let [first, last] = [Infinity, -Infinity];
  for (const step of steps?.keys() ?? []) {
    first = Math.min(first, step);
    last = Math.max(last, step);
  }
  return { begins: number === first, ends: number === last };
}

interface Edges {
  readonly begins: boolean;
  readonly ends: boolean;
}

/** Rows over the whole profiles. */
function byOrder(sides: readonly Side[]): Found | null {
  const lists = sides.map(({ member }) => member.operations.map((_, position) => position));
  const edges = sides.map(() => ({ begins: true, ends: true }));
  const rows = alignedRows(sides, lists, edges);
  return rows === null ? null : { rows, stopped: null };
}

/**
 * Aligns lists of positions. The longest is the base; a shorter one lacks operations at an edge of its profile.
 * @returns null when a shorter list does not fit the base in exactly one way
 */
function alignedRows(
  sides: readonly Side[],
  lists: readonly (readonly number[])[],
  edges: readonly Edges[],
): Rows | null {
  const longest = indexOfMost(lists.map(({ length }) => length));
  const base = elementAt(lists, longest);
  const rows = base.map(() => new Array<number>(sides.length).fill(-1));
  for (const [index, list] of lists.entries()) {
    if (list.length === 0) continue;
    const { begins, ends } = elementAt(edges, index);
    const fitsAt = (position: number, at: number): boolean =>
      fits(elementAt(sides, index).signature(position), elementAt(sides, longest).signature(at));
    // Lists of equal length are compared without a shift, so that a difference is reported.
    const shift = list.length === base.length ? 0 : alignments(list, base, { begins, ends }, fitsAt);
    if (shift === null) return null;
    for (const [k, position] of list.entries()) elementAt(rows, k + shift)[index] = position;
  }
  return rows;
}

/** Rows whose operations agree, up to the first that do not. */
function compared(
  sides: readonly Side[],
  { rows, stopped }: Found,
  count: number,
): Pick<MatchedGroup, 'operations' | 'unmatched' | 'mismatch'> {
  const operations: MatchedOperation[] = [];
  let mismatch = stopped;
  let matched = 0;
  let alone = 0;
  for (const row of rows) {
    const present = row.flatMap((position, side) => (position < 0 ? [] : [{ position, side }]));
    if (present.length < 2) {
      alone += present.length;
      continue;
    }
    const signatures = present.map(({ position, side }) => elementAt(sides, side).signature(position));
    const first = elementAt(signatures, 0);
    const other = signatures.findIndex((signature) => !fits(first, signature));
    if (other >= 0) {
      mismatch = mismatchText(sides, present, signatures, other);
      break;
    }
    matched += present.length;
    operations.push({
      signature: merged(signatures),
      at: row.map((position, side) =>
        position < 0 ? -1 : elementAt(elementAt(sides, side).member.operations, position),
      ),
    });
  }
  const rest = count - matched - alone;
  const unmatched = new Map<UnmatchedReason, number>();
  if (alone > 0) unmatched.set('not-captured', alone);
  if (rest > 0) unmatched.set('mismatch', rest);
  return { operations, unmatched, mismatch };
}

/** Combines the known values. */
const merged = (signatures: readonly OperationSignature[]): OperationSignature => ({
  kind: signatures.find(({ kind }) => kind !== null)?.kind ?? null,
  bytes: signatures.find(({ bytes }) => bytes !== null)?.bytes ?? null,
  dtype: signatures.find(({ dtype }) => dtype !== null)?.dtype ?? null,
});

function mismatchText(
  sides: readonly Side[],
  present: readonly { readonly position: number; readonly side: number }[],
  signatures: readonly OperationSignature[],
  other: number,
): string {
  const textOf = (index: number): string => {
    const { side, position } = elementAt(present, index);
    const { part } = elementAt(sides, side);
    return `${nameOf(part)} has ${signatureText(elementAt(signatures, index))} as number ${position + 1}`;
  };
  return `${textOf(0)}, ${textOf(other)}`;
}
