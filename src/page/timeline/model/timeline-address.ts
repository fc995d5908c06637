/** The state of a timeline in the fragment of the address, as separate parameters: `t.view=0_1000&t.search=gemm`. */
import { readFragment, withName } from '../../document/fragment.js';
import { COLOUR_KEYS, type ColourKey } from '../events/event-colours.js';
import type { TimelineSelection } from './selection.js';
import type { SelectedSpan, View } from './view.js';
import { markerName, MOST_MARKERS, sortedMarkers, type TimelineMarker } from './timeline-markers.js';

export interface TimelineAddress {
  /** Index of the profile for which event and span are valid. */
  readonly profile: number;
  /** Index of the piece of the profile for which an event is valid; null for the piece that is shown first. */
  readonly piece: number | null;
  /** View in ns from the profile's start; null for the whole piece. */
  readonly view: View | null;
  readonly event: number | null;
  /** Set by a link: start of the match to select, in ns from the profile's start. */
  readonly found: number | null;
  /** Null for the default. */
  readonly colour: ColourKey | null;
  readonly search: string;
  /** Collapsed groups, which show only their header; null for those that are initially collapsed. */
  readonly closed: readonly string[] | null;
  /** Lanes with many rows that are not folded. */
  readonly opened: readonly string[];
  /** The selection, in ns from the profile's start. */
  readonly span: TimelineSelection | null;
  readonly markers: readonly TimelineMarker[];
}

/** Limits for an address, which may come from an untrusted source. */
const LONGEST_SEARCH = 10_000;
const MOST_LISTED = 500;

export const spanText = (span: SelectedSpan | null): string | null =>
  span === null ? null : `${Math.round(span.from)}_${Math.round(span.to)}`;

/** Null for anything that is not a span. */
export function readSpan(text: string | undefined): SelectedSpan | null {
  if (text === undefined || !/^-?\d{1,18}_-?\d{1,18}$/.test(text)) return null;
  const [from = NaN, to = NaN] = text.split('_').map(Number);
  return from < to ? { from, to } : null;
}

const readCount = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;

const readTime = (text: string | undefined): number | null =>
  text !== undefined && /^-?\d{1,18}(\.\d{1,9})?$/.test(text) ? Number(text) : null;

function decoded(text: string): string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

const listText = (list: readonly string[]): string | null =>
  list.length === 0 ? null : list.map(encodeURIComponent).join(',');

const readList = (text = ''): string[] => (text === '' ? [] : text.split(',').slice(0, MOST_LISTED).flatMap(decoded));

/** @returns the fragment with the state; other parameters are kept */
export function withAddress(fragment: string, address: Omit<TimelineAddress, 'found'>): string {
  const { profile, piece, view, event, colour, search, closed, opened, span, markers } = address;
  const names: Readonly<Record<string, string | null>> = {
    't.profile': profile === 0 ? null : String(profile),
    't.piece': piece === null ? null : String(piece),
    't.view': spanText(view),
    't.event': event === null ? null : String(event),
    't.found': null,
    't.colour': colour,
    't.search': search === '' ? null : search.slice(0, LONGEST_SEARCH),
    't.closed': closed === null ? null : (listText(closed) ?? ''),
    't.open': listText(opened),
    't.span': spanText(span),
    't.lanes': listText([...(span?.lanes ?? [])]),
    't.markers': listText(markers.slice(0, MOST_MARKERS).map(({ at, name }) => `${at}:${name}`)),
  };
  return Object.entries(names).reduce((all, [name, value]) => withName(all, name, value), fragment);
}

/** The fragment with another piece and view; events and spans of the previous piece are not valid in it. */
export function withPlace(fragment: string, { piece, view }: Pick<TimelineAddress, 'piece' | 'view'>): string {
  const names: Readonly<Record<string, string | null>> = {
    't.piece': piece === null ? null : String(piece),
    't.view': spanText(view),
    't.event': null,
    't.found': null,
    't.span': null,
    't.lanes': null,
  };
  return Object.entries(names).reduce((all, [name, value]) => withName(all, name, value), fragment);
}

function readSelection(names: ReadonlyMap<string, string>): TimelineSelection | null {
  const span = readSpan(names.get('t.span'));
  const lanes = readList(names.get('t.lanes'));
  return span === null ? null : { ...span, lanes: lanes.length === 0 ? null : new Set(lanes) };
}

/** Each marker has the form `2000:start`. Invalid ones are left out. */
function readMarkers(text: string | undefined): readonly TimelineMarker[] {
  const markers = readList(text).flatMap((marker): TimelineMarker[] => {
    const colon = marker.indexOf(':');
    const at = colon === -1 ? null : readTime(marker.slice(0, colon));
    return at === null ? [] : [{ at, name: markerName(marker.slice(colon + 1)) }];
  });
  return sortedMarkers(markers);
}

/** Parses the state in a fragment; invalid parameters are ignored. */
export function readAddress(fragment: string): TimelineAddress {
  const names = readFragment(fragment);
  const colour = COLOUR_KEYS.find((key) => key === names.get('t.colour'));
  return {
    profile: readCount(names.get('t.profile')) ?? 0,
    piece: readCount(names.get('t.piece')),
    view: readSpan(names.get('t.view')),
    event: readCount(names.get('t.event')),
    found: readTime(names.get('t.found')),
    colour: colour ?? null,
    search: (names.get('t.search') ?? '').slice(0, LONGEST_SEARCH),
    closed: names.has('t.closed') ? readList(names.get('t.closed')) : null,
    opened: readList(names.get('t.open')),
    span: readSelection(names),
    markers: readMarkers(names.get('t.markers')),
  };
}
