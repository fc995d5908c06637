/** Appends records as lines, and shortens lines that would be too long to be read. */
import type { Diagnostics } from '../diagnostics.js';
import type { ProfileLine } from '../record.js';
import { DeviceLine, InstructionLine } from './device-lines.js';
import type { LineBytes } from './line-bytes.js';

/** Maximum characters of a string, and of all strings in a record together; a character takes up to six bytes of a line. */
interface TextLimits {
  readonly one: number;
  readonly all: number;
}

const LIMITS: TextLimits = { one: 2 ** 20, all: 2 ** 23 };

/**
 * Appends a record as a line that can be read. Only lines longer than the limit are inspected.
 * @param append appends a record in some line format
 */
export function appendReadable(
  lines: LineBytes,
  record: ProfileLine,
  append: (lines: LineBytes, record: ProfileLine) => void,
  diagnostics: Diagnostics,
): void {
  const from = lines.length;
  try {
    append(lines, record);
    if (lines.length - from <= LIMITS.one) return;
  } catch (error) {
    // Thrown when the line exceeds the maximum length of a string.
    if (!(error instanceof RangeError)) throw error;
  }
  lines.dropTo(from);
  append(lines, withTextsCut(record instanceof InstructionLine ? record.whole : record, diagnostics));
}

/** The record with long strings shortened; each shortening is counted. */
export function withTextsCut(record: ProfileLine, diagnostics: Diagnostics, limits = LIMITS): ProfileLine {
  let left = limits.all;
  const textOf = (text: string): string => {
    const most = Math.min(limits.one, left);
    left -= Math.min(text.length, most);
    if (text.length <= most) return text;
    diagnostics.count('text-cut');
    // Do not cut a surrogate pair.
    return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  };
  const valueOf = (value: unknown): unknown => {
    if (typeof value === 'string') return textOf(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(valueOf);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [textOf(key), valueOf(item)]));
  };
  return valueOf(record) as ProfileLine;
}

/** Appends a record as one line, including the line feed. */
export function appendLine(lines: LineBytes, record: ProfileLine): void {
  if (record instanceof DeviceLine) record.writeTo(lines);
  else lines.json(`${JSON.stringify(record)}\n`);
}
