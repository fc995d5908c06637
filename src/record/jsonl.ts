/**
 * Encodes one record a line, never too long to be read. JSON escapes control characters and lone surrogates, so that no
 * text can break a line.
 */
import { jsonOf } from './control-characters.js';
import { DeviceLine } from './lines/device-lines.js';
import { LineBytes } from './lines/line-bytes.js';
import type { ProfileLine } from './record.js';

/** Maximum bytes of a line that readers accept; reports of 128 cores and hundreds of loaded models are below 4 MB. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** A record as one line, including the line feed. */
export function encodeLine(record: ProfileLine): string {
  if (!(record instanceof DeviceLine)) return `${jsonOf(record)}\n`;
  record.writeTo(ONE_LINE);
  return ONE_LINE.takeText();
}

/** Buffer for one line; most lines are shorter. */
const ONE_LINE = new LineBytes(1024);
