/** Figures on the page: `data` elements with a text, and with field and raw number as attributes for programs. */
import { element } from '../document/dom-elements.js';
import { valueOf, type FieldScope } from './field.js';
import { quantityText, type DisplayUnit } from '../document/units.js';

/** @param text the formatted value; by default in its own scale */
export function namedFigure(
  field: string,
  value: number | null,
  unit: DisplayUnit,
  text = quantityText(value, unit),
): HTMLElement {
  const isKnown = value !== null && Number.isFinite(value);
  return element(
    'data',
    {
      class: isKnown ? 'figure' : 'figure unknown',
      value: String(value),
      'data-field': field,
      'data-value': String(value),
      title: isKnown ? null : 'not known from this profile',
    },
    text,
  );
}

/** The figure of a field, see `field.ts`, in its own scale. */
export const figure = (scope: FieldScope, field: string, unit: DisplayUnit): HTMLElement =>
  namedFigure(field, valueOf(scope, field), unit);
