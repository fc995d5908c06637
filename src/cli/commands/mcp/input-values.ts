/** Kinds of values in the input of a tool: the JSON Schema that clients see, and the check of a value. */
import { grouped } from '../../../record/plural.js';

/** JSON Schema of a value. */
export type Schema = Readonly<Record<string, unknown>>;

export interface InputValue {
  readonly schema: Schema;
  /** What is wrong with a value, after the name of its input; null for nothing. */
  readonly fault: (value: unknown) => string | null;
}

/** Maximum number of characters in a string. */
const LONGEST_TEXT = 4000;

/** A value from the client as messages show it. */
export const shown = (value: string): string => JSON.stringify(value.slice(0, 80));

export const SWITCH: InputValue = {
  schema: { type: 'boolean' },
  fault: (value) => (typeof value === 'boolean' ? null : 'takes true or false'),
};

export const numberBetween = (least: number, most: number, type: 'integer' | 'number' = 'number'): InputValue => ({
  schema: { type, minimum: least, maximum: most },
  fault: (value) => {
    const isNumber = typeof value === 'number' && (type === 'number' || Number.isInteger(value));
    return isNumber && value >= least && value <= most
      ? null
      : `takes ${type === 'integer' ? 'an integer' : 'a number'} from ${grouped(least)} to ${grouped(most)}`;
  },
});

/** @param form what the string must match, and an example of it */
export const text = (form?: { readonly pattern: RegExp; readonly example: string }): InputValue => ({
  schema: { type: 'string' },
  fault: (value) => {
    if (typeof value !== 'string') return 'takes a string';
    if (value === '' || value.length > LONGEST_TEXT) return `takes 1 to ${grouped(LONGEST_TEXT)} characters`;
    if (value.includes('\0')) return 'contains a NUL character';
    return form === undefined || form.pattern.test(value) ? null : `takes ${form.example}, not ${shown(value)}`;
  },
});

/** @param isListed whether the schema lists the values, where they are few */
export const oneOf = (values: readonly string[], isListed = true): InputValue => ({
  schema: isListed ? { type: 'string', enum: values } : { type: 'string' },
  fault: (value) => (typeof value === 'string' && values.includes(value) ? null : `takes one of: ${values.join(', ')}`),
});

export const listOf = (item: InputValue, least: number, most: number): InputValue => ({
  schema: { type: 'array', items: item.schema, ...(least === 0 ? {} : { minItems: least }), maxItems: most },
  fault: (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most)
      return `takes a list of ${least === most ? '' : `${least} to `}${most}`;
    for (const entry of value as readonly unknown[]) {
      const fault = item.fault(entry);
      if (fault !== null) return fault;
    }
    return null;
  },
});
