/** The search: an input, the count and time of the matches, and buttons that step through them. */
import { button, element } from '../../../document/dom-elements.js';
import { quantityText } from '../../../document/units.js';
import { showElsewhere, type SearchElsewhere } from './elsewhere.js';
import type { Scene } from '../../model/scene.js';
import { nextMatch, ofOwnSteps, type MatchSum, type SearchMatches, type StepSpan } from '../../model/search.js';
import { elementAt } from '../../../../containers/element.js';
import { DIRECTIONS } from '../../../../prof/html/timeline/timeline-data.js';
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

/** Time in ms without a key before a search starts. */
const PAUSE = 150;

interface SearchBox {
  readonly place: HTMLElement;
  /** Tables of the matches: in the shown piece, and in others. */
  readonly lists: readonly HTMLElement[];
  readonly focus: () => void;
  readonly step: (step: 1 | -1) => void;
}

function sumText({ count, time, share }: MatchSum, side: string): string {
  return `${quantityText(count, 'count')} on ${side}, ${quantityText(time, 'ns')} (${quantityText(share, 'share')})`;
}

/**
 * '1 match', '12 matches', '3 of 12 matches' when one of them is selected; counts bars when these represent several
 * events.
 */
function countText(matches: number, selected: number | null, isMerged: boolean): string {
  const [single, many] = isMerged ? ['bar', 'bars'] : ['match', 'matches'];
  const all = `${quantityText(matches, 'count')} ${matches === 1 ? single : many}`;
  return selected === null || matches === 1 ? all : `${quantityText(selected + 1, 'count')} of ${all}`;
}

/** `, 676 of step 16`: device work during a step may belong to other steps. */
function stepText({ events }: Scene, matches: SearchMatches, steps: StepSpan | null): string {
  const inSteps = steps === null ? null : ofOwnSteps(events, matches, steps);
  if (steps === null || inSteps === null) return '';
  const [first, last] = steps;
  return `, ${quantityText(inSteps, 'count')} of ${first === last ? `step ${first}` : `steps ${first} to ${last}`}`;
}

/** @param elsewhere what is known about other pieces */
function matchText(scene: Scene, steps: StepSpan | null, elsewhere: string | null): string {
  const { matches, shown, events } = scene;
  if (matches === null) return '';
  const { device, host, list, problem, remark } = matches;
  if (problem !== null) return [problem, ...(elsewhere === null ? [] : [elsewhere])].join('; ');
  const rest = [remark, elsewhere].filter((text) => text !== null);
  if (list.length === 0) return [elsewhere === null ? 'no match' : 'no match here', ...rest].join('; ');
  const selected = shown.event !== null && matches.isMatch[shown.event] === 1 ? list.indexOf(shown.event) : null;
  const sides = [
    ...(device.count > 0 ? [`${sumText(device, 'devices')}${stepText(scene, matches, steps)}`] : []),
    ...(host.count > 0 ? [sumText(host, 'threads')] : []),
    ...rest,
  ];
  return `${countText(list.length, selected, events.merged !== null)}: ${sides.join('; ')}`;
}

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

/** The matches of a search in a table, sorted, filtered and copied like other tables; a row shows its event. */
function showMatches(scene: Scene): MatchList {
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
    const [box, rowBox] = [inside.getBoundingClientRect(), row.getBoundingClientRect()];
    if (rowBox.top < box.top || rowBox.bottom > box.bottom) inside.scrollTop += rowBox.top - box.top - box.height / 2;
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

/**
 * @param steps steps of the shown piece
 * @param elsewhere present when there are other pieces
 */
export function showSearch(scene: Scene, steps: StepSpan | null, elsewhere?: SearchElsewhere): SearchBox {
  const field = element('input', {
    type: 'search',
    placeholder: 'gemm, op==mm && tflops<50',
    'aria-label': 'Search events: words, field:text, dur>10us, or a condition: op==mm && tflops<50',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: 1000,
  });
  const list = showMatches(scene);
  const status = element('output', { class: 'tl-matches', role: 'status' });
  const announce = (looking?: string): void => {
    status.textContent = looking ?? matchText(scene, steps, others.text());
  };
  const others = showElsewhere(scene, elsewhere, announce);
  const step = (by: 1 | -1): void => {
    const { matches, shown } = scene;
    const event = list.next(by) ?? (matches === null ? null : nextMatch(matches, shown.event, by));
    if (event !== null) scene.find(event);
    else others.go();
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  const searchNow = (): void => {
    clearTimeout(pause);
    scene.set({ search: field.value });
  };
  field.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(searchNow, PAUSE);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    searchNow();
    step(event.shiftKey ? -1 : 1);
  });
  const stepButton = (sign: string, by: 1 | -1, label: string, key: string): HTMLElement =>
    button(sign, () => step(by), { 'aria-label': label, title: `${label.toLowerCase()} (${key})` });
  const previous = stepButton('‹', -1, 'Previous match', 'shift+N');
  const next = stepButton('›', 1, 'Next match', 'N');
  scene.on(['search'], () => {
    const isLinked = field.value !== scene.shown.search;
    if (isLinked) field.value = scene.shown.search;
    status.classList.toggle('tl-problem', scene.matches !== null && scene.matches.problem !== null);
    others.changed(isLinked);
    announce();
  });
  scene.on(['event'], () => {
    if (scene.matches !== null) announce();
  });
  const place = element('div', { class: 'tl-search', role: 'search' }, field, previous, next, status, others.button);
  return {
    place,
    lists: [list.place, others.list],
    step,
    focus: () => field.focus(),
  };
}
