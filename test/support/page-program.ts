/** The page's program and style, bundled from sources as for the package. */
import { build } from 'esbuild';
import { join } from 'node:path';
import type { PageProgram } from '../../src/write/html/page.js';
import { ROOT } from './shared.js';

export async function bundledProgram(): Promise<PageProgram> {
  const { outputFiles } = await build({
    entryPoints: {
      report: join(ROOT, 'src/page/main.ts'),
      charts: join(ROOT, 'src/page/charts/chart-library.ts'),
      style: join(ROOT, 'src/page/style.css'),
    },
    ...{ outdir: 'out', write: false, bundle: true, minify: true, format: 'iife', target: 'es2022', charset: 'ascii' },
  });
  const textOf = (name: string): string => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  return { script: textOf('report.js'), charts: textOf('charts.js'), style: textOf('style.css') };
}
