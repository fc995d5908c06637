/**
 * Reading the values of a drawing by keyboard: it takes the focus, arrows go from value to value, and each value is shown
 * as under the mouse and read out. All charts work the same way, so that users learn it once.
 */
import { nextValue, cellTowards, gridPlaceOf, type CellGrid } from './arrow-keys.js';
import { element } from './dom-elements.js';

type FocusGrid = CellGrid<HTMLElement>;

/** @param grid called at each key, because its order may have changed */
export function roveGrid(place: HTMLElement, grid: () => FocusGrid): void {
  const cells = grid()
    .flat()
    .filter((cell) => cell !== null);
  let stop = cells.find((cell) => cell.tabIndex === 0) ?? cells[0];
  for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1;
  place.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || gridPlaceOf(grid(), target) === null) return;
    if (stop !== undefined) stop.tabIndex = -1;
    stop = target;
    target.tabIndex = 0;
  });
  place.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = gridPlaceOf(grid(), event.target);
    const next = at === null ? null : cellTowards(grid(), at, event.key);
    if (next === null) return;
    event.preventDefault();
    next.focus();
  });
}

export interface DrawnValues {
  readonly count: number;
  /** Shows a value. @returns its text */
  readonly show: (at: number) => string;
  readonly hide: () => void;
  /** Action of Enter on a value. */
  readonly open?: (at: number) => void;
}

/**
 * @param place the drawing
 * @param label what it shows
 * @param values called at the first key press; returns null while nothing is drawn
 * @returns the element where values are read out, to be put into the document
 */
export function readByKeys(place: HTMLElement, label: string, values: () => DrawnValues | null): HTMLElement {
  const said = element('p', { class: 'unseen', 'aria-live': 'polite' });
  let at: number | null = null;
  let drawn: DrawnValues | null = null;
  const attributes = {
    ...{ role: 'application', tabindex: '0', 'aria-roledescription': 'chart' },
    'aria-label': label,
    'aria-description': 'Arrow keys read its values',
  };
  for (const [name, value] of Object.entries(attributes)) place.setAttribute(name, value);
  place.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    drawn ??= values();
    if (drawn === null) return;
    const next = nextValue(event.key, at, drawn.count);
    if (next !== null) said.textContent = drawn.show((at = next));
    else if (event.key === 'Enter' && at !== null && drawn.open !== undefined) drawn.open(at);
    else if (event.key === 'Escape') drawn.hide();
    else return;
    event.preventDefault();
  });
  place.addEventListener('blur', () => drawn?.hide());
  return said;
}
