/** The script that measures the peak rates of a device, with those that vendors state, for comparison. */
import type { DeviceRow } from '../roofline/devices.js';
import { DEVICES } from '../roofline/devices.js';
import { withLines } from './program.js';
import { pythonValue } from './python-value.js';

const dictOf = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([key, value]) => `${pythonValue(key)}: ${value}`)
    .join(', ')}}`;

const rates = (given: Readonly<Partial<Record<string, number>>>): string =>
  dictOf(Object.fromEntries(Object.entries(given).map(([type, rate]) => [type, pythonValue(rate ?? null, 'float')])));

/** A device as a dict of Python. Patterns of names mean the same in Python as in JavaScript. */
const rowText = ({ name, pattern, memory, bytesPerS, matrix, vector }: DeviceRow): string =>
  dictOf({
    name: pythonValue(name),
    pattern: pythonValue(pattern.source),
    ignore_case: pythonValue(pattern.ignoreCase),
    memory: pythonValue(memory ?? null),
    bytesPerS: pythonValue(bytesPerS, 'float'),
    peaks: dictOf({ matrix: rates(matrix), vector: rates(vector) }),
  });

/** @param program the program, with a place for `VENDOR` */
export function peaksScript(program: string): string {
  return withLines(program, 'VENDOR', ['VENDOR = [', ...DEVICES.map((row) => `    ${rowText(row)},`), ']']);
}
