/**
 * Runs the tests compiled into build/, in processes that end by themselves: the coverage of a pool's worker is lost
 * where it is ended before it has written it. There are more of them than run at a time: what real traces leave in
 * memory would slow all later tests, and short lists leave no core without work at the end.
 *
 *   node tools/run-tests.mjs [--fast] [--runs FACTOR]
 *
 * --fast leaves out tests that start a process, open a browser or read shared files; --runs multiplies the runs of
 * property tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runShown, showFailures } from './processes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MOCHA = join(root, 'node_modules/mocha/bin/mocha.js');

const LISTS = 6;
/** Real traces make much garbage that dies young: with node's usual 16 MiB of it, tests of traces take a tenth longer. */
const MEMORY = '--max-semi-space-size=64';

/** Longer than most: tests of properties, of real profiles, of commands, and in a browser. A guess is enough. */
const HEAVY = /propertyRuns|itShared|runCli|describeInBrowser|sharedFile/;
/** Of these, the ones that fast tests run. */
const HEAVY_OF_FAST = /propertyRuns|runCli/;
/** Simulates thousands of profiles: a third of the time of all fast tests. */
const SIMULATION = 'prof/diff/detection.test.js';
/** Reads each real trace once for all tests of a process. */
const TRACES = /support\/kineto\.js/;

/** Lists of files of about the same weight, tests of the same traces in the first of them. */
function listsOfTests(isFast) {
  const folder = join(root, 'build/test');
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))
    .map(({ path, text }) => ({
      path,
      weight:
        text.length +
        ((isFast ? HEAVY_OF_FAST : HEAVY).test(text) ? 50_000 : 0) +
        (isFast && path.endsWith(SIMULATION) ? 500_000 : 0),
      traces: !isFast && TRACES.test(text),
    }))
    .sort((a, b) => Number(b.traces) - Number(a.traces) || b.weight - a.weight);
  const made = Array.from({ length: LISTS }, () => ({ weight: 0, paths: [] }));
  for (const { path, weight, traces } of files) {
    const lightest = made.reduce((least, list) => (list.weight < least.weight ? list : least));
    const list = traces ? made[0] : lightest;
    list.paths.push(path);
    list.weight += weight;
  }
  return made.map(({ paths }) => paths);
}

const { values } = parseArgs({ options: { fast: { type: 'boolean' }, runs: { type: 'string' } } });
const environment = {
  ...(values.fast ? { TEST_SPEED: 'fast' } : {}),
  ...(values.runs === undefined ? {} : { TEST_RUNS: values.runs }),
};
const lists = listsOfTests(values.fast === true);
let passed = true;
let next = 0;
async function runInTurn() {
  while (next < lists.length) {
    const title = `tests ${next + 1} of ${lists.length}`;
    const ended = await runShown(title, process.execPath, [MEMORY, MOCHA, ...lists[next++]], environment);
    passed &&= ended;
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runInTurn));
showFailures();
process.exitCode = passed ? 0 : 1;
