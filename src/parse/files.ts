/** Reading files: bytes by position, names in a folder, small JSON. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';

/** Fills bytes from a position of a file. @returns how many there were */
export function readFully(file: number, into: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const read = readSync(file, into, filled, into.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** The first bytes of a file, or all of a smaller one. */
export function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readFully(file, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** Names in a folder that match, in order; none when it cannot be read. */
export function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** The last component of a POSIX or Windows path. */
export const fileNameOf = (path: string): string => path.replace(/^.*[/\\]/s, '');

/**
 * Reads a JSON file.
 * @param largest size limit in bytes
 * @returns undefined when the file is larger, invalid, or cannot be read
 */
export function readJsonFile(path: string, largest: number): unknown {
  try {
    if (statSync(path).size > largest) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
