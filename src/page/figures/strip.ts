/** Parts of a whole: as a strip, and as a table with their time and share. */
import { element } from '../document/dom-elements.js';
import { ratio, type Field } from './field.js';
import { figureColumn } from './listed-rows.js';
import { table } from './sorted-table.js';
import { quantityText } from '../document/units.js';

export interface StripPart {
  readonly name: string;
  /** Time of the part; its share of the whole is drawn. */
  readonly field: Field;
  /** The time that is displayed, when it differs. */
  readonly said?: Field;
  /** A variable of the style sheet. */
  readonly colour: string;
  readonly count?: Field;
  /** What a click on its segment does; the legend has links for keyboards. */
  readonly act?: () => void;
}

/** A colour of the palette, for names without a fixed colour. */
export const inPalette = (at: number): string => `var(--hue-${(at % 8) + 1})`;

/** @param whole total time in ns */
export function strip(label: string, parts: readonly StripPart[], whole: Field): HTMLElement {
  const shown = parts.flatMap(({ name, field, said: { value } = field, colour, act }) => {
    return value === null || value <= 0 ? [] : [{ name, colour, value, act, share: ratio(field, whole).value }];
  });
  const shares = shown.map(({ name, share }) => `${name} ${quantityText(share, 'share')}`);
  const segments = shown.flatMap(({ name, colour, value, share, act }) => {
    if (share === null) return [];
    const segment = element('span', { title: `${name}: ${quantityText(value, 'ns')}` });
    segment.style.flexGrow = String(share);
    segment.style.background = colour;
    if (act !== undefined) {
      segment.classList.add('leads');
      segment.addEventListener('click', act);
    }
    return [segment];
  });
  return element('div', { class: 'strip', role: 'img', 'aria-label': `${label}: ${shares.join(', ')}` }, ...segments);
}

/** A swatch with the colour of a part, or with the shape of points. */
export function swatch(colour: string, form: 'rect' | 'circle' | 'diamond' | 'triangle' = 'rect'): HTMLElement {
  const made = element('span', { class: `swatch ${form}`, 'aria-hidden': 'true' });
  made.style.background = colour;
  return made;
}

/** A legend: a swatch and a label for each colour. */
export const legend = (entries: readonly (readonly (Node | string)[])[]): HTMLElement =>
  element('ul', { class: 'legend' }, ...entries.map((entry) => element('li', {}, ...entry)));

const NO_COUNT: Field = { name: '', value: null };

export function parts(label: string, list: readonly StripPart[], whole: Field): HTMLElement {
  const withCount = list.some(({ count }) => count !== undefined);
  const columns = [
    { title: 'Part', cell: ({ name }: StripPart) => name, before: ({ colour }: StripPart) => swatch(colour) },
    ...(withCount ? [figureColumn('Count', 'count', ({ count = NO_COUNT }: StripPart) => count)] : []),
    figureColumn('Time', 'ns', ({ field }: StripPart) => field),
    figureColumn('Share', 'share', ({ field }: StripPart) => ratio(field, whole)),
  ];
  const made = table({ caption: label, columns, rows: list, sortedBy: null });
  made.classList.add('parts');
  return made;
}
