/** Links to events in the timeline: a search, which lists and marks its matches, or a time. */
import type { SelectedSpan } from '../timeline/model/view.js';
import { element } from './dom-elements.js';
import {
  hasEvents,
  fragmentOf,
  isInTimeline,
  targetOfEvent,
  targetOfMoment,
  targetOfRanks,
  targetOfSearch,
  targetOfTime,
  type NamedEvents,
  type Linked,
  type TimelineTarget,
} from './timeline-target.js';

/** Opens the timeline. @param at index of the profile on the page */
function showTimeline(at: number, target: TimelineTarget): void {
  const fragment = fragmentOf(location.hash, at, target);
  // A repeated link must have an effect again, although the address does not change.
  if (`#${fragment}` === location.hash) dispatchEvent(new Event('hashchange'));
  else location.hash = fragment;
}

function linkTo(text: string, title: string, show: () => void): HTMLElement {
  const made = element('a', { href: '#panel=timeline', title }, text);
  made.addEventListener('click', (event) => {
    event.preventDefault();
    show();
  });
  return made;
}

/** @param condition condition in the language of `dprof --where`. @returns null when the page has no timeline */
export const timelineLink = ({ profile, at }: Linked, text: string, condition: string): HTMLElement | null =>
  profile.timeline === null
    ? null
    : linkTo(text, `Show in the timeline: ${condition}`, () => showTimeline(at, targetOfSearch(condition)));

/** Shows all ranks for a piece of one of them. @param at index of its profile */
export const showRanks = (at: number, piece: number): void => showTimeline(at, targetOfRanks(piece));

/**
 * Shows a span of time in the timeline and selects it, so that its figures appear below.
 * @param more additional parameters of the address
 */
export const showTime = (linked: Linked, span: SelectedSpan, more: TimelineTarget = {}): void =>
  showTimeline(linked.at, { ...targetOfTime(linked, span), ...more });

/** @returns null when the timeline does not contain that time */
export const timeLink = (linked: Linked, text: string, span: SelectedSpan): HTMLElement | null =>
  isInTimeline(linked, span) ? linkTo(text, 'Show in the timeline', () => showTime(linked, span)) : null;

/** A link to a moment, which is marked in the timeline. @returns null when the timeline does not contain it */
export const momentLink = (linked: Linked, text: string, time: number): HTMLElement | null =>
  isInTimeline(linked, { from: time - 1, to: time + 1 })
    ? linkTo(text, 'Show in the timeline', () => showTimeline(linked.at, targetOfMoment(linked, time)))
    : null;

/**
 * @param event one of the events, which is selected; its time in ns.
 * @returns null when no event in the timeline has that name
 */
export function eventsLink(
  linked: Linked,
  text: string,
  events: NamedEvents,
  event?: { readonly start: number; readonly time: number },
): HTMLElement | null {
  const { timeline } = linked.profile;
  if (timeline === null || !hasEvents(timeline, events)) return null;
  const { condition } = events;
  if (event === undefined) return timelineLink(linked, text, condition);
  const show = (): void => showTimeline(linked.at, targetOfEvent(linked, condition, event.start, event.time));
  return linkTo(text, `Show in the timeline, among ${condition}`, show);
}
