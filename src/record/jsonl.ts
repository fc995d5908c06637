/**
 * One record a line. JSON.stringify keeps lines whole whatever a text holds: control characters and lone surrogates
 * are escaped.
 */
import { DeviceLine } from './device-lines.js';
import { LineBytes } from './line-bytes.js';
import type { ProfileLine } from './record.js';

/** A record as one line, line feed included. */
export function encodeLine(record: ProfileLine): string {
  if (!(record instanceof DeviceLine)) return `${JSON.stringify(record)}\n`;
  appendLine(ONE_LINE, record);
  return ONE_LINE.takeText();
}

/** Most lines are shorter. */
const ONE_LINE = new LineBytes(1024);

/** Adds a record as one line, line feed included. */
export function appendLine(lines: LineBytes, record: ProfileLine): void {
  if (record instanceof DeviceLine) record.writeTo(lines);
  else lines.text(`${JSON.stringify(record)}\n`);
}
