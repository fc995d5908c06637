/**
 * A job's work in this process: reduces profiles to files of partial answers, one after the other, and merges these into
 * `job.part`.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError, isSystemError } from '../../../record/errors.js';
import { runWith, type Command } from '../../command.js';
import { say } from '../../message.js';
import { partOf, PLACES, type JobFolder, type WorkFolder } from './job-folder.js';
import { type JobSettings, type JobTask, type JobPlan, itemsOf, type Share } from './plan/job-plan.js';
import { endedItself, endOfProcess, processEndText, lastTask, saidOf, taskLine } from './task-end.js';
import { mergeTree, type Merge } from './plan/merge-tree.js';
import { outcome } from '../../bin/boundary.js';

interface Ended {
  /** Exit code for the process. */
  readonly code: number;
  /** The error that ended it, in one line; null when the command printed its error itself. */
  readonly error: string | null;
  /** The system's error code; null for other errors. */
  readonly systemCode: string | null;
}

export async function runInside(run: () => Promise<void>): Promise<Ended> {
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await run();
    return { code: exitCodeSet(), error: null, systemCode: null };
  } catch (error) {
    const { message, exitCode } = outcome(error);
    return { code: exitCode, error: message, systemCode: systemCodeOf(error) };
  } finally {
    process.exitCode = before;
  }
}

/** The exit code that the command has set; read by a function because the compiler would assume the earlier value. */
const exitCodeSet = (): number => Number(process.exitCode ?? 0);

const systemCodeOf = (error: unknown): string | null =>
  error instanceof UserError ? (error.detail.code ?? null) : isSystemError(error) ? error.code : null;

interface MergeRun {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
  readonly merge: Command;
}

/** The file that identifies the partial answers in `job.part`. */
const KEY = `${PLACES.merges}/job.key`;

function treeOf({ folder, plan }: Omit<MergeRun, 'merge'>): Merge[][] {
  const done = folder.done();
  return mergeTree(
    plan.tasks.filter(({ name }) => done.has(name)).map((task) => partOf(task)),
    plan.fanIn,
  );
}

/** Whether `job.part` exists and contains all existing partial answers. */
export function isMerged(run: Omit<MergeRun, 'merge'>): boolean {
  const root = treeOf(run).at(-1)?.[0];
  return root !== undefined && run.folder.read(KEY) === root.key && existsSync(run.folder.at(root.output));
}

/**
 * Makes a share of the merges of a level below the root, counted from 1.
 * @throws UserError when a merge fails
 */
export async function mergeLevel(run: MergeRun, level: number, share: Share): Promise<void> {
  const levels = treeOf(run);
  // `mergeAll` makes the root. A level is missing when there are fewer partial answers than planned.
  if (level < levels.length) for (const merge of itemsOf(levels[level - 1] ?? [], share)) await mergeOne(run, merge);
}

/**
 * Makes all missing merges.
 * @returns whether `job.part` exists now; it does not exist without partial answers
 * @throws UserError when a merge fails
 */
export async function mergeAll(run: MergeRun): Promise<boolean> {
  const levels = treeOf(run);
  const { folder } = run;
  const root = levels.at(-1)?.[0];
  if (root === undefined) return false;
  if (isMerged(run)) return true;
  folder.remove(KEY);
  for (const merges of levels) for (const merge of merges) await mergeOne(run, merge);
  folder.write(KEY, root.key);
  for (const name of folder.names(PLACES.merges)) if (name.endsWith('.part')) folder.remove(PLACES.merges, name);
  return true;
}

const MERGED = 'part';

async function mergeOne({ folder, merge }: MergeRun, { output, inputs }: Merge): Promise<void> {
  if (output.startsWith(PLACES.merges) && existsSync(folder.at(output))) return;
  const work = folder.work('merge');
  try {
    const paths = inputs.map((input) => folder.at(input));
    const { code, error } = await runInside(() => runWith(merge, ['-q', '-o', join(work.path, MERGED), ...paths]));
    if (code !== EXIT.done)
      throw new UserError(error ?? 'merging failed', { hint: 'fix the cause, then run dprof job --resume' });
    work.move(MERGED, output);
  } finally {
    work.dispose();
  }
}

/** File in the folder of a running task that holds the name of its log. */
const STARTED = 'log';

/** A job's folder and plan, and how to run its tasks. */
interface TaskRun {
  readonly folder: JobFolder;
  readonly settings: JobSettings;
  readonly partial: Command;
  /** Path of this process's log in the job's folder; null when it is unknown. */
  readonly log: string | null;
  /** Exit code, in shell convention, of the previous process with this log and these tasks; null for the first process. */
  readonly ended: number | null;
}

/**
 * Makes the missing partial answers. A profile that kills the process affects no other profile: the next process with
 * the same tasks records it as failed and continues after it. A profile whose process ended for unknown reasons is
 * tried last.
 * @returns number of tasks that failed, or had a profile that is cut off
 */
export async function runTasks(run: TaskRun, tasks: readonly JobTask[]): Promise<number> {
  const known = new Set(run.ended === null ? [] : endedBefore(run, run.ended, tasks));
  const begun = new Set([...beginnings(run.folder).keys(), ...run.folder.failed()]);
  const [later, first] = [tasks.filter(({ name }) => begun.has(name)), tasks.filter(({ name }) => !begun.has(name))];
  let failed = known.size;
  for (const task of [...first, ...later]) if (!known.has(task) && !(await runTask(run, task))) failed++;
  return failed;
}

/** Logs of tasks that started and have not ended, by task name. */
export const beginnings = (folder: JobFolder): ReadonlyMap<string, string> =>
  new Map(
    folder
      .names(PLACES.work)
      .map((work) => [work.replace(/\.[^.]*$/, ''), folder.read(PLACES.work, work, STARTED) ?? ''] as const),
  );

/** Tasks that earlier processes with this log tried without success; for the last one it records how the process ended. */
function endedBefore({ folder, log }: TaskRun, code: number, tasks: readonly JobTask[]): JobTask[] {
  const text = (log === null ? null : folder.read(log)) ?? '';
  const number = lastTask(text);
  const isOpen = (task: JobTask): boolean => !existsSync(folder.at(partOf(task))) && folder.failure(task)?.log !== log;
  const task = tasks.find((task) => task.number === number && isOpen(task));
  if (task !== undefined) {
    const said = saidOf(text, task.number);
    const end = endOfProcess(code, said);
    const error = `${task.path}: its process ${processEndText(end)}`;
    say('dprof', error);
    folder.writeFailure(task, { ...end, error, log, isCut: false });
  }
  return tasks.filter((task) => !existsSync(folder.at(partOf(task))) && folder.failure(task)?.log === log);
}

async function runTask(run: TaskRun, task: JobTask): Promise<boolean> {
  const { folder, log } = run;
  if (existsSync(folder.at(partOf(task)))) return folder.failure(task)?.isCut !== true;
  // Print the profile's name before the messages about it.
  if (log !== null) say('dprof', taskLine(task));
  // When the disk of the job's folder is full, other profiles may still be small enough.
  const { code, error } = await runInside(() => makePart(run, task));
  if (error !== null) say('dprof', error);
  return code === EXIT.done;
}

/** Makes a partial answer, or records why there is none. @throws when the job's folder has no room for either */
async function makePart(run: TaskRun, task: JobTask): Promise<void> {
  const { folder, log } = run;
  const work = folder.work(task.name);
  try {
    writeFileSync(join(work.path, STARTED), log ?? '');
    const { code, error, systemCode } = await runInside(() => reduce(run, task, work));
    const isMade = existsSync(join(work.path, PART));
    if (error !== null) say('dprof', error);
    process.exitCode = code;
    // Record the failure first, so that an incomplete partial answer never exists without it.
    const why = { ...endedItself(systemCode), error: error ?? FAILED, log, isCut: isMade };
    if (code !== EXIT.done) folder.writeFailure(task, why);
    if (isMade) work.move(PART, partOf(task));
    if (code === EXIT.done) folder.removeFailure(task);
  } finally {
    work.dispose();
  }
}

const PART = 'part';
const FAILED = 'failed; its log says why';

/** @throws UserError when the profile differs from the plan's */
async function reduce({ partial, settings: { by, device } }: TaskRun, task: JobTask, work: WorkFolder): Promise<void> {
  confirmUnchanged(task);
  const options = [...(by === null ? [] : ['--by', by]), ...(device === null ? [] : ['--peaks', device])];
  await runWith(partial, [...options, '-o', join(work.path, PART), task.path]);
}

/** @throws UserError when the profile differs from the plan's */
function confirmUnchanged({ path, size, mtime }: JobTask): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('no such file', { where: path });
  if (!isChanged({ size, mtime }, stat)) return;
  throw new UserError('changed after the job was planned', { where: path, hint: 'choose another folder for -o' });
}

/** Whether the file changed after the plan was made. A file that appeared after the plan is used as it is. */
export const isChanged = (
  { size, mtime }: Pick<JobTask, 'size' | 'mtime'>,
  stat: { readonly size: number; readonly mtimeMs: number },
): boolean => size !== null && (stat.size !== size || Math.floor(stat.mtimeMs) !== mtime);
