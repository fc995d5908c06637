/**
 * Which inputs are profiles. Done before any is read, so that the ordinals of profiles do not depend on what happens
 * later, nor on the number of workers.
 */
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { counted } from '../record/plural.js';
import { UserError } from '../record/errors.js';
import { BrokenProfile, checkProfile } from './profile.js';
import { PROFILE_FOLDERS } from './registry.js';
import { expand, open, type Source } from './source.js';

export interface Profile {
  /** Ordinal in the stream. */
  readonly ordinal: number;
  readonly source: Source;
}

export interface Found {
  readonly profiles: readonly Profile[];
  /** Inputs that cannot be read, and profiles in a folder or a glob that cannot. Other files there are passed over. */
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
    const before = profiles.length + failures.length;
    try {
      const { paths, lenient } = expand(input);
      const inFolder = lenient && (statSync(input, { throwIfNoEntry: false })?.isDirectory() ?? false);
      const told: string[] = [];
      for (const path of paths) {
        const result = await tryOpen(path, { format, stdin, inFolder });
        if (!(result instanceof UserError)) profiles.push({ ordinal: profiles.length, source: result });
        else if (!lenient || result instanceof BrokenProfile) failures.push(result);
        else continue;
        told.push(path);
      }
      if (inFolder) failures.push(...foldersWithout(told, paths));
      if (lenient && profiles.length + failures.length === before) {
        throw new UserError(`no profile among ${counted(paths.length, 'file')}`, {
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

/** Folders of profilers in which none of the paths is that are told of. */
const foldersWithout = (told: readonly string[], paths: readonly string[]): UserError[] =>
  PROFILE_FOLDERS.flatMap(({ title, hint, among }) =>
    [...among(paths)]
      .filter((folder) => !told.some((path) => resolve(path).startsWith(resolve(folder) + sep)))
      .map((folder) => new UserError(`is ${title}`, { where: folder, hint })),
  );

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
