/** Copies of a profile among those of a job: the first counts, whatever ranks the others are given as. */
import { entryOf } from '../../containers/map-entry.js';
import type { RankPart } from './part/rank-part.js';

export interface CopiedPart {
  readonly part: RankPart;
  readonly of: RankPart;
}

export function withoutCopies(given: readonly RankPart[]): {
  readonly parts: readonly RankPart[];
  readonly copies: readonly CopiedPart[];
} {
  const first = new Map<unknown, RankPart>();
  const parts: RankPart[] = [];
  const copies: CopiedPart[] = [];
  for (const part of given) {
    const { content, startUnixNs, device } = part;
    const key = content === undefined ? part : `${content} ${startUnixNs ?? ''} ${device}`;
    const of = entryOf(first, key, () => part);
    if (of === part) parts.push(part);
    else copies.push({ part, of });
  }
  return { parts, copies };
}
