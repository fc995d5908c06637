/** Submits the stages of a job. Each starts when the previous one has ended. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSystemError, systemReason, UserError } from '../../../../record/errors.js';
import { PLACES, type JobFolder } from '../job-folder.js';
import { type JobPlan, type JobTask, rangesText, sharesBySize } from '../plan/job-plan.js';
import { mergeCounts } from '../plan/merge-tree.js';
import { programWords } from '../process-pool.js';
import { mostInArray, SHARES, stagesOf, submissionsOf, type Submission } from './stages.js';

export interface SlurmRun {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
  /** Maximum jobs that run at a time. */
  readonly atOnce: number;
  /** Maximum profiles for each job. */
  readonly perTask: number;
  /** Options for sbatch. */
  readonly options: readonly string[];
}

interface SubmittedJob {
  readonly stage: string;
  readonly id: string;
}

/** The Slurm jobs of one submission. */
export interface Submitted {
  /** Folder of the stage, as a path in the job's folder. */
  readonly place: string;
  readonly jobs: readonly SubmittedJob[];
}

/** File in the submission's folder with the stages and ids of its jobs, one a line. */
const JOBS = 'jobs.txt';

/** Runs a Slurm command. @throws UserError with its error message */
export function slurm(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') {
      throw new UserError('not found: Slurm is not installed on this machine', {
        where: program,
        hint: 'use --engine local',
      });
    }
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    if (stderr !== '') throw new UserError(stderr.split('\n', 1)[0] ?? '', { where: program });
    throw isSystemError(error) ? new UserError(systemReason(error), { where: program }) : error;
  }
}

/** @throws UserError when Slurm refuses a stage; all submitted stages are then cancelled */
export function submitJob(run: SlurmRun): Submitted {
  const { folder, plan, atOnce } = run;
  const most = mostInArray(slurm('scontrol', ['show', 'config']));
  const shares = sharesOf(run);
  const place = `${PLACES.slurm}/${folder.names(PLACES.slurm).length + 1}`;
  for (const made of [place, PLACES.logs]) mkdirSync(folder.at(made), { recursive: true });
  folder.write(`${place}/${SHARES}`, shares.map((share) => `${share}\n`).join(''));
  const stages = stagesOf({
    ...{ program: programWords(), folder: folder.path, place, shares: shares.length, atOnce },
    merges: mergeCounts(plan.tasks.length, plan.fanIn),
  });
  const title = basename(folder.path).replace(/[^\w.-]/g, '_');
  const request = { folder: folder.path, title, atOnce, mostInArray: most, options: run.options };
  const jobs: SubmittedJob[] = [];
  try {
    for (const stage of stages) {
      if (stage.count === 0) continue;
      folder.write(`${place}/${stage.name}.sh`, stage.script);
      for (const submission of submissionsOf(stage, request)) {
        jobs.push(submitOne(folder, place, submission, jobs.at(-1)));
        folder.write(`${place}/${JOBS}`, jobs.map(({ stage, id }) => `${stage} ${id}\n`).join(''));
      }
    }
  } catch (error) {
    if (jobs.length > 0)
      slurm(
        'scancel',
        jobs.map(({ id }) => id),
      );
    throw error;
  }
  return { place, jobs };
}

/** Lines of task numbers: the missing tasks, spread over as many jobs as may run. */
function sharesOf({ folder, plan, atOnce, perTask }: SlurmRun): string[] {
  const done = folder.done();
  const missing = plan.tasks.filter(({ name }) => !done.has(name));
  const shares = sharesBySize(missing, Math.min(perTask, Math.ceil(missing.length / atOnce)));
  return shares.map((share: readonly JobTask[]) => rangesText(share.map(({ number }) => number)));
}

function submitOne(folder: JobFolder, place: string, submission: Submission, before?: SubmittedJob): SubmittedJob {
  const { stage, options, args } = submission;
  const dependency = before === undefined ? [] : [`--dependency=afterany:${before.id}`];
  const script = join(folder.at(place), `${stage}.sh`);
  // Slurm prints `ID;CLUSTER` when there are several clusters.
  const [id = ''] = slurm('sbatch', [...options, ...dependency, script, ...args])
    .trim()
    .split(';');
  return { stage, id };
}

/** The last submission; null when there is none. */
export function lastSubmitted(folder: JobFolder): Submitted | null {
  const last = folder.names(PLACES.slurm).length;
  const text = last === 0 ? null : folder.read(PLACES.slurm, `${last}`, JOBS);
  if (text === null) return null;
  const jobs = text.split('\n').flatMap((line) => {
    const [stage, id] = line.split(' ');
    return stage === undefined || id === undefined ? [] : [{ stage, id }];
  });
  return { place: `${PLACES.slurm}/${last}`, jobs };
}
