/** Records as bytes of lines. */
import type { ProfileLine } from '../record.js';
import { DeviceLine } from './device-lines.js';
import type { LineBytes } from './line-bytes.js';

/** Appends a record as one line, line feed included. */
export function appendLine(lines: LineBytes, record: ProfileLine): void {
  if (record instanceof DeviceLine) record.writeTo(lines);
  else lines.json(`${JSON.stringify(record)}\n`);
}
