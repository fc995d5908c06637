/**
 * Copies of a profile among those of a job: the first counts, whatever ranks the others are given as. Containers of two
 * machines may have the same process ids, and programs that are made may have the same times: these are no copies.
 */
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
  const firsts = new Map<unknown, RankPart[]>();
  const parts: RankPart[] = [];
  const copies: CopiedPart[] = [];
  for (const part of given) {
    const { content, startUnixNs, device } = part;
    const key = content === undefined ? part : `${content} ${startUnixNs ?? ''} ${device}`;
    const same = entryOf(firsts, key, () => []);
    const of = same.find(({ host }) => host === part.host || host === null || part.host === null);
    if (of !== undefined) copies.push({ part, of });
    else {
      same.push(part);
      parts.push(part);
    }
  }
  return { parts, copies };
}
