/**
 * Panels of a timeline that are collapsed to a line: its marks, and the values of its tracks. Timelines of other pieces
 * keep them as the user left them.
 */
import { element, button } from '../../document/dom-elements.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import type { Scene, SceneState } from '../model/scene.js';
import { around } from '../model/view.js';
import { MARK_NAMES } from '../tracks/load-tracks.js';
import { momentText, rangeText, readingOf, type Track } from '../tracks/track.js';
import { elementAt } from '../../../containers/element.js';
import { whenPrinted } from '../../document/when-visible.js';
import { endOf, startOf } from '../events/events.js';

/** Names of the open panels. */
const opened = new Set<string>();

interface FoldedPanel {
  readonly place: HTMLElement;
  readonly details: HTMLDetailsElement;
  /** The line that opens the panel. */
  readonly summary: HTMLElement;
}

export function foldedPanel(name: string, kind: string, ...contents: readonly HTMLElement[]): FoldedPanel {
  const summary = element('summary', {}, name);
  const details = element('details', { open: opened.has(name) }, summary, ...contents);
  details.addEventListener('toggle', () => {
    if (details.open) opened.add(name);
    else opened.delete(name);
  });
  return { place: element('section', { class: kind, 'aria-label': name }, details), details, summary };
}

/** Maximum number of strings of each kind, and of times of each string. */
const MOST_LISTED = 25;
/** Width in pixels of a view of all events. */
const PIXELS = 1000;
const MOST_UNTIMED = 3;

/** Steps are in the list of pieces. */
const LISTED = (Object.keys(MARK_NAMES) as TimelineMark['kind'][]).filter((kind) => kind !== 'step');

/** @param goTo shows another piece, at a time in ns from the profile's start */
export function showNotices(scene: Scene, goTo: (time: number) => void): HTMLElement {
  const { events, extras } = scene;
  const show = ({ start, end }: TimelineMark): void => {
    const isHere = end >= 0 && start <= events.span;
    if (isHere) scene.look(around(start, end, events.span));
    else goTo(events.origin + (start + end) / 2);
  };
  const link = (mark: TimelineMark): HTMLElement =>
    button(momentText(mark.start + events.origin, events.span / PIXELS), () => show(mark), { title: 'show' });
  /** Marks with the same text. The text is stored once, with all times. */
  const item = (text: string, marks: readonly TimelineMark[]): HTMLElement => {
    const rest = marks.length - MOST_LISTED;
    return element(
      'li',
      {},
      ...marks.slice(0, MOST_LISTED).flatMap((mark) => [link(mark), ' ']),
      ...(rest > 0 ? [`and ${rest} more `] : []),
      text,
    );
  };
  const lists = LISTED.flatMap((kind) => {
    const marks = extras.marks.filter((mark) => mark.kind === kind);
    if (marks.length === 0) return [];
    const listed = kind === 'gap' ? marks.toSorted((a, b) => b.end - b.start - (a.end - a.start)) : marks;
    const texts = new Map<string, TimelineMark[]>();
    for (const mark of listed) entryOf(texts, mark.text, () => []).push(mark);
    const rest = texts.size - MOST_LISTED;
    const more = rest > 0 ? [element('p', { class: 'tl-hint' }, `and ${quantityText(rest, 'count')} more`)] : [];
    return [
      element(
        'details',
        { open: texts.size <= 5 },
        element('summary', {}, `${MARK_NAMES[kind]} (${quantityText(marks.length, 'count')})`),
        element('ol', {}, ...[...texts].slice(0, MOST_LISTED).map(([text, all]) => item(text, all))),
        ...more,
      ),
    ];
  });
  const left = extras.leftOut.marks;
  const rest =
    left === 0 ? [] : [element('p', { class: 'tl-hint' }, `${quantityText(left, 'count')} more are not on the page`)];
  if (lists.length === 0 && rest.length === 0) return element('section', { hidden: true });
  const { place, summary } = foldedPanel('Notices', 'tl-notices', ...lists, ...rest);
  const count = extras.marks.filter(({ kind }) => kind !== 'step').length;
  summary.textContent = `Notices (${quantityText(count, 'count')})`;
  return place;
}

/** Remarks about the whole time of the profile, as a line above the timeline; nothing when there are none. */
export function untimedLine({ extras: { untimed } }: Scene): HTMLElement[] {
  if (untimed.length === 0) return [];
  const rest = untimed.length - MOST_UNTIMED;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const text = `Whole profile: ${[...untimed.slice(0, MOST_UNTIMED), ...more].join('; ')}.`;
  return [element('p', { class: 'tl-untimed' }, text)];
}

/** Time in ms without a change before the values are announced. */
const PAUSE = 80;
/** Changes after which the values are updated. */
const WATCHED: readonly (keyof SceneState)[] = ['view', 'event', 'pointer', 'closed', 'opened'];

/**
 * The time whose values are shown: that of the pointer, else the middle of the selected event, else the middle of the
 * view.
 */
function shownTime({ events, shown: { pointer, event, view } }: Scene): readonly [time: number, name: string] {
  const inside = (time: number): number => Math.max(0, Math.min(events.span, time));
  if (pointer !== null) return [inside(pointer), 'the pointer'];
  if (event !== null) {
    return [inside((startOf(events, event) + endOf(events, event)) / 2), 'the middle of the selected event'];
  }
  return [inside((view.from + view.to) / 2), 'the middle of the view'];
}

/** Duration in ns of a pixel in a view of typical width. */
const pixelOf = ({ shown: { view } }: Scene): number => (view.to - view.from) / 1000;

const HEADS = ['counter', 'value', 'in view', 'stands for'] as const;

export function showTracks(scene: Scene, signal: AbortSignal): HTMLElement {
  const { events, extras } = scene;
  const contents = element('div', {});
  const { place, details, summary } = foldedPanel('Counters', 'tl-tracks', contents);
  const rowOf = (track: Track, time: number, isOfMany: boolean): HTMLElement => {
    const { view } = scene.shown;
    const { value, of: interval } = readingOf(track, time, pixelOf(scene), events.origin);
    const [from, to] = [Math.max(0, view.from), Math.min(events.span, view.to)];
    const inView = `${track.drawn === 'mean' ? 'mean ' : ''}${rangeText(track.rangeOf(from, to), track.unit)}`;
    const name = isOfMany ? `${track.group}: ${track.name}` : track.name;
    const cells = [value, inView, `${interval}; ${track.about}`].map((cell) => element('td', { title: cell }, cell));
    return element('tr', {}, element('th', { scope: 'row', title: name }, name), ...cells);
  };
  const show = (isOnPaper = false): void => {
    const tracks = scene.layout.tracks.map(({ track }) => elementAt(extras.tracks, track));
    place.hidden = tracks.length === 0;
    summary.textContent = `Counters (${quantityText(tracks.length, 'count')})`;
    if (tracks.length === 0 || !(details.open || isOnPaper)) return;
    const [time, name] = shownTime(scene);
    const isOfMany = new Set(tracks.map(({ group }) => group)).size > 1;
    const caption = `Counters at ${momentText(time + events.origin, pixelOf(scene))}, ${name}`;
    const heads = HEADS.map((head) => element('th', { scope: 'col' }, head));
    const { tracks: left, zero } = extras.leftOut;
    const notes = [
      ...(zero === 0 ? [] : [`${quantityText(zero, 'count')} counters that are always 0 are not drawn.`]),
      ...(left === 0 ? [] : [`${quantityText(left, 'count')} more series of samples are not on the page.`]),
    ];
    contents.replaceChildren(
      element(
        'div',
        { class: 'tl-tables' },
        element(
          'table',
          {},
          element('caption', {}, caption),
          element('thead', {}, element('tr', {}, ...heads)),
          element('tbody', {}, ...tracks.map((track) => rowOf(track, time, isOfMany))),
        ),
      ),
      ...notes.map((note) => element('p', { class: 'tl-hint' }, note)),
    );
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  scene.on(WATCHED, () => {
    clearTimeout(pause);
    pause = setTimeout(() => show(), PAUSE);
  });
  details.addEventListener('toggle', () => show());
  whenPrinted(place, show);
  signal.addEventListener('abort', () => clearTimeout(pause));
  show();
  return place;
}
