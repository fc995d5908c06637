/** Tasks of a job in this process, one after the other: a profile → a file of partial answers. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError } from '../../../record/errors.js';
import type { Command } from '../../command.js';
import { say } from '../../message.js';
import { partOf, type JobFolder, type WorkFolder } from './job-folder.js';
import type { JobSettings, JobTask } from './plan/job-plan.js';
import { runInside } from './run-inside.js';

/** In the folder of a task that runs: the name of its log. */
export const STARTED = 'log';

/** A folder with its plan. */
export interface TaskRun {
  readonly folder: JobFolder;
  readonly settings: JobSettings;
  /** `dprof partial`. */
  readonly partial: Command;
  /** Name of the log of this process, from the job's folder; null where nobody named it. */
  readonly log: string | null;
}

/**
 * Makes the parts that are missing.
 * @returns how many tasks failed, or had a profile that is cut off
 */
export async function runTasks(run: TaskRun, tasks: readonly JobTask[]): Promise<number> {
  let failed = 0;
  for (const task of tasks) if (!(await runTask(run, task))) failed++;
  return failed;
}

async function runTask(run: TaskRun, task: JobTask): Promise<boolean> {
  const { folder, log } = run;
  if (existsSync(folder.at(partOf(task)))) return folder.failure(task)?.isCut !== true;
  // The name of the profile goes before what is said about it.
  if (log !== null) say('dprof', `task ${task.number}: ${task.path}`);
  const work = folder.work(task.name);
  try {
    writeFileSync(join(work.path, STARTED), log ?? '');
    const { code, error } = await runInside({ run: () => reduce(run, task, work) }, []);
    const isMade = existsSync(join(work.path, PART));
    if (error !== null) say('dprof', error);
    // Before the part, so that none of less than the profile stands there without a word.
    if (code !== EXIT.done) folder.writeFailure(task, { error: error ?? FAILED, log, isCut: isMade });
    if (isMade) work.move(PART, partOf(task));
    if (code === EXIT.done) folder.removeFailure(task);
    return code === EXIT.done;
  } finally {
    work.dispose();
  }
}

const PART = 'part';
const FAILED = 'failed, for reasons that its log has';

/** @throws UserError where the profile is not the one of the plan */
async function reduce({ partial, settings: { by, device } }: TaskRun, task: JobTask, work: WorkFolder): Promise<void> {
  confirmUnchanged(task);
  const options = [...(by === null ? [] : ['--by', by]), ...(device === null ? [] : ['--device', device])];
  await partial.run([...options, '-o', join(work.path, PART), task.path]);
}

/** @throws UserError where the profile is not the one of the plan */
function confirmUnchanged({ path, size, mtime }: JobTask): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('no such file', { where: path });
  if (!isChanged({ size, mtime }, stat)) return;
  throw new UserError('has changed since the job was planned', { where: path, hint: 'choose another folder for -o' });
}

/** A file that came after the plan is taken as it is. */
export const isChanged = (
  { size, mtime }: Pick<JobTask, 'size' | 'mtime'>,
  stat: { readonly size: number; readonly mtimeMs: number },
): boolean => size !== null && (stat.size !== size || Math.floor(stat.mtimeMs) !== mtime);
