/** Python source for values and comments: the only forms in which text of a profile enters a script. */
import { escapeControls } from '../../record/control-characters.js';
import type { ArgValue } from '../../record/record.js';
import { pythonFloat, pythonString } from '../../record/python/net-dict.js';

/** Half of a surrogate pair, which Python can neither print nor write. */
const SURROGATE = /\p{Cs}/gu;

/** Numbers that JSON does not have, as text. */
const NOT_FINITE = /^-?(?:inf|nan)$/i;

/** The greatest and the least integer of 64 bits. JavaScript may have rounded a number near them to one outside the range. */
const [MOST, LEAST] = [2n ** 63n - 1n, -(2n ** 63n)];

function pythonNumber(value: number, isFloat: boolean): string {
  if (!Number.isFinite(value)) return `float(${pythonString(String(value).replace('Infinity', 'inf').toLowerCase())})`;
  if (isFloat || !Number.isInteger(value)) return pythonFloat(value);
  const whole = BigInt(value);
  return String(whole > MOST ? MOST : whole < LEAST ? LEAST : whole);
}

/**
 * A literal of Python for a value.
 * @param type the recorded name of the type: a whole number of type `float` gets a decimal point
 * @example pythonValue([1, true, null, "a'b"]) // [1, True, None, "a'b"]
 */
export function pythonValue(value: ArgValue, type = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return pythonNumber(value, type === 'float');
  if (typeof value === 'string') return pythonString(value.replace(SURROGATE, '\ufffd'));
  return `[${value.map((item) => pythonValue(item)).join(', ')}]`;
}

/** The literal of an argument, where the text `-inf` is a number. */
export const argumentValue = (value: ArgValue, type: string): string =>
  typeof value === 'string' && NOT_FINITE.test(value)
    ? `float(${pythonString(value.toLowerCase())})`
    : pythonValue(value, type);

/** Longest text of a comment. */
const LONGEST = 300;

/** A comment on one line: control characters, line separators and invisible characters are escaped. */
export function pythonComment(text: string): string {
  const safe = escapeControls(text).replace(SURROGATE, '\ufffd');
  return `# ${safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe}`;
}
