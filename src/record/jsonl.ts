/**
 * One record a line, which is never too long to be read. JSON escapes control characters and lone surrogates, so no
 * text can break a line.
 */
import { jsonOf } from './control-characters.js';
import { DeviceLine, InstructionLine } from './lines/device-lines.js';
import { LineBytes } from './lines/line-bytes.js';
import type { ProfileLine } from './record.js';
import type { Diagnostics } from './diagnostics.js';

/** Characters of a text, and of all texts of a record together: each takes up to six bytes of a line. */
interface TextLimits {
  readonly one: number;
  readonly all: number;
}

const LIMITS: TextLimits = { one: 2 ** 20, all: 2 ** 23 };

/**
 * Appends a record as a line that can be read. Only lines that are longer than a text may be are looked through.
 * @param append in any format of lines
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
    // Of a line that is longer than a string may be.
    if (!(error instanceof RangeError)) throw error;
  }
  lines.dropTo(from);
  append(lines, withTextsCut(record instanceof InstructionLine ? record.whole : record, diagnostics));
}

/** The record with its long texts cut; each cut is counted. */
export function withTextsCut(record: ProfileLine, diagnostics: Diagnostics, limits = LIMITS): ProfileLine {
  let left = limits.all;
  const textOf = (text: string): string => {
    const most = Math.min(limits.one, left);
    left -= Math.min(text.length, most);
    if (text.length <= most) return text;
    diagnostics.count('text-cut');
    // Not within a pair of surrogates.
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

/** Appends a record as one line, line feed included. */
export function appendLine(lines: LineBytes, record: ProfileLine): void {
  if (record instanceof DeviceLine) record.writeTo(lines);
  else lines.json(`${JSON.stringify(record)}\n`);
}

/** Bytes of a line that readers take: reports of 128 cores and hundreds of loaded models are below 4 MB. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** A record as one line, line feed included. */
export function encodeLine(record: ProfileLine): string {
  if (!(record instanceof DeviceLine)) return `${jsonOf(record)}\n`;
  record.writeTo(ONE_LINE);
  return ONE_LINE.takeText();
}

/** Buffer for one line; most are shorter than this. */
const ONE_LINE = new LineBytes(1024);
