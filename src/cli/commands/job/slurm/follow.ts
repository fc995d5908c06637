/** Follows a submitted job: whether any of its Slurm jobs are still there, and how it ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../../record/errors.js';
import { progress } from '../../../progress.js';
import type { JobFolder } from '../job-folder.js';
import type { JobPlan } from '../plan/job-plan.js';
import { EXIT_CODE } from './stages.js';
import { lastSubmitted, slurm, type Submitted } from './submit.js';

/** States of jobs that have ended but are still listed. */
const ENDED = /^(?:COMPLETED|COMPLETING|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY|BOOT_FAIL|DEADLINE|PREEMPTED)/;

/**
 * Ids of jobs that are pending or running.
 * @throws UserError when Slurm does not answer
 */
function activeJobs({ jobs }: Submitted): string[] {
  try {
    const listed = slurm('squeue', ['-h', '-o', '%i %T', '-j', jobs.map(({ id }) => id).join(',')]);
    return listed.split('\n').flatMap((line) => {
      const [id = '', state = ''] = line.split(' ');
      return id === '' || ENDED.test(state) ? [] : [id];
    });
  } catch (error) {
    // Slurm no longer knows a job that ended some time ago.
    if (error instanceof UserError && error.what.includes('Invalid job id')) return [];
    throw error;
  }
}

/** @throws UserError when jobs of the folder are pending or running */
export function refuseActive(folder: JobFolder): void {
  const submitted = lastSubmitted(folder);
  const [active] = submitted === null ? [] : activeJobs(submitted);
  if (active === undefined) return;
  const ids = submitted?.jobs.map(({ id }) => id).join(' ') ?? '';
  throw new UserError(`Slurm job ${active} is still pending or running`, { where: folder.path, hint: `wait for it, or scancel ${ids}` }); // prettier-ignore
}

const EVERY_MS = 2000;
/** Number of times in a row that Slurm may fail to answer, because its controller is restarted at times. */
const MOST_SILENT = 30;

/**
 * Waits until all of its Slurm jobs have ended.
 * @returns the exit code of the report; null when it wrote none
 * @throws UserError when Slurm has not answered for a minute
 */
export async function waitForJob(
  folder: JobFolder,
  plan: JobPlan,
  submitted: Submitted,
  quiet: boolean,
): Promise<number | null> {
  const meter = progress('dprof job', !quiet);
  const last = submitted.jobs.slice(-1);
  let silent = 0;
  try {
    for (;;) {
      try {
        if (activeJobs({ ...submitted, jobs: last }).length === 0) break;
        silent = 0;
      } catch (error) {
        if (++silent >= MOST_SILENT) throw error;
      }
      meter.at(folder.done().size, plan.tasks.length);
      await delay(EVERY_MS);
    }
  } finally {
    meter.clear();
  }
  return exitCode(folder, submitted);
}

/** Maximum time in which a network file system shows a file that was written on another machine. */
const LATE_MS = 10_000;

async function exitCode(folder: JobFolder, { place }: Submitted): Promise<number | null> {
  for (let waited = 0; ; waited += EVERY_MS) {
    // Listing a folder makes such a file system refresh it.
    folder.names(place);
    const text = folder.read(place, EXIT_CODE);
    if (text !== null) return Number(text);
    if (waited >= LATE_MS) return null;
    await delay(EVERY_MS);
  }
}
