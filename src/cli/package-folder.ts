/** Where the package is installed, and its version. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the package: the nearest parent folder with a package.json, for sources and for compiled files alike.
 * @throws Error when there is none, because the package is incomplete
 */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error('no package.json above the program');
  }
}

export const version = (): string =>
  (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { readonly version: string }).version;

/** What `--version` prints. */
export const versionText = (): string => `${version()}\n`;
