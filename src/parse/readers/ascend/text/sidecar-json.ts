/** Members of a JSON file beside a trace (communication.json), whose shape is not to be relied on. */
import { readFileSync, statSync } from 'node:fs';

type Fields = Readonly<Record<string, unknown>>;

/** Larger ones are none of these. */
const LARGEST = 256 * 1024 * 1024;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
export const membersOf = (value: unknown): [string, unknown][] =>
  isObject(value) && !Array.isArray(value) ? Object.entries(value) : [];
export const member = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

/** A file as JSON; undefined when it is none, or cannot be read. */
export function readJson(path: string): unknown {
  try {
    if (statSync(path).size > LARGEST) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
