/**
 * Sources, tests and what tests import → build/, one JavaScript file each, with source maps. Types are removed, not
 * checked: that is the work of `npm run typecheck`, which runs beside the tests. Processes that tests start run the
 * programs as the package has them, from build/programs: they start in half of the time. Tests of pages put the program
 * of build/page into them.
 */
import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePage } from './page-program.mjs';
import { bundlePrograms } from './programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['src', 'test', 'samples/programs', 'bench', 'docs'];

const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name));

export async function transpile() {
  // A file that is gone from the sources must not be found by a test.
  for (const folder of [...FOLDERS, 'programs', 'page'])
    rmSync(join(root, 'build', folder), { recursive: true, force: true });
  await build({
    entryPoints: FOLDERS.flatMap(sourcesIn),
    outdir: join(root, 'build'),
    outbase: root,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  await Promise.all([bundlePrograms(join(root, 'build/programs')), bundlePage(join(root, 'build/page'))]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await transpile();
