/** The page's program and style: compiled tests read what was bundled with them, others bundle it, once. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PageProgram } from '../../src/write/html/page.js';
import { ROOT } from './shared.js';

/** Beside the folder of compiled tests; there is none beside the sources. */
const BUNDLED = fileURLToPath(new URL('../../page', import.meta.url));

function read(folder: string): PageProgram {
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { script: textOf('report.js'), charts: textOf('charts.js'), style: textOf('style.css') };
}

async function bundle(): Promise<PageProgram> {
  const { bundlePage } = (await import(pathToFileURL(join(ROOT, 'tools/page-program.mjs')).href)) as {
    readonly bundlePage: (folder: string) => Promise<void>;
  };
  const folder = mkdtempSync(join(tmpdir(), 'dprof-program-'));
  try {
    await bundlePage(folder);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let program: Promise<PageProgram> | null = null;

export const bundledProgram = (): Promise<PageProgram> =>
  (program ??= existsSync(BUNDLED) ? Promise.resolve(read(BUNDLED)) : bundle());
