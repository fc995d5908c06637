/** The profiles of a job: those of folders and globs, files, and the lines of lists of files. */
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { firstBytes } from '../../../parse/files.js';
import { listProfiles, type OnNote } from '../../../parse/find.js';
import { isSystemError, UsageError, UserError } from '../../../record/errors.js';
import { recordFilesIn } from '../../../sources/sources.js';
import { taskName } from './plan/task-name.js';
import type { JobTask } from './plan/job-plan.js';

export interface FoundInputs {
  readonly tasks: readonly JobTask[];
  /** What in folders cannot be read. */
  readonly failures: readonly UserError[];
  /** What is left out of folders. */
  readonly notes: readonly UserError[];
}

/**
 * The tasks for inputs, in their order, a profile once.
 * @param operands folders, files, globs, files with a path a line, or '-' for such lines on standard input
 * @param output the job's folder: nothing in it is an input
 * @throws UserError where there is none, or an input is the job's folder
 */
export async function findInputs(operands: readonly string[], output: string): Promise<FoundInputs> {
  const outputFolder = realPath(output);
  const paths = new Set<string>();
  const failures: UserError[] = [];
  const notes: UserError[] = [];
  const onNote = (note: UserError): void => void notes.push(note);
  for (const operand of operands) {
    if (operand !== '-') refuseOwn(operand, outputFolder);
    for await (const found of pathsOf(operand, onNote)) {
      if (found instanceof UserError) failures.push(found);
      else if (!isWithin(realPath(found), outputFolder)) paths.add(resolve(found));
    }
  }
  if (paths.size === 0) {
    throw failures[0] ?? new UserError('no profile', { where: operands.join(', '), hint: 'dparse --formats lists what can be read' }); // prettier-ignore
  }
  return { tasks: [...paths].map((path, number) => taskOf(path, number)), failures, notes };
}

/** The task of a profile as it is now. */
export function taskOf(path: string, number: number): JobTask {
  const stat = statOrNull(path);
  return {
    number,
    name: taskName(path),
    path,
    size: stat?.size ?? null,
    mtime: stat === null ? null : Math.floor(stat.mtimeMs),
  };
}

/** @throws UserError for the job's folder, and for what is in it */
function refuseOwn(operand: string, folder: string): void {
  if (!isWithin(realPath(operand), folder)) return;
  throw new UserError("is in the job's own folder", { where: operand, hint: 'choose another folder for -o' });
}

async function* pathsOf(operand: string, onNote: OnNote): AsyncGenerator<string | UserError> {
  if (operand === '-') {
    yield* linesOf(await standardInput());
    return;
  }
  const stat = statOrNull(operand);
  if (stat?.isFile() === true && stat.size > 0) {
    const lines = listIn(operand);
    yield* lines ?? [operand];
    return;
  }
  if (stat?.isDirectory() === true) yield* pathsIn(operand, onNote);
  else
    for await (const found of listProfiles(operand, { onNote })) yield found instanceof UserError ? found : found.path;
}

/** The profiles of a folder; without one its files of records, which beside profiles were made of these. */
async function* pathsIn(folder: string, onNote: OnNote): AsyncGenerator<string | UserError> {
  const { records } = await recordFilesIn(folder);
  let profiles = 0;
  for await (const found of listProfiles(folder, { passOver: new Set(records), onNote })) {
    if (!(found instanceof UserError)) profiles++;
    yield found instanceof UserError ? found : found.path;
  }
  if (profiles === 0) yield* records;
}

/** @throws UsageError for a terminal */
async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('the list is to come from stdin, which is a terminal', 'find … | dprof job - -o OUT'); // prettier-ignore
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString('utf8');
}

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line !== '');

const HEAD_BYTES = 64 * 1024;

/** The paths that a file lists: that it is a list shows in one of its first lines being the path of something. */
function listIn(path: string): string[] | null {
  const head = firstBytes(path, HEAD_BYTES);
  if (head.includes(0) || /^\s*[{[]/.test(head.toString('latin1', 0, 100))) return null;
  const [first = '', ...others] = linesOf(head.toString('utf8'));
  const isList = [first, ...others.slice(0, 100)].some((line) => statOrNull(line) !== null);
  return isList ? linesOf(readFileSync(path, 'utf8')) : null;
}

/** What stands at a path; null for nothing, and for what may not be looked at. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

/** A path without links; of what is not there, without links in the folder that it is to be in. */
export function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const parent = dirname(whole);
    return parent === whole ? whole : join(realPath(parent), whole.slice(parent.length).replace(/^[/\\]/, ''));
  }
}
