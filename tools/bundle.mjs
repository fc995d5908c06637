/**
 * Bundles what the package runs, from sources into dist/: the programs; and the program and style of the page, which
 * `dprof html` puts into a page, into dist/page: two scripts and a sheet.
 */
import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePrograms } from './programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const source = (path) => join(root, 'src', path);

function removeStale() {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.js')) rmSync(join(dist, entry.name));
  }
}

async function bundlePackage() {
  removeStale();
  await bundlePrograms(dist);
}

async function bundlePage() {
  await build({
    entryPoints: {
      report: source('page/main.ts'),
      charts: source('page/charts/chart-library.ts'),
      style: source('page/style.css'),
    },
    outdir: join(dist, 'page'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    // Each is in an element of its own: a text that ends it is written otherwise.
    charset: 'ascii',
    logLevel: 'warning',
  });
}

const onlyPage = process.argv[2] === '--page';
await Promise.all(onlyPage ? [bundlePage()] : [bundlePackage(), bundlePage()]);
