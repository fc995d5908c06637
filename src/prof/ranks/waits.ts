/**
 * Matched operations on the job's clock: when each rank joined, who was last, how long the others waited, and how long the
 * transfer took from then on.
 */
import { elementAt } from '../../containers/element.js';
import { endsTogether } from './clocks/observations.js';
import { jobTime, type RankClock } from './clocks/job-clocks.js';
import type { MatchedGroup, MatchedOperation } from './matching/match-group.js';
import type { RankPart } from './part/rank-part.js';

export interface OperationWaits {
  readonly operation: MatchedOperation;
  /** Parts that took part, and how long each waited for the last, ns. */
  readonly parts: readonly number[];
  readonly waits: readonly number[];
  /** The part that joined last. */
  readonly last: number;
  /** When the first and the last joined, and when the transfer was over, ns on the job's clock. */
  readonly first: number;
  readonly joined: number;
  readonly end: number;
  /** Ends of each part, likewise. */
  readonly ends: readonly number[];
  /** From the first to the last that joined, ns. */
  readonly skew: number;
  /** From the last that joined to the end, ns; null where ends precede it: clocks are further off than that. */
  readonly transfer: number | null;
}

/** Of each matched operation of a group, in order. Those of ranks whose clocks are unknown are left out. */
export function* waitsOf(
  { group, operations }: MatchedGroup,
  parts: readonly RankPart[],
  clocks: readonly RankClock[],
): Generator<OperationWaits> {
  for (const operation of operations) {
    const present: number[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    for (const [column, at] of operation.at.entries()) {
      const member = elementAt(group.members, column).part;
      const clock = elementAt(clocks, member);
      if (at < 0 || clock.offset === null) continue;
      const { start, dur } = elementAt(parts, member).operations;
      present.push(member);
      starts.push(jobTime(clock, elementAt(start, at)));
      ends.push(jobTime(clock, elementAt(start, at) + elementAt(dur, at)));
    }
    if (present.length < 2) continue;
    const isTogether = endsTogether(operation.signature, group);
    yield { operation, parts: present, ...timesOf(present, starts, ends, isTogether) };
  }
}

function timesOf(
  present: readonly number[],
  starts: readonly number[],
  ends: readonly number[],
  isTogether: boolean,
): Omit<OperationWaits, 'operation' | 'parts'> {
  const lastAt = starts.reduce((last, start, i) => (start > elementAt(starts, last) ? i : last), 0);
  const joined = elementAt(starts, lastAt);
  const first = starts.reduce((least, start) => Math.min(least, start), Infinity);
  // Where all need something of each other, the first that is done has it all; else the transfer is over on the last.
  const end = ends.reduce((found, one) => (isTogether ? Math.min(found, one) : Math.max(found, one)));
  return {
    waits: starts.map((start) => joined - start),
    last: elementAt(present, lastAt),
    ...{ first, joined, end, ends, skew: joined - first },
    transfer: end > joined ? end - joined : null,
  };
}
