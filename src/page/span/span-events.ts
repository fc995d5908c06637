/** The events of a timeline that overlap with a span, each with its part inside. Does not need a document. */
import { elementAt } from '../../containers/element.js';
import type { PageTimeline } from '../../prof/html/timeline/timeline-data.js';
import { durOf, startOf, type TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import { dataOf, WHOLE } from '../timeline/pieces/page-ranks.js';

/** The part of a span whose events come from one piece of the timeline. In ns from the profile's start, as all here. */
export interface PieceOfSpan extends SelectedSpan {
  readonly piece: number;
}

/**
 * The pieces that together have each event of a span by itself. An event counts in the part in which it begins, or in the
 * first if it began before the span.
 * @returns null when the page does not hold each of them
 */
export function piecesOfSpan(timeline: PageTimeline, { from, to }: SelectedSpan): readonly PieceOfSpan[] | null {
  if (elementAt(timeline.pieces, WHOLE).isMerged !== true) return [{ piece: WHOLE, from, to }];
  const parts: PieceOfSpan[] = [];
  let reached = from;
  for (const [piece, { start, end }] of timeline.pieces.entries()) {
    if (piece === WHOLE || end <= reached || start >= to || reached >= to) continue;
    if (dataOf(timeline, piece) !== piece) return null;
    // No event both begins and ends between two pieces.
    parts.push({ piece, from: reached, to: Math.min(end, to) });
    reached = Math.min(end, to);
  }
  return parts;
}

/** A part of a span with the events of its piece. */
export interface PartOfSpan extends SelectedSpan {
  readonly events: TimelineEvents;
}

/** An event of the span, with its time inside. */
export interface InsideEvent extends SelectedSpan {
  readonly events: TimelineEvents;
  readonly event: number;
  readonly time: number;
  /** Share of its duration that is inside, from 0 to 1. */
  readonly share: number;
}

/** The events of a part that overlap with the span, as `dprof --from A --to B` chooses them. */
export function* eventsInside({ events, from, to }: PartOfSpan, span: SelectedSpan): Generator<InsideEvent> {
  for (let event = 0; event < events.count; event++) {
    const [start, dur] = [events.origin + startOf(events, event), durOf(events, event)];
    if (start >= to) return;
    const end = start + dur;
    const first = Math.max(start, span.from);
    if (first < from || (dur === 0 ? start < span.from : end <= span.from)) continue;
    const last = Math.min(end, span.to);
    const isCut = first > start || last < end;
    yield {
      ...{ events, event, from: first, to: last },
      ...(isCut ? { time: last - first, share: (last - first) / dur } : { time: dur, share: 1 }),
    };
  }
}
