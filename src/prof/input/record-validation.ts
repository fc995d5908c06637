/**
 * Validation of records. Users cut, filter and edit them, so a field may be missing or have the wrong type. Such a
 * field becomes unknown, and the record is kept.
 */
import { elementAt } from '../../containers/element.js';
import {
  areValid,
  checksOf,
  isNumber,
  isStated,
  isString,
  isValidIn,
  mended,
  isObject,
  type FieldCheck,
  type RecordField,
  type RecordFields,
} from '../../record/fields/field-types.js';
import { completeKernel, RECORD_FIELDS } from '../../record/fields/record-fields.js';
import type { KernelLine, KernelRecord, ProfileLine } from '../../record/record.js';
import { LruCache } from '../../containers/map-entry.js';

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
/** Most backward kernels have no calls. */
const NO_CALLS: readonly unknown[] = [];
/** Longer strings are too rare to cache. */
const LONGEST = 20_000;

/**
 * JSON.parse for lines of kernels, whose names and calls repeat from line to line: these fields are cut out of the
 * text, parsed once for every distinct string, and shared by the records. Equal calls become one object, which is the key
 * for caching derived values. `node bench/repeated-fields.mjs RECORDS.jsonl` prints the time that this saves.
 *
 * Cutting is safe in any JSON: no string contains an unescaped quote, so `,"calls":` is always a key. A line whose
 * fields are not in the order in which `dparse` writes them is parsed as a whole.
 */
export class RepeatedFieldParser {
  readonly #values = FIELDS.map(() => new LruCache<string, unknown>(KEPT));

  /**
   * JSON.parse for the line of a kernel.
   * @throws SyntaxError as JSON.parse does
   */
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

  /** The value of a string; undefined when it is not JSON, or too long to cache. */
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

/** The value, or undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy that does not share memory with the text from which the slice was cut, here a whole chunk of the file. */
export const copyOf = (slice: string): string => Buffer.from(slice, 'utf16le').toString('utf16le');

/** Functions that check a record of each type. */
const CHECKS: ReadonlyMap<unknown, readonly FieldCheck[]> = new Map(
  Object.entries(RECORD_FIELDS).map(([type, fields]) => [type, checksOf(fields)]),
);
const KERNEL_LINE = checksOf(RECORD_FIELDS.kernel);
const WHOLE_KERNEL = checksOf(RECORD_FIELDS.kernel, true);

/**
 * Returns the same object when the record is valid, else a copy in which invalid fields are unknown. Unknown fields may
 * contain anything.
 * @param ordinal id of a kernel without one: number of kernels before it, plus one
 * @param onWrong called when a field has the wrong type, but not when it is missing
 */
export const validRecord = (record: RecordFields, ordinal: number, onWrong?: () => void): ProfileLine =>
  record['type'] === 'kernel' ? validKernel(record, ordinal, onWrong) : validLine(record, onWrong);

function validLine(record: RecordFields, onWrong?: () => void): ProfileLine {
  const checks = CHECKS.get(record['type']) ?? [];
  if (areValid(record, checks)) return record as unknown as ProfileLine;
  if (isAnyWrong(record, checks)) onWrong?.();
  const fields = RECORD_FIELDS[record['type'] as keyof typeof RECORD_FIELDS];
  return validCopy(record, fields, checks) as unknown as ProfileLine;
}

function validKernel(record: RecordFields, ordinal: number, onWrong?: () => void): KernelRecord {
  // Instructions of engines have no launch and no ranges, and their lines omit these fields.
  const whole = completeKernel(record as unknown as KernelLine);
  if (areValid(whole as unknown as RecordFields, WHOLE_KERNEL)) return whole;
  if (isAnyWrong(record, KERNEL_LINE)) onWrong?.();
  return kernelOf(record, ordinal);
}

const isAnyWrong = (record: RecordFields, checks: readonly FieldCheck[]): boolean =>
  checks.some((check) => isStated(record[check.name]) && !isValidIn(record, check));

/**
 * Makes a kernel from fields that may be missing or of any type; other fields are dropped.
 * @param ordinal id for a kernel without one
 */
export function kernelOf(fields: RecordFields, ordinal: number): KernelRecord {
  const { id, name, short, step = null } = fields;
  const named: RecordFields = {
    ...{ ...fields, step, id: isNumber(id) ? id : ordinal },
    name: isString(name) ? name : short,
    short: isString(short) ? short : name,
  };
  const known = Object.fromEntries(RECORD_FIELDS.kernel.map((field) => [field.name, named[field.name]]));
  const valid = Object.entries(validCopy(known, RECORD_FIELDS.kernel, WHOLE_KERNEL));
  const stated = Object.fromEntries(valid.filter(([, value]) => value !== undefined));
  return { type: 'kernel', ...stated } as unknown as KernelRecord;
}

/** A copy of a record in which invalid fields are unknown. */
function validCopy(
  record: RecordFields,
  fields: readonly RecordField[],
  checks: readonly FieldCheck[],
): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...record };
  for (const [i, field] of fields.entries())
    if (!isValidIn(record, elementAt(checks, i))) copy[field.name] = mended(record[field.name], field);
  return copy;
}
