/** How evenly the all-to-alls of groups of experts are loaded: what each rank sends, against the mean of its group. */
import { elementAt } from '../../../containers/element.js';
import type { KnownKind } from '../group-kinds.js';
import type { MatchedGroup } from '../matching/match-group.js';
import type { RankPart } from '../part/rank-part.js';

export interface ExpertReport {
  /** Index of the group. */
  readonly group: number;
  /** All-to-alls of which all sizes are known. */
  readonly operations: number;
  /** Mean of what a rank sends in one of them, bytes. */
  readonly bytes: number;
  /** Largest over mean of the ranks: the mean over operations, and the highest. 1 is even. */
  readonly imbalance: number;
  readonly highest: number;
  /** The part that sends most in all, and what it sends over the mean. */
  readonly most: number;
  readonly mostRatio: number;
}

/** A row a group with known sizes, most uneven first. */
export function expertsOf(
  parts: readonly RankPart[],
  matched: readonly MatchedGroup[],
  kinds: readonly (KnownKind | null)[],
): ExpertReport[] {
  return matched
    .flatMap((group, index) => (kinds[index]?.kind === 'expert' ? (expertReport(group, index, parts) ?? []) : []))
    .sort((a, b) => b.imbalance - a.imbalance || a.group - b.group);
}

function expertReport(
  { group, operations }: MatchedGroup,
  index: number,
  parts: readonly RankPart[],
): ExpertReport | null {
  const members = group.members.map(({ part }) => part);
  const sums = new Array<number>(members.length).fill(0);
  let [count, total, ratios, highest] = [0, 0, 0, 0];
  for (const { signature, at } of operations) {
    if (signature.kind !== 'all-to-all') continue;
    const sizes = at.map((one, column) => elementAt(parts, elementAt(members, column)).operations.bytes[one] ?? null);
    const known = sizes.filter((size) => size !== null);
    const sum = known.reduce((all, size) => all + size, 0);
    if (known.length < sizes.length || sum === 0) continue;
    const ratio = (known.reduce((most, size) => Math.max(most, size), 0) * known.length) / sum;
    count++;
    total += sum;
    ratios += ratio;
    highest = Math.max(highest, ratio);
    for (const [column, size] of known.entries()) sums[column] = elementAt(sums, column) + size;
  }
  if (count === 0) return null;
  const most = sums.reduce((found, sum, column) => (sum > elementAt(sums, found) ? column : found), 0);
  return {
    ...{ group: index, operations: count, bytes: total / count / members.length, imbalance: ratios / count, highest },
    ...{ most: elementAt(members, most), mostRatio: (elementAt(sums, most) * members.length) / total },
  };
}
