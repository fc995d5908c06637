/** What the address remembers of a timeline, behind its '#', under names of its own: `t.view=0_1000&t.search=gemm`. */
import { readFragment, withName } from '../../document/fragment.js';
import { COLOUR_KEYS, type ColourKey } from '../draw/colours.js';
import type { SelectedSpan } from './span.js';
import type { View } from './view.js';

export interface TimelineAddress {
  /** Place of the profile: an event or a span of one means nothing in another. */
  readonly profile: number;
  /** Null is all of it. */
  readonly view: View | null;
  readonly event: number | null;
  /** Null is the usual one. */
  readonly colour: ColourKey | null;
  readonly search: string;
  /** Groups of which only the header is shown. */
  readonly closed: readonly string[];
  readonly span: SelectedSpan | null;
}

export const NO_ADDRESS: TimelineAddress = {
  profile: 0,
  view: null,
  event: null,
  colour: null,
  search: '',
  closed: [],
  span: null,
};

/** An address that anybody may have written stays of this length. */
const LONGEST_SEARCH = 1000;
const MOST_CLOSED = 500;

const spanText = (span: SelectedSpan | null): string | null =>
  span === null ? null : `${Math.round(span.from)}_${Math.round(span.to)}`;

function readSpan(text: string | undefined): SelectedSpan | null {
  const [, from = '', to = ''] = /^(-?\d{1,18})_(-?\d{1,18})$/.exec(text ?? '') ?? [];
  return from !== '' && Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
}

const readCount = (text: string | undefined): number | null => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

function decoded(text: string): string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

/** @returns the fragment with what is remembered; names of others as they were */
export function withAddress(fragment: string, address: TimelineAddress): string {
  const { profile, view, event, colour, search, closed, span } = address;
  const names: Readonly<Record<string, string | null>> = {
    't.profile': profile === 0 ? null : String(profile),
    't.view': spanText(view),
    't.event': event === null ? null : String(event),
    't.colour': colour,
    't.search': search === '' ? null : search.slice(0, LONGEST_SEARCH),
    't.closed': closed.length === 0 ? null : closed.map(encodeURIComponent).join(','),
    't.span': spanText(span),
  };
  return Object.entries(names).reduce((all, [name, value]) => withName(all, name, value), fragment);
}

/** What does not read is as if it were not there. */
export function readAddress(fragment: string): TimelineAddress {
  const names = readFragment(fragment);
  const colour = COLOUR_KEYS.find((key) => key === names.get('t.colour'));
  const closed = names.get('t.closed') ?? '';
  return {
    profile: readCount(names.get('t.profile')) ?? 0,
    view: readSpan(names.get('t.view')),
    event: readCount(names.get('t.event')),
    colour: colour ?? null,
    search: (names.get('t.search') ?? '').slice(0, LONGEST_SEARCH),
    closed: closed === '' ? [] : closed.split(',').slice(0, MOST_CLOSED).flatMap(decoded),
    span: readSpan(names.get('t.span')),
  };
}
