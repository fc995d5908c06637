/** The program of pages, as the build bundles it into dist/page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../record/errors.js';
import type { PageProgram } from '../write/html/page.js';
import { packageFolder } from './package-folder.js';

/** @throws UserError when it has not been built */
export function pageProgram(from = packageFolder()): PageProgram {
  const folder = join(from, 'dist', 'page');
  try {
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { script: read('report.js'), charts: read('charts.js'), style: read('style.css') };
  } catch {
    throw new UserError('the program of the page is not there', { where: folder, hint: 'run npm run build' });
  }
}
