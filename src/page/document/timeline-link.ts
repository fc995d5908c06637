/** Links to events of the timeline: a search there, which lists and marks what it finds. */
import type { PageProfile } from '../../prof/html/page-data.js';
import type { SelectedSpan } from '../timeline/model/span.js';
import { element } from './dom-elements.js';
import { withName } from './fragment.js';

/** A value in a condition of the search. */
export const searched = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The profile that is shown, and its index on the page. */
export interface Linked {
  readonly profile: PageProfile;
  readonly at: number;
}

type Parameters = Readonly<Record<string, string | null>>;

/** Leads to the timeline with these parameters of the address. */
function showTimeline(at: number, parameters: Parameters): void {
  // A piece or view of another search would hide what is found.
  const all = { panel: 'timeline', 't.piece': null, 't.profile': at === 0 ? null : String(at), ...parameters };
  const fragment = Object.entries(all).reduce((kept, [name, value]) => withName(kept, name, value), location.hash);
  // The same link once more leads there once more.
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

/** @param condition in the language of `dprof --where`. @returns null where the page has no timeline */
export function timelineLink({ profile, at }: Linked, text: string, condition: string): HTMLElement | null {
  if (profile.timeline === null) return null;
  // A view of another search would hide what is found.
  const parameters = { 't.search': condition, 't.view': null, 't.event': null };
  return linkTo(text, `Show in the timeline: ${condition}`, () => showTimeline(at, parameters));
}

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

/** Shows all ranks at a piece of one of them. @param at index of its profile */
export function showRanks(at: number, piece: number): void {
  const nothing = { 't.view': null, 't.span': null, 't.search': null, 't.event': null, 't.closed': null };
  showTimeline(at, { ...nothing, 't.ranks': 'all', 't.piece': String(piece) });
}

/**
 * Shows a span of time in the timeline, and selects it: its figures are below the timeline then.
 * @param more further parameters of the address
 */
export function showTime(linked: Linked, span: SelectedSpan, more: Parameters = {}): void {
  const { from, to } = span;
  const room = Math.max(1, (to - from) * MARGIN);
  const text = (first: number, last: number): string => `${Math.floor(first)}_${Math.ceil(last)}`;
  const view = text(from - room, to + room);
  const piece = String(pieceWith(linked, span));
  showTimeline(linked.at, {
    ...{ 't.piece': piece, 't.view': view, 't.span': text(from, to), 't.lanes': null },
    ...{ 't.search': null, 't.event': null },
    ...more,
  });
}

/** @returns null where the timeline does not have that time */
export const timeLink = (linked: Linked, text: string, span: SelectedSpan): HTMLElement | null =>
  isInTimeline(linked, span) ? linkTo(text, 'Show in the timeline', () => showTime(linked, span)) : null;

/** @param name of kernels, which may be short */
export const kernelLink = (linked: Linked, name: string): HTMLElement | null =>
  timelineLink(linked, name, `kernel~${searched(name)}`);

const inLayer = (path: readonly string[]): string => path.map((layer) => `layer==${searched(layer)}`).join(' && ');

/** @param path from the top */
export const layerLink = (linked: Linked, text: string, path: readonly string[]): HTMLElement | null =>
  timelineLink(linked, text, inLayer(path));

/** Kernels of one name in a layer: a single one may lie outside of the timeline. @param name which may be short */
export const layerKernelLink = (
  linked: Linked,
  text: string,
  path: readonly string[],
  name: string,
): HTMLElement | null => timelineLink(linked, text, `${inLayer(path)} && kernel~${searched(name)}`);
