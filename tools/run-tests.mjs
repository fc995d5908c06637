/**
 * Runs the tests compiled into build/, in two processes that end by themselves: the coverage of a pool's worker is lost
 * where it is ended before it has written it.
 *
 *   node tools/run-tests.mjs [--fast] [--runs FACTOR]
 *
 * --fast leaves out tests that start a process, open a browser or read shared files; --runs multiplies the runs of
 * property tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runShown } from './processes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MOCHA = join(root, 'node_modules/mocha/bin/mocha.js');

/** Longer than most: tests of properties, of real profiles, of commands, and in a browser. A guess is enough. */
const HEAVY = /propertyRuns|itShared|runCli|describeInBrowser|sharedFile/;
/** Of these, the ones that fast tests run. */
const HEAVY_OF_FAST = /propertyRuns|runCli/;
/** Simulates hundreds of profiles: more than half of the time of all fast tests, a tenth of that of all. */
const SIMULATION = 'prof/diff/detection.test.js';
/** Reads each real trace once for all tests of a process. */
const TRACES = /support\/kineto\.js/;

/** Two lists of files of about the same weight, tests of the same traces in one of them. */
function lists(isFast) {
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
        (path.endsWith(SIMULATION) ? (isFast ? 4_000_000 : 300_000) : 0),
      traces: !isFast && TRACES.test(text),
    }))
    .sort((a, b) => Number(b.traces) - Number(a.traces) || b.weight - a.weight);
  const halves = [0, 1].map(() => ({ weight: 0, paths: [] }));
  for (const { path, weight, traces } of files) {
    const half = traces || halves[0].weight <= halves[1].weight ? halves[0] : halves[1];
    half.paths.push(path);
    half.weight += weight;
  }
  return halves.map(({ paths }) => paths);
}

const { values } = parseArgs({ options: { fast: { type: 'boolean' }, runs: { type: 'string' } } });
const environment = {
  ...(values.fast ? { TEST_SPEED: 'fast' } : {}),
  ...(values.runs === undefined ? {} : { TEST_RUNS: values.runs }),
};
const ends = await Promise.all(
  lists(values.fast === true).map((paths, i) =>
    runShown(`tests ${i + 1} of 2`, process.execPath, [MOCHA, ...paths], environment),
  ),
);
process.exitCode = ends.every(Boolean) ? 0 : 1;
