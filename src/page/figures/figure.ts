/** A figure as an element. */
import { element } from '../document/dom-elements.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import type { Field } from './field.js';

/** @param text the formatted value; by default in the scale that fits it */
export function figure({ name, value }: Field, unit: DisplayUnit, text = quantityText(value, unit)): HTMLElement {
  const isKnown = value !== null && Number.isFinite(value);
  return element(
    'data',
    {
      class: isKnown ? 'figure' : 'figure unknown',
      value: String(value),
      'data-field': name,
      'data-value': String(value),
      title: isKnown ? null : 'unknown from this profile',
    },
    text,
  );
}
