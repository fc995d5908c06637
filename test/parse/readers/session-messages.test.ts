import Database from 'better-sqlite3';
import { expect } from 'chai';
import { runCli } from '../../support/run-cli.js';
import { freshPath } from '../../support/fresh-path.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { diagnosticsOf } from '../../support/profile-records.js';

/** An export in which a thread ran on a core from 1 to 9 us, and no device worked, with messages by severity. */
function exportWith(messages: readonly (readonly [severity: number, text: string])[]): string {
  const path = new NsightDatabase().write({}, freshPath('.sqlite'));
  const db = new Database(path);
  db.exec(`CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
    INSERT INTO SCHED_EVENTS VALUES (1000, 0, 1, 4294967297), (9000, 0, 0, 4294967297);
    CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT)`);
  for (const message of messages) db.prepare('INSERT INTO DIAGNOSTIC_EVENT VALUES (1, ?, ?)').run(...message);
  db.close();
  return path;
}

const NO_EVENTS = 'No CUDA events collected. Does the process use CUDA?';

describe('messages of a session of Nsight Systems', () => {
  it('are counted by what they mean: warnings and errors, without their texts', () => {
    const path = exportWith([
      [1, 'No CUDA events collected, but for information'],
      [2, NO_EVENTS],
      [3, 'CUPTI_ERROR_NOT_INITIALIZED'],
      [3, 'The CUDA driver version is not supported by this version'],
      [2, 'CUPTI: insufficient privileges'],
      [2, 'Cannot open /home/somebody/file'],
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({
      'profiler-saw-no-device': 1,
      'profiler-not-initialised': 1,
      'profiler-driver-not-supported': 1,
      'profiler-without-permission': 1,
      'profiler-message': 1,
    });
  });

  it('are the reason why there are no kernels, with what to do', async () => {
    const path = exportWith([[2, NO_EVENTS]]);
    const { stderr } = await runCli('dprof', [path]);
    expect(stderr).to.match(/: no kernels: the profiler saw no CUDA events \(profile the process that uses the GPU/);
    const other = await runCli('dprof', [exportWith([[2, NO_EVENTS], [3, 'CUPTI_ERROR_NOT_INITIALIZED']])]); // prettier-ignore
    expect(other.stderr).to.match(/: no kernels: the profiler could not initialise CUPTI /);
  });

  it('do not keep summary from what the CPUs did', async () => {
    const { stdout, code } = await runCli('dprof', ['summary', exportWith([[2, NO_EVENTS]])]);
    expect(code).to.equal(0);
    expect(stdout).to.match(/CPU, 1 core, 1 process: threads ran for 8\.\d* us in total/);
    expect(stdout).to.include('profiler-saw-no-device 1');
  });
});
