/**
 * Runs the tests of some sets (test/support/sets.ts), compiled into build/.
 *
 *   node tools/run-tests.mjs SET… [--serial] [--runs FACTOR] [--bail]
 *
 * Files run in as many processes as there are cores, and results are shown as they come. With --serial they run one after
 * another in one process: what it has read of a profile serves all tests, and coverage is whole. --runs multiplies the runs
 * of property tests; --bail ends at the first failure.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Real traces make much garbage that dies young: with node's usual 16 MiB of it, tests of traces take a tenth longer. */
const MEMORY = '--max-semi-space-size=64';

const { values, positionals: sets } = parseArgs({
  options: { serial: { type: 'boolean' }, runs: { type: 'string' }, bail: { type: 'boolean' } },
  allowPositionals: true,
});

// By the sources: what is left in build/ of a test that is gone does not run.
const files = readdirSync(join(root, 'test'), { recursive: true })
  .filter((name) => name.endsWith('.test.ts'))
  .sort()
  .map((name) => join('build/test', name.replace(/\.ts$/, '.js')));
// Mocha's own default leaves one core without work.
const processes = values.serial ? [] : ['--parallel', '--jobs', String(Math.max(2, availableParallelism()))];
const bail = values.bail ? ['--bail'] : [];
const environment = { TEST_SETS: sets.join(), ...(values.runs === undefined ? {} : { TEST_RUNS: values.runs }) };

spawn(process.execPath, [MEMORY, 'node_modules/mocha/bin/mocha.js', ...processes, ...bail, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...environment },
}).on('close', (code) => {
  process.exitCode = code ?? 1;
});
