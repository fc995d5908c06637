/**
 * Ranks that do the same work, which alone are compared: those that groups other than pipelines join. Stages of a
 * pipeline have layers of their own.
 */
import { DisjointSets } from '../../../containers/disjoint-sets.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { KnownKind } from '../group-kinds.js';
import type { JobGroup } from '../matching/job-groups.js';
import type { RankPart } from '../part/rank-part.js';

/** Kinds of groups whose ranks may do different work. */
const APART: ReadonlySet<string> = new Set(['pipeline', 'world', 'model']);

/** Lists of parts, in order of their first. All parts are peers where no group says otherwise. */
export function peersOf(
  parts: readonly RankPart[],
  groups: readonly JobGroup[],
  kinds: readonly (KnownKind | null)[],
): number[][] {
  const hasStages = kinds.some((kind) => kind?.kind === 'pipeline');
  if (!hasStages) return [parts.map((_, index) => index)];
  const sets = new DisjointSets(parts.length);
  for (const [index, { members }] of groups.entries()) {
    const kind = kinds[index]?.kind;
    if (kind !== undefined && !APART.has(kind)) sets.join(members.map(({ part }) => part));
  }
  const classes = new Map<number, number[]>();
  for (const [index, first] of sets.all.entries()) entryOf(classes, first, (): number[] => []).push(index);
  return [...classes.values()];
}
