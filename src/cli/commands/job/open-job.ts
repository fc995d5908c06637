/**
 * The folder of a job and its plan: created for a new job, compared with the request for an existing one. One job at a time
 * uses a folder: a lock file names the process that holds it, and the file's time shows that the process is alive.
 */
import {
  existsSync,
  mkdirSync,
  rmdirSync,
  statSync,
  closeSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, isSystemError, systemReason, UserError } from '../../../record/errors.js';
import { say } from '../../message.js';
import { version } from '../../package-folder.js';
import { findInputs, realPath, statOrNull, taskOf } from './find-inputs.js';
import { JobFolder, partOf, PLACES } from './job-folder.js';
import type { JobRequest } from './job-options.js';
import { planText, settingsDifference, tasksDifference, type JobPlan, type JobTask } from './plan/job-plan.js';
import { isChanged } from './run-tasks.js';
import { hostname } from 'node:os';
import { atEnd } from '../../../parse/input/cleanup.js';
import { writeFully } from '../../../parse/files.js';

/** Interval in ms at which the lock file's time is updated. */
const SIGN_MS = 15_000;
/** Age of the lock file in ms after which a process on another machine counts as dead. */
const DEAD_MS = 120_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
}

/**
 * Locks the folder for this process.
 * @returns a function that releases it
 * @throws UserError when another process holds it, or nothing can be written
 */
function lockFolder(folder: JobFolder): () => void {
  const path = folder.at(PLACES.lock);
  for (;;) {
    if (create(path)) return held(path);
    removeDead(folder, path);
  }
}

/** @returns whether the file did not exist before */
function create(path: string): boolean {
  try {
    const file = openSync(path, 'wx');
    try {
      const holder: Holder = { host: hostname(), pid: process.pid };
      writeFully(file, Buffer.from(`${JSON.stringify(holder)}\n`));
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'EEXIST') return false;
    throw new UserError(`cannot write: ${systemReason(error)}`, { where: path });
  }
}

function held(path: string): () => void {
  const remove = (): void => rmSync(path, { force: true });
  const release = atEnd(remove);
  const sign = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Somebody removed the folder; the next write will report it.
    }
  }, SIGN_MS);
  sign.unref();
  return () => {
    clearInterval(sign);
    remove();
    release();
  };
}

/** @throws UserError when the process is alive */
function removeDead(folder: JobFolder, path: string): void {
  const holder = holderOf(folder.read(PLACES.lock));
  if (holder === null ? ageOf(path) < SIGN_MS : isAlive(holder, path)) {
    const problem =
      holder === null
        ? 'another job is starting here'
        : `process ${holder.pid} on ${holder.host} is running a job here`;
    throw new UserError(problem, { where: folder.path, hint: 'wait for it, or choose another folder for -o' });
  }
  // Rename it first: another process may be about to remove it too, and must not remove the next holder's lock.
  const dead = `${path}.${process.pid}`;
  try {
    renameSync(path, dead);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
  rmSync(dead, { force: true });
}

function isAlive({ host, pid }: Holder, path: string): boolean {
  if (host !== hostname()) return ageOf(path) < DEAD_MS;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return isSystemError(error) && error.code === 'EPERM';
  }
}

const ageOf = (path: string): number => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);

/** Parses the lock; null for a file that a process did not finish writing. */
function holderOf(text: string | null): Holder | null {
  try {
    return JSON.parse(text ?? '') as Holder;
  } catch {
    return null;
  }
}

export interface OpenJob {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
}

type PlanRequest = Pick<JobRequest, 'output' | 'operands' | 'by' | 'device' | 'fanIn' | 'quiet'>;

/** The job of a folder that has one. @throws UserError when it has none */
export function existingJob({ output }: Pick<JobRequest, 'output'>): OpenJob {
  const folder = folderOf(output);
  const plan = folder.plan();
  if (plan === null)
    throw new UserError('contains no job', { where: output, hint: 'start one with dprof job INPUT... -o OUT' });
  const difference = settingsDifference(plan, { ...plan, version: version() });
  if (difference !== null) throw otherJob(output, difference);
  return { folder, plan };
}

/**
 * The job for one of its shares: several processes may try to make the plan at once, and one of them does.
 * @throws UserError when the folder belongs to another job
 */
export async function jobOfShare(request: PlanRequest): Promise<OpenJob> {
  const folder = folderOf(request.output);
  if (request.operands.length > 0 && folder.plan() === null) {
    makeFolder(folder.path);
    refuseOthers(folder);
    folder.writePlan(await planOf(request, folder));
  }
  const job = existingJob(request);
  const operands = operandsOf(request);
  const isOther = operands.length > 0 && operands.join('\n') !== job.plan.operands.join('\n');
  const difference = isOther ? `its inputs are ${job.plan.operands.join(', ')}` : null;
  const differs = difference ?? (operands.length > 0 ? settingsDifference(job.plan, settingsOf(request)) : null);
  if (differs !== null) throw otherJob(request.output, differs);
  return job;
}

/**
 * Locks the folder for a whole job, a new one or one to continue.
 * @returns the job, and a function that releases the folder
 * @throws UserError when the folder has another job or other files, or is in use
 */
export async function openJob(
  request: PlanRequest & { readonly resume: boolean },
): Promise<OpenJob & { readonly release: () => void }> {
  const { output, resume } = request;
  const folder = folderOf(output);
  refuseInputFolder(request, folder);
  if (resume && folder.plan() === null) existingJob(request);
  const isMade = makeFolder(folder.path);
  try {
    const release = lockFolder(folder);
    try {
      return { folder, plan: await lockedPlan(request, folder), release };
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    if (isMade) removeEmpty(folder.path);
    throw error;
  }
}

async function lockedPlan(request: PlanRequest & { readonly resume: boolean }, folder: JobFolder): Promise<JobPlan> {
  const { output, operands, resume } = request;
  const plan = folder.plan();
  if (plan === null) {
    refuseOthers(folder);
    const made = await planOf(request, folder);
    folder.writePlan(made);
    return made;
  }
  if (!resume) {
    throw new UserError('already contains a job', { where: output, hint: 'continue it with --resume, or choose another folder for -o' }); // prettier-ignore
  }
  existingJob(request);
  const { by, device } = request;
  const otherwise = settingsDifference(plan, { ...plan, by: by ?? plan.by, device: device ?? plan.device });
  if (otherwise !== null) throw otherJob(output, otherwise);
  if (operands.length > 0) {
    const asked = await planOf(request, folder);
    const difference = settingsDifference(plan, asked) ?? tasksDifference(plan, asked);
    if (difference !== null) throw otherJob(output, difference);
  }
  refuseChanged(plan, folder);
  return plan;
}

const folderOf = (output: string): JobFolder => new JobFolder(realPath(output));

const otherJob = (where: string, difference: string): UserError =>
  new UserError(`belongs to another job: ${difference}`, { where, hint: 'choose another folder for -o' });

const settingsOf = ({ by, device }: PlanRequest) => ({ version: version(), by, device });

const operandsOf = ({ operands }: PlanRequest): string[] =>
  operands.map((operand) => (operand === '-' ? operand : resolve(operand)));

async function planOf(request: PlanRequest, folder: JobFolder): Promise<JobPlan> {
  const { tasks, failures, notes } = await findInputs(request.operands, folder.path);
  for (const { line } of [...(request.quiet ? [] : notes), ...failures]) say('dprof', line);
  // Answers cover only the inputs that could be read.
  if (failures.length > 0) process.exitCode = EXIT.failed;
  return { ...settingsOf(request), operands: operandsOf(request), fanIn: request.fanIn, tasks };
}

/** @returns whether the folder did not exist before */
function makeFolder(path: string): boolean {
  try {
    if (existsSync(path) && statSync(path).isDirectory()) return false;
    // Use `recursive` only when a parent is missing: Node never returns when the system cannot create the folder, as in
    // /proc.
    mkdirSync(path, { recursive: !existsSync(dirname(path)) });
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const reason = error.code === 'EEXIST' ? 'is not a folder' : `cannot be made: ${systemReason(error)}`;
    throw new UserError(reason, { where: path, hint: 'choose another folder for -o' });
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process has put a file into the folder.
  }
}

/** @throws UserError when the job's folder is an input */
function refuseInputFolder({ output, operands }: PlanRequest, { path }: JobFolder): void {
  if (!operands.some((operand) => operand !== '-' && realPath(operand) === path)) return;
  throw new UserError('is an input', { where: output, hint: 'choose another folder for -o' });
}

/** @throws UserError when it contains other files */
function refuseOthers(folder: JobFolder): void {
  const places: ReadonlySet<string> = new Set(Object.values(PLACES));
  const other = folder.names().find((name) => !places.has(name) && !name.startsWith('.'));
  if (other === undefined) return;
  throw new UserError(`contains other files: ${other}`, { where: folder.path, hint: 'choose an empty folder for -o' });
}

/** @throws UserError for a profile that differs from the plan's; a deleted one may already have its partial answer */
function refuseChanged({ tasks }: JobPlan, folder: JobFolder): void {
  for (const task of tasks) {
    if (!hasChanged(task) || folder.failure(task) !== null) continue;
    const hint = 'choose another folder for -o';
    throw new UserError('changed after the job was planned', { where: task.path, hint });
  }
}

const hasChanged = (task: JobTask): boolean => {
  const stat = statOrNull(task.path);
  return stat !== null && isChanged(task, stat);
};

/**
 * The job with the current sizes and times of profiles that failed or were cut off, as they may have been repaired
 * since. Partial answers for only a part of a profile are removed, with the merges that may contain them.
 */
export function withRepaired<Job extends OpenJob>(job: Job): Job {
  const { folder, plan } = job;
  const repaired = new Set(plan.tasks.filter((task) => hasChanged(task) && folder.failure(task) !== null));
  if (repaired.size === 0) return job;
  for (const task of repaired) {
    folder.remove(partOf(task));
    folder.removeFailure(task);
  }
  folder.remove(PLACES.merges);
  const tasks = plan.tasks.map((task) => (repaired.has(task) ? taskOf(task.path, task.number) : task));
  const renewed = { ...plan, tasks };
  folder.write(PLACES.plan, planText(renewed));
  return { ...job, plan: renewed };
}
