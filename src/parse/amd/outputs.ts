/** Files that rocprofv3 writes about one run, if it is given several formats. */
import { join } from 'node:path';
import { isFile } from '../files.js';

/** How their names end, those that state most first. The names begin alike, with the run. */
const ENDINGS = ['_results.db', '_results.json', '_kernel_trace.csv', '_results.pftrace'] as const;

/**
 * Name of a file that states more about the same run; null when there is none.
 * @param run beginning of the names; undefined for a file that has another name
 * @param ending ending of the file's own name
 */
export function fullerOutput(
  run: string | undefined,
  ending: (typeof ENDINGS)[number],
  folder: string | null,
): string | null {
  if (run === undefined || folder === null) return null;
  const fuller = ENDINGS.slice(0, ENDINGS.indexOf(ending)).map((other) => run + other);
  return fuller.find((name) => isFile(join(folder, name))) ?? null;
}
