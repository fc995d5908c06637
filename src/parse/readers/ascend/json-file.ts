import { readFileSync, statSync } from 'node:fs';

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
