/** The list of marks by kind, each of which leads to its time, and what has no time as one line. */
import { entryOf } from '../../../containers/map-entry.js';
import type { TimelineMark } from '../../../prof/html/timeline/timeline-data.js';
import { button, element } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import type { Scene } from '../model/scene.js';
import { around } from '../model/view.js';
import { foldedPanel } from './folded-panel.js';
import { MARK_NAMES } from '../tracks/marks.js';
import { momentText } from '../tracks/track-values.js';

/** Texts of each kind, and times of each text. */
const MOST_LISTED = 25;
/** Of a view of all events. */
const PIXELS = 1000;
const MOST_UNTIMED = 3;

/** Steps are in the list of pieces. */
const LISTED = (Object.keys(MARK_NAMES) as TimelineMark['kind'][]).filter((kind) => kind !== 'step');

/** @param goTo shows another piece, at ns from the profile's start */
export function showNotices(scene: Scene, goTo: (time: number) => void): HTMLElement {
  const { events, extras } = scene;
  const show = ({ start, end }: TimelineMark): void => {
    const isHere = end >= 0 && start <= events.span;
    if (isHere) scene.look(around(start, end, events.span));
    else goTo(events.origin + (start + end) / 2);
  };
  const link = (mark: TimelineMark): HTMLElement =>
    button(momentText(mark.start + events.origin, events.span / PIXELS), () => show(mark), { title: 'show' });
  /** Marks of one text: its times, and the text once. */
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
    left === 0 ? [] : [element('p', { class: 'tl-hint' }, `${quantityText(left, 'count')} more are not in the page`)];
  if (lists.length === 0 && rest.length === 0) return element('section', { hidden: true });
  const { place, summary } = foldedPanel('Notices', 'tl-notices', ...lists, ...rest);
  const count = extras.marks.filter(({ kind }) => kind !== 'step').length;
  summary.textContent = `Notices (${quantityText(count, 'count')})`;
  return place;
}

/** What the profile says of all of its time, as a line above the timeline; nothing where it says nothing. */
export function untimedLine({ extras: { untimed } }: Scene): HTMLElement[] {
  if (untimed.length === 0) return [];
  const rest = untimed.length - MOST_UNTIMED;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const text = `Of the whole profile: ${[...untimed.slice(0, MOST_UNTIMED), ...more].join('; ')}.`;
  return [element('p', { class: 'tl-untimed' }, text)];
}
