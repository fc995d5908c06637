/** A figure on the page: its text for people, its name and raw number for programs. */
import { element } from '../document/element.js';
import { valueOf, type FieldScope } from '../document/field.js';
import { written, type Unit } from '../document/units.js';

/** @param text how it is written; otherwise in its own scale */
export function namedFigure(field: string, value: number | null, unit: Unit, text = written(value, unit)): HTMLElement {
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

/** The figure of a field, see `field.ts`. */
export const figure = (scope: FieldScope, field: string, unit: Unit): HTMLElement =>
  namedFigure(field, valueOf(scope, field), unit);
