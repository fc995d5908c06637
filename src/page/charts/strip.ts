/** A whole in its parts: a strip, and a list of the parts with their figures. */
import { element } from '../document/element.js';
import { valueOf, type FieldScope } from '../document/field.js';
import { figure, namedFigure } from './figure.js';
import { inScale, scaleOfAll, written } from '../document/units.js';

export interface StripPart {
  readonly name: string;
  /** Of its time, see `field.ts`. */
  readonly field: string;
  /** A variable of the style sheet. */
  readonly colour: string;
  readonly count?: string;
}

/** Parts in order of the palette, for names that mean no colour. */
export const inPalette = (at: number): string => `var(--hue-${(at % 8) + 1})`;

/** Strip of parts of a whole, both in ns. */
export function strip(scope: FieldScope, label: string, parts: readonly StripPart[], whole: string): HTMLElement {
  const all = valueOf(scope, whole) ?? 0;
  const sized = parts.map((part) => ({ part, value: valueOf(scope, part.field) ?? 0 }));
  const told = sized
    .filter(({ value }) => value > 0)
    .map(({ part, value }) => `${part.name} ${written(all > 0 ? value / all : null, 'share')}`);
  const segments = sized.flatMap(({ part, value }) => {
    if (value <= 0 || all <= 0) return [];
    const segment = element('span', { title: `${part.name}: ${written(value, 'ns')}` });
    segment.style.flexGrow = String(value / all);
    segment.style.background = part.colour;
    return [segment];
  });
  return element('div', { class: 'strip', role: 'img', 'aria-label': `${label}: ${told.join(', ')}` }, ...segments);
}

/** The colour of a part, beside its name; of points also their form. */
export function swatch(colour: string, form: 'rect' | 'circle' | 'diamond' | 'triangle' = 'rect'): HTMLElement {
  const made = element('span', { class: `swatch ${form}`, 'aria-hidden': 'true' });
  made.style.background = colour;
  return made;
}

/** The parts with their time and share, a line each. */
export function parts(scope: FieldScope, label: string, list: readonly StripPart[], whole: string): HTMLElement {
  const withCount = list.some(({ count }) => count !== undefined);
  const times = list.map(({ field }) => valueOf(scope, field));
  const scale = scaleOfAll('ns', times);
  const head = ['', ...(withCount ? ['Count'] : []), `Time (${scale.suffix})`, 'Share'].map((text, i) =>
    element('th', { scope: 'col', class: i === 0 ? null : 'number' }, text),
  );
  const rows = list.map((part, i) => {
    const name = element('th', { scope: 'row' }, swatch(part.colour), element('span', { class: 'text', title: part.name }, part.name)); // prettier-ignore
    const count = withCount ? [element('td', { class: 'number' }, part.count === undefined ? '' : figure(scope, part.count, 'count'))] : []; // prettier-ignore
    const share = `${part.field} / ${whole}`;
    // A difference over the whole is one over the whole: fields are worked out from left to right.
    return element(
      'tr',
      {},
      name,
      ...count,
      element(
        'td',
        { class: 'number' },
        namedFigure(part.field, times[i] ?? null, 'ns', inScale(times[i] ?? null, scale)),
      ),
      element('td', { class: 'number' }, namedFigure(share, valueOf(scope, share), 'share')),
    );
  });
  return element('table', { class: 'parts', 'aria-label': label }, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)); // prettier-ignore
}
