/**
 * JSON.parse for lines of kernels, whose names and calls repeat from line to line: these fields are cut out of the text,
 * parsed once for every distinct text, and shared by the records. Equal calls become one object, by which derived values
 * are cached: a report of FLOPs takes 1.90 times the CPU time without it where calls come from Python (100,000 kernels of
 * an nvprof profile, over and over), 1.01 times for a trace of PyTorch, by `node bench/repeated-fields.mjs RECORDS.jsonl`.
 *
 * Cutting is safe in any JSON: no string contains an unescaped quote, so `,"calls":` is always a key. A line whose fields
 * are not in the order in which `dparse` writes them is parsed as a whole.
 */
import { LruCache } from '../../containers/map-entry.js';
import { isObject } from '../../record/fields/field-types.js';

interface RepeatedField {
  readonly key: string;
  /** The text before the field's value, and the text of the key after it. */
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
/** Longer texts are too rare to be kept. */
const LONGEST = 20_000;

export class RepeatedFieldParser {
  readonly #values = FIELDS.map(() => new LruCache<string, unknown>(KEPT));

  /** JSON.parse for a kernel's line. @throws SyntaxError as JSON.parse does */
  parse(text: string): unknown {
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

  /** The value of a text; undefined when it is no JSON, or too long to keep. */
  #value(field: number, text: string): unknown {
    if (text.length > LONGEST) return undefined;
    if (text === '[]') return NO_CALLS;
    const values = this.#values[field];
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

/** A copy that does not share memory with the text that the slice was cut from, here a whole chunk of the file. */
export const copyOf = (slice: string): string => Buffer.from(slice, 'utf16le').toString('utf16le');
