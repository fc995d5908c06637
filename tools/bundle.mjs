/**
 * Bundles what the package runs, from sources into dist/: the programs; and the program and style of the page, which
 * `dprof html` puts into a page, into dist/page: two scripts and a sheet.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage } from './page-program.mjs';
import { bundlePrograms } from './programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

function removeStale() {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.js')) rmSync(join(dist, entry.name));
  }
}

async function bundlePackage() {
  removeStale();
  await bundlePrograms(dist);
}

const page = join(dist, 'page');
const onlyPage = process.argv[2] === '--page';
await Promise.all(onlyPage ? [bundlePage(page)] : [bundlePackage(), bundlePage(page)]);
