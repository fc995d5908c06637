/** The samples of each format, found as dparse finds them: a new sample is tested without a list that names it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkProfile } from '../../src/parse/profile.js';
import type { Reader } from '../../src/parse/reader.js';
import { ROOT } from './shared.js';

const FOLDER = join(ROOT, 'samples');

let found: Map<string, string[]> | null = null;

/** Paths of unpacked samples that are one file, by the id of their reader. */
export function samplesByFormat(): ReadonlyMap<string, readonly string[]> {
  if (found !== null) return found;
  found = new Map();
  const files = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files.filter((entry) => !/\.(?:md|gz)$/.test(entry.name))) {
    const { id } = checkProfile(join(FOLDER, name), name);
    found.set(id, [...(found.get(id) ?? []), join(FOLDER, name)]);
  }
  return found;
}

/** Samples of formats that are stored in databases. */
export const databaseSamples = (readers: readonly Reader[]): readonly string[] =>
  readers.filter(({ reads }) => reads === 'database').flatMap(({ id }) => samplesByFormat().get(id) ?? []);
