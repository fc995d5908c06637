/**
 * Loaded before all tests.
 *
 * Processes that tests start write no coverage: what one has covered when it is killed depends on chance.
 * With TEST_SPEED=fast no test starts a process, opens a browser or reads the shared folder; in other runs only tests
 * that fast runs leave out start one, so that each run refuses what the other does. TEST_RUNS multiplies the runs of
 * property tests.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';

delete process.env.NODE_V8_COVERAGE;

fc.configureGlobal({ numRuns: Math.ceil(100 * Number(process.env.TEST_RUNS ?? 1)) });

const isFast = process.env.TEST_SPEED === 'fast';

/** The test that runs, or whose hooks do; null while files are loaded. */
let current = null;

export const mochaHooks = {
  beforeEach() {
    current = this.currentTest;
  },
  afterEach() {
    current = null;
  },
};

/** Whether a test, or a suite that it is in, is marked as one that fast runs leave out (speed.ts). */
const isLeftOutOfFast = (runnable) =>
  runnable !== undefined && (runnable.leftOutOfFast === true || isLeftOutOfFast(runnable.parent));

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  const start = childProcess[name];
  childProcess[name] = (...args) => {
    if (isFast || (current !== null && !isLeftOutOfFast(current))) {
      throw new Error('a fast test starts no process: declare it by itWithProcess');
    }
    return start(...args);
  };
}
syncBuiltinESMExports();
