/** Tasks of a job in this process, one after the other: a profile → a file of partial answers. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError } from '../../../record/errors.js';
import { runWith, type Command } from '../../command.js';
import { say } from '../../message.js';
import { partOf, PLACES, type JobFolder, type WorkFolder } from './job-folder.js';
import type { JobSettings, JobTask } from './plan/job-plan.js';
import { runInside } from './run-inside.js';
import { endedItself, endOfProcess, processEndText } from './task-end.js';
import { lastTask, saidOf, taskLine } from './task-log.js';

/** In the folder of a task that runs: the name of its log. */
const STARTED = 'log';

/** A folder with its plan. */
export interface TaskRun {
  readonly folder: JobFolder;
  readonly settings: JobSettings;
  /** `dprof partial`. */
  readonly partial: Command;
  /** Name of the log of this process, from the job's folder; null where nobody named it. */
  readonly log: string | null;
  /** Exit code, as a shell has it, of the process that had this log and these tasks before; null where this is the first. */
  readonly ended: number | null;
}

/**
 * Makes the parts that are missing. A profile that ends the process costs no other profile: the next process with the same
 * tasks notes it as failed, and goes on behind it; one without a known end comes to it last.
 * @returns how many tasks failed, or had a profile that is cut off
 */
export async function runTasks(run: TaskRun, tasks: readonly JobTask[]): Promise<number> {
  const known = new Set(run.ended === null ? [] : endedBefore(run, run.ended, tasks));
  const begun = new Set([...beginnings(run.folder).keys(), ...run.folder.failed()]);
  const [later, first] = [tasks.filter(({ name }) => begun.has(name)), tasks.filter(({ name }) => !begun.has(name))];
  let failed = known.size;
  for (const task of [...first, ...later]) if (!known.has(task) && !(await runTask(run, task))) failed++;
  return failed;
}

/** Logs of tasks that were begun and have not ended, by name. */
export const beginnings = (folder: JobFolder): ReadonlyMap<string, string> =>
  new Map(
    folder
      .names(PLACES.work)
      .map((work) => [work.replace(/\.[^.]*$/, ''), folder.read(PLACES.work, work, STARTED) ?? ''] as const),
  );

/** Tasks that processes with this log have tried without success: of the last one it is noted what ended it. */
function endedBefore({ folder, log }: TaskRun, code: number, tasks: readonly JobTask[]): JobTask[] {
  const text = (log === null ? null : folder.read(log)) ?? '';
  const number = lastTask(text);
  const isOpen = (task: JobTask): boolean => !existsSync(folder.at(partOf(task))) && folder.failure(task)?.log !== log;
  const task = tasks.find((one) => one.number === number && isOpen(one));
  if (task !== undefined) {
    const said = saidOf(text, task.number);
    const end = endOfProcess(code, said);
    const error = `${task.path}: its process ${processEndText(end)}`;
    say('dprof', error);
    folder.writeFailure(task, { ...end, error, log, isCut: false });
  }
  return tasks.filter((one) => !existsSync(folder.at(partOf(one))) && folder.failure(one)?.log === log);
}

async function runTask(run: TaskRun, task: JobTask): Promise<boolean> {
  const { folder, log } = run;
  if (existsSync(folder.at(partOf(task)))) return folder.failure(task)?.isCut !== true;
  // The name of the profile goes before what is said about it.
  if (log !== null) say('dprof', taskLine(task));
  // Where the job's folder takes nothing, other profiles may still be small enough.
  const { code, error } = await runInside(() => makePart(run, task));
  if (error !== null) say('dprof', error);
  return code === EXIT.done;
}

/** Makes a part, or notes why there is none. @throws where the job's folder takes neither */
async function makePart(run: TaskRun, task: JobTask): Promise<void> {
  const { folder, log } = run;
  const work = folder.work(task.name);
  try {
    writeFileSync(join(work.path, STARTED), log ?? '');
    const { code, error, systemCode } = await runInside(() => reduce(run, task, work));
    const isMade = existsSync(join(work.path, PART));
    if (error !== null) say('dprof', error);
    process.exitCode = code;
    // Before the part, so that none of less than the profile stands there without a word.
    const why = { ...endedItself(systemCode), error: error ?? FAILED, log, isCut: isMade };
    if (code !== EXIT.done) folder.writeFailure(task, why);
    if (isMade) work.move(PART, partOf(task));
    if (code === EXIT.done) folder.removeFailure(task);
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
  await runWith(partial, [...options, '-o', join(work.path, PART), task.path]);
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
