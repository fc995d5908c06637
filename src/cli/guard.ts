/**
 * Keeps the output from overwriting anything that a run may read: its inputs, files in input folders, and files that belong
 * to them.
 */
import { fstatSync, statSync, type BigIntStats, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { logsOf } from '../parse/files.js';
import { filesIn } from '../parse/input/folder-files.js';
import { UserError } from '../record/errors.js';

/** Status of a path; null when it does not exist. @throws the system's error for a path that cannot be accessed */
export const statOf = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;

/**
 * Rejects an output that would overwrite a file that the run may read, even under another name.
 * @param inputs files and folders; '-' for standard input
 * @returns one file of each folder, for `refuseSidecars`
 * @throws UserError for one of the inputs, or the log of a database
 */
export function refuseInputs(output: string, inputs: readonly string[]): ReadonlyMap<string, string> {
  const [isOutput, refuse] = [isFileAt(output), refuseOutput(output)];
  const folders = new Map<string, string>();
  for (const input of inputs) {
    const stat = input === '-' ? stdinStat() : lookedAt(input);
    if (isOutput(stat)) refuse('is the input');
    if (input === '-' || stat === null) continue;
    const files = stat.isDirectory() ? filesIn(input).paths : [input];
    for (const file of files) {
      const found = lookedAt(file);
      if (found === null) continue;
      if (isOutput(found)) refuse(`is a file of the input ${input}`);
      if (logsOf(file).some((log) => isOutput(lookedAt(log)))) refuse(`is read with ${file}`);
      folders.set(dirname(file), file);
    }
  }
  return folders;
}

/**
 * Rejects an output that would overwrite a file that readers open next to an input. Loads all readers. @throws
 * UserError
 */
export async function refuseSidecars(output: string, folders: ReadonlyMap<string, string>): Promise<void> {
  const [isOutput, refuse] = [isFileAt(output), refuseOutput(output)];
  const { filesBeside } = await import('../parse/registry.js');
  for (const [folder, file] of folders) {
    if (filesBeside(folder, output).some((path) => isOutput(lookedAt(path)))) refuse(`is read with ${file}`);
  }
}

function isFileAt(output: string): (stat: FileId | null) => boolean {
  const { ino, dev } = statSync(output, { bigint: true });
  return (stat) => stat?.ino === ino && stat.dev === dev;
}

const refuseOutput =
  (output: string) =>
  (problem: string): never => {
    throw new UserError(problem, { where: output, hint: 'choose another name for -o' });
  };

/** Identifies a file, whatever its name; as bigint, because some file systems have numbers beyond 2^53. */
type FileId = Pick<BigIntStats, 'ino' | 'dev' | 'isDirectory'>;

/** Null when a path cannot be accessed, as it is then not the same file. */
function lookedAt(path: string): FileId | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** Status of standard input when it is a file, as in `dprof -o FILE < FILE`; null otherwise. */
function stdinStat(): FileId | null {
  try {
    const stat = fstatSync(0, { bigint: true });
    return stat.isFile() ? stat : null;
  } catch {
    return null;
  }
}
