/** The program of pages, as the build bundles it into dist/page. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../record/errors.js';
import type { PageProgram } from '../write/html/page.js';

/** The folder of the package: the nearest upwards with a package.json, the same from sources and from compiled files. */
function packageFolder(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * @param from folder of the package
 * @throws UserError when it has not been built
 */
export function pageProgram(from = packageFolder() ?? ''): PageProgram {
  const folder = join(from, 'dist', 'page');
  try {
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { script: read('report.js'), style: read('style.css') };
  } catch {
    throw new UserError('the program of the page is not there', { where: folder, hint: 'run npm run build' });
  }
}
