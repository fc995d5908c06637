/**
 * Real profiles and reference answers live beside the repository, in ../shared, and are not part of it: a test that
 * needs one says that it skips when the folder is missing.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageFolder } from '../../src/cli/package-folder.js';
import { mark, runs } from './sets.js';

/** The repository's root. */
export const ROOT = packageFolder();
const SHARED = resolve(ROOT, '..', 'shared');

/** Path of a shared file; null when it is not there, and in runs without tests of real profiles. */
export function sharedFile(name: string): string | null {
  const path = join(SHARED, name);
  return runs('profiles') && existsSync(path) ? path : null;
}

let announced = false;

/** Reports once that tests are skipped, whatever the reporter shows of them. */
function announceSkip(): void {
  if (!announced && runs('profiles'))
    process.stderr.write('tests on real profiles are skipped: they need ../shared, next to the checkout\n');
  announced = true;
}

/** A test on shared files; skipped, and saying so, when one is missing. */
export function itShared(
  title: string,
  names: readonly string[],
  body: (this: Mocha.Context, paths: string[]) => void | Promise<void>,
): void {
  const paths = names.map(sharedFile);
  const missing = names.filter((_, i) => paths[i] === null);
  if (missing.length === 0)
    mark(
      'profiles',
      it(title, function () {
        return body.call(this, paths.map(String));
      }),
    );
  else {
    announceSkip();
    mark('profiles', it(`${title} (skipped: needs ../shared/${missing[0] ?? ''})`));
  }
}
