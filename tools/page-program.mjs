/** The program and style of the page, which `dprof html` puts into a page: two scripts and a sheet. */
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = (path) => join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/page', path);

/** @param folder that they are written to */
export async function bundlePage(folder) {
  await build({
    entryPoints: {
      report: source('main.ts'),
      charts: source('charts/chart-library.ts'),
      style: source('style.css'),
    },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    // Each is in an element of its own: a text that ends it is written otherwise.
    charset: 'ascii',
    logLevel: 'warning',
  });
}
