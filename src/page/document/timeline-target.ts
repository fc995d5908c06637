/** Where links lead in the timeline, as parameters of the address. Needs no document. */
import type { ProfileOutline } from '../../prof/html/page-elements.js';
import type { SelectedSpan } from '../timeline/model/span.js';
import { withName } from './fragment.js';

/** A profile, and its index on the page. */
export interface Linked {
  readonly profile: ProfileOutline;
  readonly at: number;
}

/** Null removes a parameter; others are kept. */
export type TimelineTarget = Readonly<Record<string, string | null>>;

/** Piece, view, event, search and selection of what was shown before, which would hide what is found or stay beside it. */
const NOTHING: TimelineTarget = {
  ...{ 't.piece': null, 't.view': null, 't.event': null, 't.found': null, 't.search': null },
  ...{ 't.span': null, 't.lanes': null },
};

/** @param condition in the language of `dprof --where` */
export const targetOfSearch = (condition: string): TimelineTarget => ({ ...NOTHING, 't.search': condition });

/** All ranks at a piece of one of them. */
export const targetOfRanks = (piece: number): TimelineTarget => ({
  ...NOTHING,
  ...{ 't.closed': null, 't.ranks': 'all', 't.piece': String(piece) },
});

/** Whether the profile has a timeline, and something of it runs in some of the time. */
export const isInTimeline = ({ profile: { timeline } }: Linked, { from, to }: SelectedSpan): boolean =>
  timeline?.pieces.some(({ start, end }) => from < end && to > start) === true;

/** The shortest piece that has all of the time, by its index; the whole profile where none has. */
function pieceWith({ profile: { timeline } }: Linked, { from, to }: SelectedSpan): number {
  let [best, least] = [0, Infinity];
  for (const [piece, { start, end, events }] of (timeline?.pieces ?? []).entries()) {
    if (events === null || start > from || end < to || end - start >= least) continue;
    [best, least] = [piece, end - start];
  }
  return best;
}

/** Parts of the span that the view shows on both sides. */
const MARGIN = 0.05;

/** A span of time, which is selected. */
export function targetOfTime(linked: Linked, span: SelectedSpan): TimelineTarget {
  const { from, to } = span;
  const room = Math.max(1, (to - from) * MARGIN);
  const text = (first: number, last: number): string => `${Math.floor(first)}_${Math.ceil(last)}`;
  const piece = String(pieceWith(linked, span));
  return { ...NOTHING, 't.piece': piece, 't.view': text(from - room, to + room), 't.span': text(from, to) };
}

/** The events of a search, in the piece of one of them, which is selected. @param start of that one, ns. @param time its duration */
export const targetOfEvent = (linked: Linked, condition: string, start: number, time: number): TimelineTarget => ({
  ...targetOfSearch(condition),
  ...{ 't.piece': String(pieceWith(linked, { from: start, to: start + time })), 't.found': String(start) },
});

/** Parts of the piece on both sides of a moment that are in view, and that are selected to mark it. */
const AROUND = { view: 0.1, mark: 0.002 };

/** A moment, which is marked, in the shortest piece that has it. */
export function targetOfMoment(linked: Linked, time: number): TimelineTarget {
  const at = pieceWith(linked, { from: time, to: time });
  const { start, end } = linked.profile.timeline?.pieces[at] ?? { start: time, end: time };
  const around = (part: number): string => {
    const room = Math.max(1, part * (end - start));
    return `${Math.floor(Math.max(start, time - room))}_${Math.ceil(Math.min(end, time + room))}`;
  };
  return { ...NOTHING, 't.piece': String(at), 't.view': around(AROUND.view), 't.span': around(AROUND.mark) };
}

/** The fragment of the address after a link to the timeline. @param at index of the profile on the page */
export function fragmentOf(fragment: string, at: number, target: TimelineTarget): string {
  const all = { panel: 'timeline', 't.profile': at === 0 ? null : String(at), ...target };
  return Object.entries(all).reduce((kept, [name, value]) => withName(kept, name, value), fragment);
}
