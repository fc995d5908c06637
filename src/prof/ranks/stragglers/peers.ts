/**
 * Ranks that do the same work, which alone are compared: those that groups other than pipelines join. Stages of a
 * pipeline have layers of their own.
 */
import { elementAt } from '../../../containers/element.js';
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
  const parent = parts.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (elementAt(parent, root) !== root) root = elementAt(parent, root);
    parent[index] = root;
    return root;
  };
  for (const [index, { members }] of groups.entries()) {
    const kind = kinds[index]?.kind;
    if (kind === undefined || APART.has(kind)) continue;
    const [first, ...others] = members.map(({ part }) => part);
    if (first === undefined) continue;
    for (const other of others) {
      const [low, high] = [Math.min(rootOf(first), rootOf(other)), Math.max(rootOf(first), rootOf(other))];
      parent[high] = low;
    }
  }
  const classes = new Map<number, number[]>();
  for (const index of parts.keys()) entryOf(classes, rootOf(index), (): number[] => []).push(index);
  return [...classes.values()];
}
