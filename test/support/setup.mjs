/**
 * Loaded before all tests. TEST_SETS=unit,smoke names the sets of tests that run (sets.ts); without it all run but the long
 * ones. TEST_RUNS multiplies the runs of property tests. Processes that tests start write no coverage: what one has covered
 * when it is killed depends on chance.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';

delete process.env.NODE_V8_COVERAGE;

// A quarter of the runs finds most mistakes.
process.env.TEST_RUNS ??= '0.25';
fc.configureGlobal({ numRuns: Math.ceil(100 * Number(process.env.TEST_RUNS)) });

const SETS = ['unit', 'smoke', 'slow', 'process', 'profiles', 'browser', 'long'];
process.env.TEST_SETS ??= SETS.filter((set) => set !== 'long').join();
const wanted = process.env.TEST_SETS.split(',');
for (const set of wanted) if (!SETS.includes(set)) throw new Error(`TEST_SETS: no set is called '${set}'`);

/** The marks of a test and of the suites that it is in. */
const marksOf = (runnable) =>
  runnable === undefined ? [] : [...marksOf(runnable.parent), ...(runnable.testSets ?? [])];

/** The sets that must run for a test to do: what pages of a browser show may come from anywhere. */
function setsOf(test) {
  const marks = marksOf(test);
  if (marks.length === 0) return ['unit'];
  return marks.includes('browser') ? marks.filter((set) => set === 'browser' || set === 'long') : marks;
}

const isWanted = (test) => setsOf(test).every((set) => wanted.includes(set));

function removeUnwanted(suite) {
  suite.tests = suite.tests.filter(isWanted);
  for (const inner of suite.suites) removeUnwanted(inner);
}

/** The test that runs, or whose hooks do; null between tests. */
let current = null;

export const mochaHooks = {
  beforeAll() {
    removeUnwanted(this.test.parent);
  },
  beforeEach() {
    current = this.currentTest;
  },
  afterEach() {
    current = null;
  },
};

/** Sets whose tests may start processes. */
const WITH_PROCESSES = ['smoke', 'process', 'profiles', 'browser'];

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  const start = childProcess[name];
  childProcess[name] = (...args) => {
    if (current !== null && !marksOf(current).some((set) => WITH_PROCESSES.includes(set))) {
      throw new Error('this test starts a process: declare it by itWithProcess');
    }
    return start(...args);
  };
}
syncBuiltinESMExports();
