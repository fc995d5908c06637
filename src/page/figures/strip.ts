/** Parts of a whole: as a strip, and as a table with their time and share. */
import { element } from '../document/dom-elements.js';
import { valueOf, type FieldScope } from './field.js';
import { figure, namedFigure } from './figure.js';
import { inScale, scaleOfAll, quantityText } from '../document/units.js';

export interface StripPart {
  readonly name: string;
  /** Field of its time, see `field.ts`. */
  readonly field: string;
  /** A variable of the style sheet. */
  readonly colour: string;
  /** Field of its count. */
  readonly count?: string;
}

/** Colour of the palette, for names that have none of their own. */
export const inPalette = (at: number): string => `var(--hue-${(at % 8) + 1})`;

/** @param whole field of the whole, ns */
export function strip(scope: FieldScope, label: string, parts: readonly StripPart[], whole: string): HTMLElement {
  const shown = parts.flatMap(({ name, field, colour }) => {
    const value = valueOf(scope, field);
    return value === null || value <= 0 ? [] : [{ name, colour, value, share: valueOf(scope, `${field} / ${whole}`) }];
  });
  const shares = shown.map(({ name, share }) => `${name} ${quantityText(share, 'share')}`);
  const segments = shown.flatMap(({ name, colour, value, share }) => {
    if (share === null) return [];
    const segment = element('span', { title: `${name}: ${quantityText(value, 'ns')}` });
    segment.style.flexGrow = String(share);
    segment.style.background = colour;
    return [segment];
  });
  return element('div', { class: 'strip', role: 'img', 'aria-label': `${label}: ${shares.join(', ')}` }, ...segments);
}

/** A patch with the colour of a part, and with the shape of points. */
export function swatch(colour: string, form: 'rect' | 'circle' | 'diamond' | 'triangle' = 'rect'): HTMLElement {
  const made = element('span', { class: `swatch ${form}`, 'aria-hidden': 'true' });
  made.style.background = colour;
  return made;
}

/** Names of colours: a swatch and a text each. */
export const legend = (entries: readonly (readonly (Node | string)[])[]): HTMLElement =>
  element('ul', { class: 'legend' }, ...entries.map((entry) => element('li', {}, ...entry)));

export function parts(scope: FieldScope, label: string, list: readonly StripPart[], whole: string): HTMLElement {
  const withCount = list.some(({ count }) => count !== undefined);
  const scale = scaleOfAll(
    'ns',
    list.map(({ field }) => valueOf(scope, field)),
  );
  const head = ['Part', ...(withCount ? ['Count'] : []), `Time (${scale.suffix})`, 'Share'].map((text, i) =>
    element('th', { scope: 'col', class: i === 0 ? null : 'number' }, text),
  );
  const number = (content: Node | string): HTMLElement => element('td', { class: 'number' }, content);
  const rows = list.map(({ name, colour, field, count }) => {
    const text = element('span', { class: 'text', title: name }, name);
    const time = valueOf(scope, field);
    // Fields are evaluated from left to right: this divides the whole of a difference.
    const share = `${field} / ${whole}`;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, swatch(colour), text),
      ...(withCount ? [number(count === undefined ? '' : figure(scope, count, 'count'))] : []),
      number(namedFigure(field, time, 'ns', inScale(time, scale))),
      number(namedFigure(share, valueOf(scope, share), 'share')),
    );
  });
  const header = element('thead', {}, element('tr', {}, ...head));
  return element('table', { class: 'parts', 'aria-label': label }, header, element('tbody', {}, ...rows));
}
