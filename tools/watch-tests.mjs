/**
 * Runs the fast tests again that a changed file concerns: those that import it, directly or through others.
 *
 *   node tools/watch-tests.mjs [FOLDER_OF_TESTS]
 */
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transpile } from './transpile.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const within = process.argv[2] ?? 'test';

/** Test → all files that it imports. */
async function importsOfTests() {
  const tests = readdirSync(join(root, within), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(within, name));
  const { metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: tests, outdir: 'build/none', bundle: true, write: false, metafile: true },
    ...{ platform: 'node', format: 'esm', packages: 'external', logLevel: 'silent' },
  });
  const reached = (path, found) => {
    if (found.has(path)) return found;
    found.add(path);
    for (const { path: next, external } of metafile.inputs[path]?.imports ?? []) if (!external) reached(next, found);
    return found;
  };
  return tests.map((test) => [test, reached(test.split(sep).join('/'), new Set())]);
}

async function run(changed) {
  try {
    const concerned = (await importsOfTests()).filter(([, paths]) => [...changed].some((path) => paths.has(path)));
    if (concerned.length === 0) return;
    await transpile();
    const files = concerned.map(([test]) => join('build', test).replace(/\.ts$/, '.js'));
    const env = { ...process.env, TEST_SPEED: 'fast' };
    const child = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    await new Promise((resolve) => child.on('close', resolve));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

let changed = new Set();
let running = false;

async function runChanged() {
  if (running) return;
  running = true;
  // An editor writes several files at once.
  await new Promise((resolve) => setTimeout(resolve, 100));
  while (changed.size > 0) {
    const paths = changed;
    changed = new Set();
    await run(paths);
    console.log('waiting for changes in src and test');
  }
  running = false;
}

for (const folder of ['src', 'test']) {
  watch(join(root, folder), { recursive: true }, (_, name) => {
    if (name === null || !name.endsWith('.ts')) return;
    changed.add(
      relative(root, join(root, folder, name))
        .split(sep)
        .join('/'),
    );
    void runChanged();
  });
}
console.log('waiting for changes in src and test');
