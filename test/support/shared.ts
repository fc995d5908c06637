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

/** Whether tests that may read shared files run. */
const isRead = (): boolean => runs('profiles') || runs('browser');

/** Path of a shared file; null when it is not there, and in runs without tests that read it. */
export function sharedFile(name: string): string | null {
  const path = join(SHARED, name);
  return isRead() && existsSync(path) ? path : null;
}

let announced = false;

/** Reports once that tests are skipped, whatever the reporter shows of them. */
function announceSkip(): void {
  if (!announced && isRead())
    process.stderr.write('tests on real profiles are skipped: they need ../shared, next to the checkout\n');
  announced = true;
}

type SharedBody = (this: Mocha.Context, paths: string[]) => void | Promise<void>;

function sharedTest(title: string, names: readonly string[], body: SharedBody): Mocha.Test {
  const paths = names.map(sharedFile);
  const missing = names.filter((_, i) => paths[i] === null);
  const test = (): Mocha.Test => {
    if (missing.length === 0)
      return it(title, function () {
        return body.call(this, paths.map(String));
      });
    announceSkip();
    return it(`${title} (skipped: needs ../shared/${missing[0] ?? ''})`);
  };
  return mark('profiles', test());
}

/** A test on shared files; skipped, and saying so, when one is missing. */
export function itShared(title: string, names: readonly string[], body: SharedBody): void {
  sharedTest(title, names, body);
}

/** The same for what another such test samples. */
export function itSharedLong(title: string, names: readonly string[], body: SharedBody): void {
  mark('long', sharedTest(title, names, body));
}

/**
 * A test of one property on each of several shared files. Those of `sampled`, which exercise what the property depends on,
 * run with the profiles; long runs take the others too.
 */
export function itEachShared(
  sampled: readonly string[],
  others: readonly string[],
  titleOf: (name: string) => string,
  body: (this: Mocha.Context, path: string, name: string) => void | Promise<void>,
): void {
  const test = (name: string): Mocha.Test =>
    sharedTest(titleOf(name), [name], function ([path = '']) {
      return body.call(this, path, name);
    });
  for (const name of sampled) test(name);
  for (const name of others) mark('long', test(name));
}
