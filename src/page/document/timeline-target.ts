/** Targets of links in the timeline, as address parameters. Does not need a document. */
import type { ProfileOutline } from '../../prof/html/page-elements.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import { withName } from './fragment.js';
import type { NamedField, PageTimeline } from '../../prof/html/timeline/timeline-data.js';

/** A condition, and the names of its events; when no event has such a name, the row is not a link. */
export interface NamedEvents {
  readonly field: NamedField;
  readonly names: readonly string[];
  readonly condition: string;
}

/** Quotes a value for a condition. */
export const searched = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Kernels by their name in tables. */
export const kernelsNamed = (name: string): NamedEvents => ({
  ...{ field: 'kernel', names: [name], condition: `kernel==${searched(name)}` },
});

/**
 * Kernels of one profile by number; other profiles use the same numbers.
 * @param kernels as in findings: 'PROFILE:IDX'
 * @param isAlone whether it is the only profile, so that the number is unambiguous
 */
export function kernelsNumbered(kernels: readonly string[], profile: number, isAlone: boolean): string {
  const ids = kernels.map((kernel) => `id==${kernel.split(':')[1] ?? ''}`).join(' || ');
  return isAlone ? ids : `profile==${profile} && (${ids})`;
}

/** Kernels of an op, and its calls on the host. */
export const ofOp = (op: string): NamedEvents => ({ field: 'op', names: [op], condition: `op==${searched(op)}` });

export const inCategory = (category: string): NamedEvents => ({
  ...{ field: 'category', names: [category], condition: `category==${searched(category)}` },
});

/** @param path names from the top; a name may contain several layers */
export const inLayer = (path: readonly string[]): NamedEvents => {
  const joined = path.join('/');
  const condition = joined.split('/').map((layer) => `layer==${searched(layer)}`);
  return { field: 'layer', names: [joined], condition: condition.join(' && ') };
};

/** Kernels with one name in a layer; a single one may be outside the timeline. */
export const kernelsInLayer = (path: readonly string[], name: string): NamedEvents => {
  const condition = `${inLayer(path).condition} && kernel==${searched(name)}`;
  return { ...kernelsNamed(name), condition };
};

/** @param kind text with `#` for the numbers in which several strings differ */
export const ofRange = (kind: string, texts: readonly string[]): NamedEvents => {
  const condition =
    texts.length === 1 ? `range==${searched(texts[0] ?? kind)}` : `range=~${searched(kind.replaceAll('#', '*'))}`;
  return { field: 'range', names: texts, condition };
};

/** Whether the timeline has events with any of the names. */
export const hasEvents = ({ lacks }: PageTimeline, { field, names }: NamedEvents): boolean =>
  names.some((name) => name !== '' && !lacks[field].includes(name));

/** A profile, and its index on the page. */
export interface Linked {
  readonly profile: ProfileOutline;
  readonly at: number;
}

/** Address parameters; null removes one, parameters not listed are kept. */
export type TimelineTarget = Readonly<Record<string, string | null>>;

/** Resets piece, view, event, search and selection, which would hide the target or stay next to it. */
const NOTHING: TimelineTarget = {
  ...{ 't.piece': null, 't.view': null, 't.event': null, 't.found': null, 't.search': null },
  ...{ 't.span': null, 't.lanes': null },
};

/** @param condition condition in the language of `dprof --where` */
export const targetOfSearch = (condition: string): TimelineTarget => ({ ...NOTHING, 't.search': condition });

/** All ranks for a piece of one of them. */
export const targetOfRanks = (piece: number): TimelineTarget => ({
  ...NOTHING,
  ...{ 't.closed': null, 't.ranks': 'all', 't.piece': String(piece) },
});

/** Whether the profile has a timeline, and anything in it runs during this time. */
export const isInTimeline = ({ profile: { timeline } }: Linked, { from, to }: SelectedSpan): boolean =>
  timeline?.pieces.some(({ start, end }) => from < end && to > start) === true;

/** Index of the shortest piece that contains all of the time; the whole profile when no piece does. */
function pieceWith({ profile: { timeline } }: Linked, { from, to }: SelectedSpan): number {
  let [best, least] = [0, Infinity];
  for (const [piece, { start, end, events }] of (timeline?.pieces ?? []).entries()) {
    if (events === null || start > from || end < to || end - start >= least) continue;
    [best, least] = [piece, end - start];
  }
  return best;
}

/** Margin on both sides of the span, as a share of it. */
const MARGIN = 0.05;

/** A selected span of time. */
export function targetOfTime(linked: Linked, span: SelectedSpan): TimelineTarget {
  const { from, to } = span;
  const room = Math.max(1, (to - from) * MARGIN);
  const text = (first: number, last: number): string => `${Math.floor(first)}_${Math.ceil(last)}`;
  const piece = String(pieceWith(linked, span));
  return { ...NOTHING, 't.piece': piece, 't.view': text(from - room, to + room), 't.span': text(from, to) };
}

/**
 * The events of a search, in the piece of one of them, which is selected.
 * @param start start of that event in ns.
 * @param time its duration
 */
export const targetOfEvent = (linked: Linked, condition: string, start: number, time: number): TimelineTarget => ({
  ...targetOfSearch(condition),
  ...{ 't.piece': String(pieceWith(linked, { from: start, to: start + time })), 't.found': String(start) },
});

/** Shares of the piece on both sides of a moment that are visible, and that are selected to mark it. */
const AROUND = { view: 0.1, mark: 0.002 };

/** A marked moment, in the shortest piece that contains it. */
export function targetOfMoment(linked: Linked, time: number): TimelineTarget {
  const at = pieceWith(linked, { from: time, to: time });
  const { start, end } = linked.profile.timeline?.pieces[at] ?? { start: time, end: time };
  const around = (part: number): string => {
    const room = Math.max(1, part * (end - start));
    return `${Math.floor(Math.max(start, time - room))}_${Math.ceil(Math.min(end, time + room))}`;
  };
  return { ...NOTHING, 't.piece': String(at), 't.view': around(AROUND.view), 't.span': around(AROUND.mark) };
}

/** The fragment after following a link to the timeline. @param at index of the profile on the page */
export function fragmentOf(fragment: string, at: number, target: TimelineTarget): string {
  const all = { panel: 'timeline', 't.profile': at === 0 ? null : String(at), ...target };
  return Object.entries(all).reduce((kept, [name, value]) => withName(kept, name, value), fragment);
}
