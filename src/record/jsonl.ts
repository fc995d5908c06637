/**
 * One record a line. JSON.stringify keeps lines whole whatever a text holds: control characters and lone surrogates
 * are escaped.
 */
import type { ProfileLine } from './record.js';

/** A record as one line, line feed included. */
export const encodeLine = (record: ProfileLine): string => `${JSON.stringify(record)}\n`;
