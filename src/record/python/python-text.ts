/** Values as Python writes them (`repr`): https://docs.python.org/3/library/functions.html#repr */

/** Characters that Python escapes: controls, what it does not print, backslashes. Blanks other than the space are none. */
const ESCAPED = /[\p{C}\p{Zl}\p{Zp}\\]|(?! )\p{Zs}/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A string literal: in single quotes, in double ones where that spares escapes. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const plain =
    quote === "'" ? text.replaceAll(ESCAPED, escape).replaceAll("'", "\\'") : text.replaceAll(ESCAPED, escape);
  return quote + plain + quote;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
  const long = code > 0xffff ? `\\U${hex(8)}` : code > 0xff ? `\\u${hex(4)}` : `\\x${hex(2)}`;
  return SHORT_ESCAPES[character] ?? long;
}

export const pythonList = (items: readonly string[]): string => `[${items.join(', ')}]`;

/** A tuple; of one item with a comma behind it. */
export const pythonTuple = (items: readonly string[]): string =>
  items.length === 1 ? `(${items.join()},)` : `(${items.join(', ')})`;

export const pythonDict = (fields: readonly (readonly [key: string, value: string])[]): string =>
  `{${fields.map(([key, value]) => `${pythonString(key)}: ${value}`).join(', ')}}`;

/** An integer, or None for what is unknown. */
export const pythonInteger = (value: number | null): string => (value === null ? 'None' : String(BigInt(value)));

/** Digits before the point from which Python writes an exponent, and zeros behind it up to which it does not. */
const [MOST_DIGITS, MOST_ZEROS] = [16, 4];

/** A number of Python's type float: it has a point or an exponent. */
export function pythonFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value !== 0 && (power >= MOST_DIGITS || power < -MOST_ZEROS))
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  const text = power < 0 ? value.toFixed(digits.replace(/\D/g, '').length - 1 - power) : String(value);
  const signed = Object.is(value, -0) ? '-0' : text;
  return signed.includes('.') ? signed : `${signed}.0`;
}
