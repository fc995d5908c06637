/**
 * Values of a drawing by keyboard: it takes the focus, arrows go from value to value, and each is shown as under the mouse
 * and read out. One way for all charts, so that it is learned once.
 */
import { nextValue } from './arrow-keys.js';
import { element } from './dom-elements.js';

export interface DrawnValues {
  readonly count: number;
  /** Shows a value. @returns it as a text */
  readonly show: (at: number) => string;
  readonly hide: () => void;
  /** What Enter does with a value. */
  readonly open?: (at: number) => void;
}

/**
 * @param place the drawing
 * @param label what it shows
 * @param values asked for at the first key; null as long as nothing is drawn
 * @returns where each value is read out, to be put into the document
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
