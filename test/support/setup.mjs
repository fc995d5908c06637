/**
 * Loaded before all tests.
 *
 * Processes that tests start write no coverage: what one has covered when it is killed depends on chance.
 * With TEST_SPEED=fast no test starts a process, opens a browser or reads the shared folder. TEST_RUNS multiplies the
 * runs of property tests.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';

delete process.env.NODE_V8_COVERAGE;

fc.configureGlobal({ numRuns: Math.ceil(100 * Number(process.env.TEST_RUNS ?? 1)) });

if (process.env.TEST_SPEED === 'fast') {
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    childProcess[name] = () => {
      throw new Error('a fast test starts no process: declare it by itWithProcess');
    };
  }
  syncBuiltinESMExports();
}
