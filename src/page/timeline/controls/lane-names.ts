/**
 * Names of lanes at the left: a click selects the lane, or all lanes of a group. Buttons before them collapse and expand
 * groups and lanes with many rows.
 */
import { counted } from '../../../record/plural.js';
import { element } from '../../document/dom-elements.js';
import type { Scene } from '../model/scene.js';
import type { PlacedGroup, PlacedLane, TimelineLayout, PlacedTrack } from '../model/layout.js';
import { onlyLanes, selectedLanes, toggledLanes } from '../model/selection.js';
import { AXIS } from '../draw/pixels.js';
import { selectionInSight } from './keys.js';

/** The track's name; for the first of several, a button that shows and hides the others. */
function trackName({ name, top, height, fold }: PlacedTrack): HTMLElement {
  const style = `top:${AXIS + top}px;height:${height}px`;
  if (fold === null) return element('span', { class: 'tl-lane tl-track', title: name, style }, name);
  const { key, isOpen, more } = fold;
  const attributes = {
    ...{ type: 'button', class: 'tl-lane tl-fold tl-track', style, 'data-lane': key, 'aria-expanded': String(isOpen) },
    title: `${name}, and ${more} more counters`,
  };
  return element('button', attributes, `${isOpen ? '▾' : '▸'} ${name} (${more} more)`);
}

/** @param isOf whether to include lanes that begin at a height in the layout */
function extraNames(
  { tracks, marks }: TimelineLayout,
  isOf: (placed: { readonly top: number }) => boolean,
): HTMLElement[] {
  const row = { class: 'tl-lane tl-track', style: `top:${AXIS}px;height:${marks}px` };
  const ofMarks = marks > 0 && isOf({ top: 0 }) ? [element('span', row, 'notices')] : [];
  return [...ofMarks, ...tracks.filter(isOf).map(trackName)];
}

const HOW = 'click: select it alone; shift: add it';

/** A name that selects lanes, in a row with the fold button. @param lanes indices of its lanes */
function nameButton(text: string, title: string, lanes: readonly number[], kind: string): HTMLElement {
  const attributes = { type: 'button', class: kind, title: `${title} (${HOW})`, tabindex: -1 };
  return element('button', { ...attributes, 'data-lanes': lanes.join(), 'aria-pressed': 'false' }, text);
}

const rowStyle = (top: number, height: number): string => `top:${AXIS + top}px;height:${height}px`;

/** The lane's name; for a lane with many rows, after a button that unfolds and folds it. */
function laneRow({ lane, name, top, height, fold }: PlacedLane): HTMLElement {
  const style = rowStyle(top, height);
  if (fold === null)
    return element('div', { class: 'tl-row', style }, nameButton(name, name, [lane], 'tl-name tl-lane'));
  const { key, isOpen, rows } = fold;
  const folder = {
    ...{ type: 'button', class: 'tl-fold', 'data-lane': key, 'aria-expanded': String(isOpen) },
    'aria-label': `Rows of ${name}`,
  };
  const text = `${name} (${rows} rows)`;
  const button = nameButton(text, `${name}: ${rows} rows`, [lane], 'tl-name tl-lane');
  return element('div', { class: 'tl-row', style }, element('button', folder, isOpen ? '▾' : '▸'), button);
}

function groupRow({ name, isOpen, top, height }: PlacedGroup, lanes: readonly number[]): HTMLElement {
  const folder = {
    ...{ type: 'button', class: 'tl-group', 'data-name': name, 'aria-expanded': String(isOpen) },
    'aria-label': `Lanes of ${name}`,
  };
  // A group may have only counters.
  const label =
    lanes.length === 0
      ? element('span', { class: 'tl-all', title: name }, name)
      : nameButton(`${name} (${lanes.length})`, `${name}: ${counted(lanes.length, 'lane')}`, lanes, 'tl-name tl-all');
  const attributes = { class: 'tl-row tl-group-row', style: rowStyle(top, height) };
  return element('div', attributes, element('button', folder, isOpen ? '▾' : '▸'), label);
}

/** The set with the name added, or removed if it was there. */
function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

/**
 * Minimum width of the names and the step of a key, in CSS pixels; and maximum width of the names, as a share of the
 * timeline.
 */
const [LEAST_WIDTH, KEY_STEP, WIDEST] = [64, 16, 0.6];

/**
 * The right edge of the names. Dragging or arrow keys change the width of the names, and a double click resets it.
 * @param place stores the width, for timelines that are shown in it later
 * @param sheet the element to the right of the names
 */
export function nameEdge(place: HTMLElement, sheet: HTMLElement, resized: () => void): HTMLElement {
  const edge = element('div', {
    ...{ class: 'tl-edge', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical' },
    ...{ 'aria-label': 'Width of the names', 'aria-valuemin': LEAST_WIDTH, 'aria-valuenow': LEAST_WIDTH },
    title: 'drag to resize the names; double-click to reset',
  });
  const now = (): number => Math.round(edge.offsetLeft + edge.offsetWidth / 2);
  const set = (width: number | null): void => {
    const most = Math.max(LEAST_WIDTH, WIDEST * sheet.clientWidth);
    if (width === null) place.style.removeProperty('--tl-chosen');
    else place.style.setProperty('--tl-chosen', `${Math.round(Math.max(LEAST_WIDTH, Math.min(most, width)))}px`);
    edge.setAttribute('aria-valuenow', String(now()));
    resized();
  };
  edge.addEventListener('focus', () => edge.setAttribute('aria-valuenow', String(now())));
  edge.addEventListener('pointerdown', ({ pointerId }) => edge.setPointerCapture(pointerId));
  edge.addEventListener('pointermove', ({ pointerId, clientX }) => {
    if (edge.hasPointerCapture(pointerId)) set(clientX - sheet.getBoundingClientRect().left);
  });
  edge.addEventListener('dblclick', () => set(null));
  edge.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(now() + step);
  });
  return edge;
}

/** Names of the scrolling lanes, and of the pinned ones. */
interface LaneNames {
  readonly scrolled: HTMLElement;
  readonly pinned: HTMLElement;
}

const lanesOf = (name: HTMLElement): number[] => (name.dataset['lanes'] ?? '').split(',').map(Number);

export function showNames(scene: Scene): LaneNames {
  const scrolled = element('div', { class: 'tl-names' });
  const pinned = element('div', { class: 'tl-pinned' });
  const places = [pinned, scrolled];
  const buttons = (selector: string): HTMLElement[] =>
    places.flatMap((place) => [...place.querySelectorAll<HTMLElement>(selector)]);
  const { lanes: all } = scene.events;
  const lanesOfGroup = ({ name, kind }: PlacedGroup): number[] =>
    all.flatMap((lane, at) => (lane.group === name && lane.kind === kind ? [at] : []));
  const mark = (): void => {
    const { span } = scene.shown;
    const selected = span?.lanes ? selectedLanes(all, span.lanes) : new Set<number>();
    for (const name of buttons('.tl-name'))
      name.setAttribute('aria-pressed', String(lanesOf(name).every((lane) => selected.has(lane))));
  };
  /** All names together have one tab stop; arrow keys go from name to name. */
  const stopAt = (stop: HTMLElement | undefined): void => {
    for (const name of buttons('.tl-name')) name.tabIndex = name === stop ? 0 : -1;
  };
  const show = (): void => {
    const { groups, lanes } = scene.layout;
    const height = scene.shown.pinned;
    const namesIn = (isPinned: boolean): HTMLElement[] => {
      const isOf = ({ top }: { readonly top: number }): boolean => top < height === isPinned;
      const rows = [
        ...groups.filter(isOf).map((group) => ({ top: group.top, row: groupRow(group, lanesOfGroup(group)) })),
        ...lanes.filter(isOf).map((lane) => ({ top: lane.top, row: laneRow(lane) })),
      ];
      return [...rows.sort((a, b) => a.top - b.top).map(({ row }) => row), ...extraNames(scene.layout, isOf)];
    };
    pinned.style.height = `${AXIS + height}px`;
    pinned.hidden = height === 0;
    pinned.replaceChildren(...namesIn(true));
    scrolled.replaceChildren(...namesIn(false));
    stopAt(buttons('.tl-name')[0]);
    mark();
  };
  const fold = ({ dataset: { name, lane } }: HTMLElement): void => {
    const { closed, opened } = scene.shown;
    if (name !== undefined) scene.set({ closed: toggled(closed, name) });
    if (lane !== undefined) scene.set({ opened: toggled(opened, lane) });
    // The buttons are new elements, so the focus must be set again.
    const isPressed = ({ dataset }: HTMLElement): boolean => dataset['name'] === name && dataset['lane'] === lane;
    buttons('[aria-expanded]').find(isPressed)?.focus();
  };
  const onClick = ({ target, shiftKey }: MouseEvent): void => {
    const pressed = target instanceof Element ? target.closest('button') : null;
    if (pressed === null) return;
    if (pressed.dataset['lanes'] === undefined) {
      fold(pressed);
      return;
    }
    const span = scene.shown.span ?? selectionInSight(scene);
    const change = shiftKey ? toggledLanes : onlyLanes;
    scene.set({ span: { ...span, lanes: change(all, span.lanes, lanesOf(pressed)) } });
    stopAt(pressed);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const names = buttons('.tl-name');
    const at = names.findIndex((name) => name === event.target);
    const next = step === undefined || at === -1 ? undefined : names[at + step];
    if (next === undefined) return;
    event.preventDefault();
    stopAt(next);
    next.focus();
  };
  for (const place of places) {
    place.addEventListener('click', onClick);
    place.addEventListener('keydown', onKey);
  }
  scene.on(['closed', 'opened', 'pinned'], show);
  scene.on(['span'], mark);
  show();
  return { scrolled, pinned };
}
