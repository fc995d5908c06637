/**
 * Real profiles and reference answers live beside the repository, in ../shared, and are not part of it: a test that
 * needs one says that it skips when the folder is missing.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder upwards that holds package.json: the same from sources and from compiled tests. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json above ${from}`);
  }
}

export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));
const SHARED = resolve(ROOT, '..', 'shared');

/** Path of a shared file, or null when it is not there. */
export function sharedFile(name: string): string | null {
  const path = join(SHARED, name);
  return existsSync(path) ? path : null;
}

let told = false;

/** Says once that tests are skipped, whatever the reporter shows of them. */
function tell(): void {
  if (!told) process.stderr.write('tests on real profiles are skipped: they need ../shared, beside the checkout\n');
  told = true;
}

/** A test on shared files; skipped, and saying so, when one is missing. */
export function itShared(
  title: string,
  names: readonly string[],
  body: (paths: string[]) => void | Promise<void>,
): void {
  const paths = names.map(sharedFile);
  const missing = names.filter((_, i) => paths[i] === null);
  if (missing.length === 0) it(title, () => body(paths.map(String)));
  else {
    tell();
    it(`${title} (skipped: needs ../shared/${missing[0] ?? ''})`);
  }
}
