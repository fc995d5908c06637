/**
 * Loaded into each dprof of the test (`node --import`): a job of Slurm that has made the folder it works in says so and
 * waits there until it is struck, so that no machine is too fast to be struck in the middle.
 * HOLD is a folder of marks: STAGE holds the jobs of a stage, `STAGE-ID` says that one waits, `STAGE-ID.struck` lets it go.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const {
  HOLD: folder = '',
  SLURM_JOB_NAME: name,
  SLURM_ARRAY_JOB_ID: array,
  SLURM_ARRAY_TASK_ID: task,
  SLURM_JOB_ID: job,
} = process.env;
const EVERY_MS = 20;

if (name !== undefined && folder !== '') {
  const stage = name.replace(/^dprof-[a-z]+-/, '');
  const id = array === undefined ? job : `${array}_${task}`;
  const held = join(folder, `${stage}-${id}`);
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const makeFolder = fs.mkdtempSync;
  fs.mkdtempSync = (...args) => {
    const made = makeFolder(...args);
    while (fs.existsSync(join(folder, stage)) && !fs.existsSync(`${held}.struck`)) {
      fs.writeFileSync(held, '');
      Atomics.wait(clock, 0, 0, EVERY_MS);
    }
    return made;
  };
  syncBuiltinESMExports();
}
