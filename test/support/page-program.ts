/** The page's program and style, as `npm run build` has bundled them for the package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageProgram } from '../../src/write/html/page.js';
import { ROOT } from './shared.js';

const read = (name: string): string => readFileSync(join(ROOT, 'dist/page', name), 'utf8');

export const bundledProgram = (): PageProgram => ({
  script: read('report.js'),
  charts: read('charts.js'),
  style: read('style.css'),
});
