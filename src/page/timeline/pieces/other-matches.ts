/** Matches of a search outside the shown piece, each in the piece to which it belongs. Does not need a document. */
import { elementAt } from '../../../containers/element.js';
import { addTo } from '../../../containers/map-entry.js';
import type { EventKind, PageTimeline, TimelinePiece } from '../../../prof/html/timeline/timeline-data.js';
import { durOf, kindOf, shortNameOf, startOf, type TimelineEvents } from '../events/events.js';
import { search } from '../model/search.js';
import { dataOf, WHOLE } from './page-ranks.js';

export interface OtherMatch {
  readonly piece: number;
  /** Start in ns from the profile's start; with several ranks, from the start of one of them. */
  readonly start: number;
  readonly dur: number;
  readonly name: string | null;
  readonly kind: EventKind;
}

/** Maximum number of listed matches; the rest are only counted. */
const MOST_LISTED = 2000;

const runsIn = ({ start, end }: TimelinePiece, from: number, to: number): boolean => from <= end && to >= start;

export class OtherMatches {
  /** Number of matches by piece. */
  readonly counts = new Map<number, number>();
  readonly list: OtherMatch[] = [];
  /** Pieces whose events are already counted; an event that runs in several pieces counts once. */
  readonly #counted: TimelinePiece[] = [];

  /** @param shown the shown piece, whose matches are excluded; null to include them */
  constructor(
    private readonly timeline: PageTimeline,
    shown: number | null,
  ) {
    if (shown !== null) this.#counted.push(elementAt(timeline.pieces, shown));
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Adds the matches of a piece. @param events the piece's events */
  add(piece: number, events: TimelineEvents, query: string): void {
    const added = elementAt(this.timeline.pieces, piece);
    const neighbours = this.#counted.filter(({ start, end }) => runsIn(added, start, end));
    for (const event of search(events, query)?.list ?? []) {
      const start = events.origin + startOf(events, event);
      const dur = durOf(events, event);
      if (neighbours.some((other) => runsIn(other, start, start + dur))) continue;
      const home = this.#homeOf(start, elementAt(events.step, event)) ?? piece;
      addTo(this.counts, home, 1);
      if (this.list.length === MOST_LISTED) continue;
      this.list.push({ piece: home, start, dur, name: shortNameOf(events, event), kind: kindOf(events, event) });
    }
    this.#counted.push(added);
  }

  /** The piece of its step, or else the last piece that begins before it; null when the page does not contain it. */
  #homeOf(time: number, step: number): number | null {
    const { pieces } = this.timeline;
    const has = ({ start, end }: TimelinePiece, at: number): boolean =>
      at !== WHOLE && start <= time && time <= end && dataOf(this.timeline, at) === at;
    const ofStep = pieces.findIndex(
      (piece, at) => has(piece, at) && piece.steps !== undefined && piece.steps[0] <= step && step <= piece.steps[1],
    );
    const found = ofStep === -1 ? pieces.findLastIndex(has) : ofStep;
    return found === -1 ? null : found;
  }
}

/** '60 in step 7', '60 in 3 other steps'; null when there are none. */
export function otherMatchesText({ pieces }: PageTimeline, { counts, count }: OtherMatches): string | null {
  const found = [...counts.keys()].map((at) => elementAt(pieces, at));
  const [first, second] = found;
  if (first === undefined) return null;
  const kind = found.every(({ steps }) => steps !== undefined) ? 'steps' : 'parts of the profile';
  return `${count} in ${second === undefined ? first.name : `${found.length} other ${kind}`}`;
}
