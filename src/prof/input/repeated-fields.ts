/**
 * Most of a kernel's line repeats from line to line: its name, its calls. These parts are cut out of the text, parsed
 * once for every distinct text, and shared by the records. It saves most of the parsing, and equal calls become the
 * same object, which lets others remember what they computed of them.
 *
 * The cut is safe in any JSON: an unescaped quote cannot stand inside a string, so `,"calls":` is always a key. Where
 * the parts are not as `dparse` writes them, the line is parsed as a whole.
 */
import { AdaptiveCache } from '../../containers/lru-cache.js';
import { isObject } from './record-validation.js';

interface RepeatedField {
  readonly key: string;
  /** The text before the part's value, and the text of the key after it. */
  readonly before: string;
  readonly after: string;
}

const FIELDS: readonly RepeatedField[] = [
  { key: 'name', before: ',"name":', after: ',"short":' },
  { key: 'calls', before: ',"calls":', after: ',"mod":[' },
];

const KEPT = 2048;
/** Most backward kernels have none. */
const NO_CALLS: readonly unknown[] = [];
/** A longer text is rare enough not to be kept. */
const LONGEST = 20_000;

export class RepeatedFieldParser {
  readonly #values = FIELDS.map(() => new AdaptiveCache<string, unknown>(KEPT));

  /**
   * JSON.parse for a kernel's line.
   * @throws SyntaxError as JSON.parse does
   */
  parse(text: string): unknown {
    if (this.#values.some((value) => !value.isOn)) return JSON.parse(text);
    const values: unknown[] = [];
    let rest = '';
    let at = 0;
    for (const [i, { before, after }] of FIELDS.entries()) {
      const from = text.indexOf(before, at);
      const to = from === -1 ? -1 : text.indexOf(after, from);
      if (to === -1) return JSON.parse(text);
      const value = this.#value(i, text.slice(from + before.length, to));
      if (value === undefined) return JSON.parse(text);
      values.push(value);
      rest += text.slice(at, from);
      at = to;
    }
    const record = parsed(rest + text.slice(at));
    if (!isObject(record) || FIELDS.some(({ key }) => key in record)) return JSON.parse(text);
    const whole = record as Record<string, unknown>;
    for (const [i, { key }] of FIELDS.entries()) whole[key] = values[i];
    return whole;
  }

  /** The value of a text; undefined when it is none, or too long to keep. */
  #value(part: number, text: string): unknown {
    if (text.length > LONGEST) return undefined;
    if (text === '[]') return NO_CALLS;
    const values = this.#values[part];
    const known = values?.get(text);
    if (known !== undefined) return known;
    const value = parsed(text);
    if (value === undefined || value === null) return undefined;
    values?.set(copyOf(text), value);
    return value;
  }
}

/** The value, or undefined when the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A slice keeps all of the text alive that it was cut from, here a whole chunk of the file: this is a true copy. */
export const copyOf = (slice: string): string => Buffer.from(slice, 'utf16le').toString('utf16le');
