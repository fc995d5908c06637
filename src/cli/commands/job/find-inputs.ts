/** Finds the profiles of a job: from folders, globs, files, and lists of files. */
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { firstBytes } from '../../../parse/files.js';
import { listProfiles, type OnNote } from '../../../parse/find.js';
import { isSystemError, UsageError, UserError } from '../../../record/errors.js';
import { recordFilesIn } from '../../../sources/sources.js';
import { taskName } from './plan/merge-tree.js';
import type { JobTask } from './plan/job-plan.js';

export interface FoundInputs {
  readonly tasks: readonly JobTask[];
  /** Errors for inputs in folders that cannot be read. */
  readonly failures: readonly UserError[];
  /** Notes on files in folders that are left out. */
  readonly notes: readonly UserError[];
}

/**
 * Makes the tasks for inputs, in order; each profile appears once.
 * @param operands folders, files, globs, files with a path on each line, or '-' for such lines on standard input
 * @param output the job's folder, whose files are never inputs
 * @throws UserError when there is no input, or an input is the job's folder
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
    throw failures[0] ?? new UserError('no profile found', { where: operands.join(', '), hint: 'dparse --formats lists the supported formats' }); // prettier-ignore
  }
  return { tasks: [...paths].map((path, number) => taskOf(path, number)), failures, notes };
}

/** The task of a profile with its current size and time. */
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

/** @throws UserError for the job's folder, and for anything inside it */
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

/** The profiles in a folder, or its record files when it has none. Record files next to profiles were made from these. */
async function* pathsIn(folder: string, onNote: OnNote): AsyncGenerator<string | UserError> {
  const { records } = await recordFilesIn(folder);
  let profiles = 0;
  for await (const found of listProfiles(folder, { passOver: new Set(records), onNote })) {
    if (!(found instanceof UserError)) profiles++;
    yield found instanceof UserError ? found : found.path;
  }
  if (profiles === 0) yield* records;
}

/** @throws UsageError when standard input is a terminal */
async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('stdin is a terminal: pipe in a list of profiles', 'find … | dprof job - -o OUT'); // prettier-ignore
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

/**
 * The paths that a file lists; null when it is not a list. A file is a list when one of its first lines is an existing
 * path.
 */
function listIn(path: string): string[] | null {
  const head = firstBytes(path, HEAD_BYTES);
  if (head.includes(0) || /^\s*[{[]/.test(head.toString('latin1', 0, 100))) return null;
  const [first = '', ...others] = linesOf(head.toString('utf8'));
  const isList = [first, ...others.slice(0, 100)].some((line) => statOrNull(line) !== null);
  return isList ? linesOf(readFileSync(path, 'utf8')) : null;
}

/** Status of a path; null when it does not exist or may not be accessed. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

/** The path with links resolved; for a missing file, with links in its folder resolved. */
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
