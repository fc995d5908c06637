/** Matched groups that steps or times show to be wrong, and the parts of them that can be kept. */
import { elementAt } from '../../../containers/element.js';
import { addTo } from '../../../containers/map-entry.js';
import type { RankPart } from '../part/rank-part.js';
import type { JobGroup } from './job-groups.js';
import { operationsIn, unmatchedGroup, type MatchedGroup, type MatchedOperation } from './match-group.js';

/** A group whose matching is impossible: some operations end before all ranks have joined. */
export const refuted = (group: JobGroup, doubt: string): MatchedGroup => ({
  ...unmatchedGroup(group, 'times-differ', operationsIn(group)),
  doubt,
});

/** The group without the operations of some of its ranks. */
export function withoutParts(matched: MatchedGroup, left: ReadonlySet<number>, doubt: string): MatchedGroup {
  const { group } = matched;
  const unmatched = new Map(matched.unmatched);
  const operations = matched.operations.flatMap((operation): MatchedOperation[] => {
    const isLeft = (column: number): boolean => left.has(elementAt(group.members, column).part);
    const at = operation.at.map((one, column) => (isLeft(column) ? -1 : one));
    const [before, after] = [operation.at, at].map((list) => list.filter((one) => one >= 0).length) as [number, number];
    if (before > after) addTo(unmatched, 'times-differ', before - after);
    if (after > 1) return [{ ...operation, at }];
    if (after > 0) addTo(unmatched, 'not-captured', after);
    return [];
  });
  return { ...matched, operations, unmatched, doubt };
}

/** The group without some of its ranks, whose operations must not be matched. */
export const withoutMembers = (group: JobGroup, left: ReadonlySet<number>): JobGroup =>
  group.members.some(({ part }) => left.has(part))
    ? { ...group, members: group.members.filter(({ part }) => !left.has(part)) }
    : group;

/** The whole group again; the ranks that were left out have no counterparts. */
export function withMembers(matched: MatchedGroup, whole: JobGroup): MatchedGroup {
  const kept = matched.group.members;
  if (kept.length === whole.members.length) return matched;
  if (kept.length < 2) return unmatchedGroup(whole, 'no-clock', operationsIn(whole));
  const columns = new Map(kept.map(({ part }, column) => [part, column] as const));
  const unmatched = new Map(matched.unmatched);
  addTo(unmatched, 'no-clock', operationsIn(whole) - operationsIn(matched.group));
  const operations = matched.operations.map((operation) => ({
    ...operation,
    at: whole.members.map(({ part }) => operation.at[columns.get(part) ?? -1] ?? -1),
  }));
  return { ...matched, group: whole, operations, unmatched };
}

/** Number of operations of all ranks with a counterpart. */
export const matchedIn = ({ operations }: MatchedGroup): number =>
  operations.reduce((sum, { at }) => sum + at.filter((one) => one >= 0).length, 0);

/** Whether some rank has operations, but none of them has a counterpart. */
export const hasLoneMember = ({ group, operations }: MatchedGroup): boolean =>
  group.members.some((_, column) => operations.every(({ at }) => elementAt(at, column) < 0));

/** Whether two ways of matching a group give the same result. */
export const hasSameOperations = (a: MatchedGroup, b: MatchedGroup): boolean => {
  const of = ({ operations }: MatchedGroup): string[] => operations.map(({ at }) => at.join()).sort();
  const [first, second] = [of(a), of(b)];
  return first.length === second.length && first.every((one, index) => one === second[index]);
};

/** Whether most of the matched operations belong to different steps on different ranks. */
export function isAcrossSteps({ group, operations }: MatchedGroup, parts: readonly RankPart[]): boolean {
  const across = operations.filter(({ at }) => {
    const steps = at.flatMap((one, column) => {
      const { step } = elementAt(parts, elementAt(group.members, column).part).operations;
      return one < 0 ? [] : (step[one] ?? []);
    });
    return steps.some((step) => step !== steps[0]);
  });
  return across.length > operations.length / 2;
}
