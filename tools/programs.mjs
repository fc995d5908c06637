/** The programs as the package has them: a file each, and one that they share per set of modules loaded together. */
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = (path) => join(root, 'src', path);

/** All in one folder: a worker is found beside whatever file starts it. */
const PROGRAMS = {
  dparse: source('cli/bin/dparse.ts'),
  dprof: source('cli/bin/dprof.ts'),
  worker: source('cli/dparse/worker.ts'),
  index: source('index.ts'),
};

/** @param outdir folder that they are written to */
export async function bundlePrograms(outdir) {
  await build({
    entryPoints: PROGRAMS,
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    // Dependencies stay packages of their own, with their own licences and native code.
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
}
