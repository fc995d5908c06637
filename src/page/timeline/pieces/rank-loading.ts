/** Events of a piece of one rank, or of the same piece of several on one axis. */
import { elementAt } from '../../../containers/element.js';
import type { Timeline } from '../../../prof/html/timeline/timeline-data.js';
import { loadEvents } from '../events/events.js';
import { loadExtras, type LoadedTimeline } from '../tracks/load-tracks.js';
import { extrasOnAxis, type RankExtras } from '../tracks/rank-extras.js';
import { NO_CONTEXT, type ContextOfProfile } from '../tracks/timeline-context.js';
import type { AlignedPieces } from './aligned-pieces.js';
import { joinedCoverage } from './joined-coverage.js';
import { joinRanks, type RankEvents } from './joined-ranks.js';
import type { PageRank } from './page-ranks.js';

/** @param piece of those that the page holds */
export type LoadPiece = (profile: number, piece: number) => Promise<Timeline>;

/**
 * @param own whose times the axis has
 * @param piece of that rank
 * @param isWanted asked before each rank is read: the user may have gone on
 * @throws Error with one line where the page does not hold a piece, or it is no longer wanted
 */
export async function loadRanks(
  { pieces, time }: AlignedPieces,
  own: PageRank,
  piece: number,
  load: LoadPiece,
  isWanted: () => boolean,
  contextOf: ContextOfProfile = () => Promise.resolve(NO_CONTEXT),
): Promise<LoadedTimeline> {
  const parts: RankEvents[] = [];
  const extras: RankExtras[] = [];
  for (const { rank, piece: at, isCut } of pieces) {
    if (!isWanted()) throw new Error('another one is shown');
    const loaded = await load(rank.profile, at);
    const events = await loadEvents(loaded);
    parts.push({ rank, isCut, events });
    extras.push({
      rank,
      origin: events.origin,
      extras: await loadExtras(loaded, events, await contextOf(rank.profile)),
    });
  }
  const merged = parts.map(({ events }) => events.coverage.merged);
  const coverage = joinedCoverage(elementAt(own.timeline.pieces, piece).name, time, own.name, merged);
  return {
    events: joinRanks(parts, { time, coverage, zero: own.name }),
    extras: extrasOnAxis(extras, time.from, own.name),
  };
}
