/**
 * Ends of matched operations in typed arrays, by which clocks are compared. An operation in which every rank needs data
 * from every other one ends on all of them at nearly the same time.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { MESSAGE, type OperationSignature, type JobGroup } from '../matching/job-groups.js';
import type { MatchedGroup } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';

/** Maximum number of operations per group for comparing clocks, spread over all of them. */
const MOST_OPERATIONS = 2000;

/** Kinds of operations that end on all ranks together. In other kinds, a sender may end before its receiver. */
const TOGETHER: ReadonlySet<string> = new Set(['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all', 'barrier']);

/**
 * In bytes; NCCL's default (NCCL_BUFFSIZE). A larger message does not fit the buffer between sender and receiver, so that
 * the sender ends together with the receiver.
 */
const BUFFER = 4 * 1024 * 1024;

/** Whether an operation of a group ends on all of its ranks at nearly the same time. */
export function endsTogether({ kind, bytes }: OperationSignature, { pair, size, members }: JobGroup): boolean {
  if (kind === MESSAGE) return bytes !== null && bytes > BUFFER;
  // In a larger group, neighbours exchange messages without the others.
  if (kind === 'send-receive') return pair !== null || (size ?? members.length) === 2;
  return TOGETHER.has(kind ?? '');
}

/** Operations of one group: one row per operation, one column per member; NaN for a member that was not captured. */
export interface Observations {
  /** Indices of the members' parts. */
  readonly parts: readonly number[];
  readonly count: number;
  /** Times on each rank's clock, in ns since a common origin. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Whether they are messages between two ranks. These say less about clocks than operations in which all members wait. */
  readonly areMessages: boolean;
}

/**
 * @param shifts time in ns that is added to the times of each part to make them relative to the common origin
 * @param together whether to select operations that end on all ranks together, or the others
 */
export function observationsOf(
  { group, operations }: MatchedGroup,
  parts: readonly RankPart[],
  shifts: readonly number[],
  together: boolean,
): Observations {
  const chosen = operations.filter(({ signature }) => endsTogether(signature, group) === together);
  const count = Math.min(chosen.length, MOST_OPERATIONS);
  const members = group.members.map(({ part }) => part);
  const size = members.length;
  const [starts, ends] = [new Float64Array(count * size).fill(NaN), new Float64Array(count * size).fill(NaN)];
  for (let row = 0; row < count; row++) {
    const { at } = elementAt(chosen, Math.floor((row * chosen.length) / count));
    for (const [column, operation] of at.entries()) {
      if (operation < 0) continue;
      const part = elementAt(members, column);
      const { start, dur } = elementAt(parts, part).operations;
      const begin = elementAt(start, operation) + elementAt(shifts, part);
      starts[row * size + column] = begin;
      ends[row * size + column] = begin + elementAt(dur, operation);
    }
  }
  const areMessages = chosen[0]?.signature.kind === MESSAGE;
  return { parts: members, count, starts, ends, areMessages };
}

/** The operations of one part within its group. */
export interface RankColumn {
  readonly observations: Observations;
  readonly column: number;
}

export function columnsByPart(all: readonly Observations[]): Map<number, RankColumn[]> {
  const columns = new Map<number, RankColumn[]>();
  for (const observations of all)
    for (const [column, part] of observations.parts.entries())
      entryOf(columns, part, (): RankColumn[] => []).push({ observations, column });
  return columns;
}
