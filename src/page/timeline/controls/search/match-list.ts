/** The matches of a search in a table, sorted, filtered and copied like other tables; a row shows its event. */
import { elementAt } from '../../../../containers/element.js';
import { DIRECTIONS } from '../../../../prof/html/timeline/timeline-data.js';
import { button, element } from '../../../document/dom-elements.js';
import { quantityText } from '../../../document/units.js';
import { withValues } from '../../../figures/listed-rows.js';
import { sortedTable, type ShownTable, type TableColumn } from '../../../figures/sorted-table.js';
import {
  countOf,
  durOf,
  kindOf,
  laneOf,
  profileTimeOf,
  shortNameOf,
  startOf,
  textOf,
  type TimelineEvents,
} from '../../events/events.js';
import type { Scene } from '../../model/scene.js';

/** Maximum listed matches; sorting more takes seconds. */
const MOST_LISTED = 50_000;
/** Number of rows shown initially. */
const MOST_ROWS = 100;

interface MatchList {
  readonly place: HTMLElement;
  /** The listed match after or before the selected one, in table order; null when the table is closed or has none. */
  readonly next: (step: 1 | -1) => number | null;
}

const known = (value: number): number | null => (value < 0 ? null : value);
const named = (number: number | null): string | null => (number === null ? null : String(number));

/** Columns of matches (indices of events) in which some match has a value. */
function columnsOf(events: TimelineEvents, matches: readonly number[], show: (event: number) => void) {
  const amount = (numbers: Float64Array, event: number): number | null =>
    countOf(events, event) > 1 ? null : known(elementAt(numbers, event));
  const rate = (numbers: Float64Array, event: number): number | null => {
    const [value, dur] = [amount(numbers, event), durOf(events, event)];
    return value === null || dur <= 0 ? null : value / (dur / 1e9);
  };
  const laneText = (event: number): string | null => {
    const lane = laneOf(events, event);
    return lane === undefined ? null : `${lane.group} / ${lane.name}`;
  };
  const columns: readonly TableColumn<number>[] = [
    {
      title: 'Name',
      cell: (event) => shortNameOf(events, event),
      copied: (event) => textOf(events, 'name', event),
      link: (event, text) => button(text, () => show(event), { class: 'tl-match', title: 'Show in the timeline' }),
    },
    { title: 'Kind', cell: (event) => kindOf(events, event) },
    { title: 'Op', cell: (event) => textOf(events, 'op', event) },
    { title: 'Layer', cell: (event) => textOf(events, 'layer', event) },
    { title: 'Direction', cell: (event) => DIRECTIONS[elementAt(events.dir, event)] ?? null },
    { title: 'Start', unit: 'ns', group: 'start', cell: (event) => profileTimeOf(events, startOf(events, event)) },
    { title: 'Duration', unit: 'ns', cell: (event) => durOf(events, event) },
    ...(events.merged === null
      ? []
      : [{ title: 'Events', unit: 'count', cell: (event: number) => countOf(events, event) } as const]),
    { title: 'FLOPs', unit: 'flop', cell: (event) => amount(events.flops, event) },
    { title: 'FLOP/s', unit: 'flop/s', cell: (event) => rate(events.flops, event) },
    { title: 'Bytes/s', unit: 'bytes/s', cell: (event) => rate(events.bytes, event) },
    { title: 'Lane', cell: laneText },
    // These numbers are names, not amounts.
    { title: 'Step', cell: (event) => named(known(elementAt(events.step, event))) },
    { title: 'Id', cell: (event) => named(elementAt(events.id, event) || null) },
  ];
  return withValues(columns, matches);
}

export function showMatches(scene: Scene): MatchList {
  const { events } = scene;
  const summary = element('summary', {});
  const inside = element('div', { class: 'tl-match-list' });
  const place = element('details', { class: 'tl-found', hidden: true }, summary, inside);
  let listed: ShownTable<number> | null = null;
  const show = (event: number): void => scene.find(event);
  const fill = (): void => {
    const { matches } = scene;
    listed = null;
    if (matches === null || matches.list.length === 0 || !place.open) {
      inside.replaceChildren();
      return;
    }
    const rows = [...matches.list.subarray(0, MOST_LISTED)];
    const columns = columnsOf(events, rows, show);
    const isMarked = (event: number): boolean => event === scene.shown.event;
    listed = sortedTable({ caption: 'Matches', columns, rows, sortedBy: null, most: MOST_ROWS, isMarked });
    const rest = matches.list.length - rows.length;
    const left =
      rest > 0
        ? [element('p', { class: 'tl-rest' }, `The first ${count(rows.length)} of ${count(matches.list.length)}.`)]
        : [];
    inside.replaceChildren(listed.place, ...left);
    reveal();
  };
  const reveal = (): void => {
    listed?.mark();
    const row = scene.shown.event === null ? null : (listed?.rowOf(scene.shown.event) ?? null);
    if (row === null) return;
    // Scroll only the list, so that the timeline stays in place.
    const [box, own] = [inside.getBoundingClientRect(), row.getBoundingClientRect()];
    if (own.top < box.top || own.bottom > box.bottom) inside.scrollTop += own.top - box.top - box.height / 2;
  };
  const next = (step: 1 | -1): number | null => {
    const rows = listed?.rows ?? [];
    const at = scene.shown.event === null ? -1 : rows.indexOf(scene.shown.event);
    return at === -1 ? null : elementAt(rows, (at + step + rows.length) % rows.length);
  };
  const changed = (): void => {
    const found = scene.matches?.list.length ?? 0;
    place.hidden = found === 0;
    summary.textContent = `List ${found === 1 ? 'the match' : `the ${count(found)} matches`}`;
    fill();
  };
  place.addEventListener('toggle', fill);
  inside.addEventListener('click', ({ target }) => {
    const row = target instanceof Element && target.closest('button') === null ? target.closest('tbody tr') : null;
    const event = row === null ? null : (listed?.itemOf(row) ?? null);
    if (event !== null) show(event);
  });
  inside.addEventListener('keydown', (event) => {
    if (!(event.target instanceof HTMLButtonElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, N: -1 }[event.key] as 1 | -1 | undefined;
    const found = step === undefined ? focusBeside(inside, event) : next(step);
    if (found === null) return;
    event.preventDefault();
    show(found);
    listed?.rowOf(found)?.querySelector<HTMLElement>('.tl-match')?.focus({ preventScroll: true });
  });
  scene.on(['search'], changed);
  scene.on(['event'], reveal);
  changed();
  return { place, next };
}

const count = (value: number): string => quantityText(value, 'count');

/** Arrow keys move the focus from row to row. @returns null, because no match is shown */
function focusBeside(inside: HTMLElement, event: KeyboardEvent): null {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const names = [...inside.querySelectorAll<HTMLElement>('.tl-match')];
  const at = names.findIndex((name) => name === event.target);
  const next = step === undefined || at === -1 ? undefined : names[at + step];
  if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
  return null;
}
