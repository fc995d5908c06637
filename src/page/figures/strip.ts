/** Parts of a whole: as a strip, and as a table with their time and share. */
import { element } from '../document/dom-elements.js';
import { valueOf, type FieldScope } from './field.js';
import { table, type TableColumn } from './sorted-table.js';
import { quantityText, type DisplayUnit } from '../document/units.js';

export interface StripPart {
  readonly name: string;
  /** Field of its time, see `field.ts`: its share of the whole is drawn. */
  readonly field: string;
  /** Field of the time that is said, where it is another one. */
  readonly said?: string;
  /** A variable of the style sheet. */
  readonly colour: string;
  /** Field of its count. */
  readonly count?: string;
}

/** Colour of the palette, for names that have none of their own. */
export const inPalette = (at: number): string => `var(--hue-${(at % 8) + 1})`;

/** @param whole field of the whole, ns */
export function strip(scope: FieldScope, label: string, parts: readonly StripPart[], whole: string): HTMLElement {
  const shown = parts.flatMap(({ name, field, said = field, colour }) => {
    const value = valueOf(scope, said);
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
  // Fields are evaluated from left to right: this divides the whole of a difference.
  const shareOf = ({ field }: StripPart): string => `${field} / ${whole}`;
  const number = (title: string, unit: DisplayUnit, fieldOf: (part: StripPart) => string): TableColumn<StripPart> => ({
    ...{ title, unit, field: fieldOf },
    cell: (part) => valueOf(scope, fieldOf(part)),
  });
  const columns = [
    { title: 'Part', cell: ({ name }: StripPart) => name, before: ({ colour }: StripPart) => swatch(colour) },
    ...(withCount ? [number('Count', 'count', ({ count = '' }) => count)] : []),
    number('Time', 'ns', ({ field }) => field),
    number('Share', 'share', shareOf),
  ];
  const made = table({ caption: label, columns, rows: list, sortedBy: null });
  made.classList.add('parts');
  return made;
}
