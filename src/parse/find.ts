/**
 * Which inputs are profiles. Done before any is read, so that the ordinals of profiles do not depend on what happens
 * later, nor on the number of workers.
 */
import { statSync } from 'node:fs';
import { UserError } from '../record/errors.js';
import { checkProfile } from './profile.js';
import { expand, open, type Source } from './source.js';

export interface Profile {
  /** Ordinal in the stream. */
  readonly ordinal: number;
  readonly source: Source;
}

export interface Found {
  readonly profiles: readonly Profile[];
  /** Inputs that cannot be read. Other files of a folder or a glob are passed over. */
  readonly failures: readonly UserError[];
}

/**
 * @param format format id, to take every input for that
 * @param stdin stands for standard input, when somebody has looked at it before
 */
export async function findProfiles(
  inputs: readonly string[],
  format?: string,
  stdin?: AsyncIterable<Buffer>,
): Promise<Found> {
  const profiles: Profile[] = [];
  const failures: UserError[] = [];
  for (const input of inputs) {
    const before = profiles.length;
    try {
      const { paths, lenient } = expand(input);
      const inFolder = lenient && (statSync(input, { throwIfNoEntry: false })?.isDirectory() ?? false);
      for (const path of paths) {
        const result = await tryOpen(path, { format, stdin, inFolder });
        if (!(result instanceof UserError)) profiles.push({ ordinal: profiles.length, source: result });
        else if (!lenient) failures.push(result);
      }
      if (lenient && profiles.length === before) {
        throw new UserError(`no profile among ${paths.length} ${paths.length === 1 ? 'file' : 'files'}`, {
          where: input,
          hint: 'dparse --formats lists what can be read',
        });
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failures.push(error);
    }
  }
  return { profiles, failures };
}

/** What stands before the cut says nothing of what the file is. */
const cutOff = (path: string): UserError =>
  new UserError('gzip is cut off before any event of a trace', { where: path, hint: 'copy it again' });

interface Opening {
  readonly format?: string | undefined;
  readonly stdin?: AsyncIterable<Buffer> | undefined;
  /** Whether the file was found in a folder. */
  readonly inFolder?: boolean;
}

/**
 * Opens a profile.
 * @throws UserError when the file is none
 */
export async function openProfile(path: string, { format, stdin, inFolder = false }: Opening = {}): Promise<Source> {
  const source = await open(path, stdin);
  try {
    checkProfile(source.path, source.name, format, inFolder);
    return source;
  } catch (error) {
    source.dispose();
    throw error instanceof UserError && source.isCut === true ? cutOff(path) : error;
  }
}

async function tryOpen(path: string, opening: Opening): Promise<Source | UserError> {
  try {
    return await openProfile(path, opening);
  } catch (error) {
    if (error instanceof UserError) return error;
    if (error instanceof Error && 'code' in error)
      return new UserError(`cannot be read: ${String(error.code)}`, { where: path });
    throw error;
  }
}
