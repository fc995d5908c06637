/** Field coercion for untrusted JSON: a value of the wrong type counts as absent. */

/** Lists and objects take many times their text in memory: a text of brackets alone is not parsed. */
const MOST_BRACKETS = 1_000_000;
const BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

function isAllBrackets(bytes: Buffer): boolean {
  if (bytes.length <= MOST_BRACKETS) return false;
  let brackets = 0;
  for (const byte of bytes) if (BRACKETS.has(byte)) brackets++;
  return brackets > MOST_BRACKETS;
}

/** Parses JSON; undefined when the text is invalid. */
export function parseJson(bytes: Buffer): unknown {
  if (isAllBrackets(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entriesOf = (value: unknown): [string, unknown][] => (isJsonObject(value) ? Object.entries(value) : []);

export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A count, a size or an extent. */
export const sizeOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** A shape; null when one of its extents is invalid. */
export function shapeOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  const extents = value.map(sizeOf);
  return extents.every((extent) => extent !== null) ? extents : null;
}
