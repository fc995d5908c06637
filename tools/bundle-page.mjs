/** Bundles the page's program and style into dist/page: one script and one sheet, which `dprof html` puts into a page. */
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build({
  entryPoints: { report: join(root, 'src/page/main.ts'), style: join(root, 'src/page/style.css') },
  outdir: join(root, 'dist/page'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  // The page must stay one element: a text that ends it is written otherwise.
  charset: 'ascii',
  logLevel: 'warning',
});
