/** The profiles among the inputs, found before any is read: ordinals depend on neither failures nor workers. */
import { append } from '../containers/lists.js';
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { counted } from '../record/plural.js';
import { UserError } from '../record/errors.js';
import { checkProfile } from './profile.js';
import { OUTPUT_FOLDERS } from './registry.js';
import type { Reader } from './reader.js';
import { expandInput, openInput, UnreadableInput, type InputFile } from './source.js';

/** A file that is a profile, ready to be read. */
interface OpenedProfile {
  /** To be disposed of when the profile is read. */
  readonly source: InputFile;
  readonly reader: Reader;
}

export interface FoundProfile extends OpenedProfile {
  /** Ordinal in the stream, from 0. */
  readonly ordinal: number;
}

interface FoundProfiles {
  readonly profiles: readonly FoundProfile[];
  /** Inputs that cannot be read. In folders and globs, files that are no profiles are passed over silently. */
  readonly failures: readonly UserError[];
}

/**
 * Finds and opens the profiles of all inputs. Failures are returned, not thrown: one bad input does not lose the others.
 * @param inputs files, folders, globs, or `-` for standard input
 * @param format id of the format to read every input as; detected by content when undefined
 * @param stdin stream to read instead of standard input, when its first bytes were inspected before
 */
export async function findProfiles(
  inputs: readonly string[],
  format?: string,
  stdin?: AsyncIterable<Buffer>,
): Promise<FoundProfiles> {
  const profiles: FoundProfile[] = [];
  const failures: UserError[] = [];
  for (const input of inputs) {
    const before = profiles.length + failures.length;
    try {
      const { paths, lenient } = expandInput(input);
      const inFolder = lenient && (statSync(input, { throwIfNoEntry: false })?.isDirectory() ?? false);
      const used: string[] = [];
      for (const path of paths) {
        const result = await tryOpen(path, { format, stdin, inFolder });
        if (!(result instanceof UserError)) profiles.push({ ...result, ordinal: profiles.length });
        else if (!lenient || result instanceof UnreadableInput) failures.push(result);
        else continue;
        used.push(path);
      }
      if (inFolder) append(failures, unreadableFolders(used, paths));
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

/**
 * Profiler output directories with no readable profile.
 * @param used paths of profiles, and of damaged ones that are reported themselves
 * @param paths all files found
 */
const unreadableFolders = (used: readonly string[], paths: readonly string[]): UserError[] =>
  OUTPUT_FOLDERS.flatMap(({ title, hint, among }) =>
    [...among(paths)]
      .filter((folder) => !used.some((path) => resolve(path).startsWith(resolve(folder) + sep)))
      .map((folder) => new UserError(`is ${title}`, { where: folder, hint })),
  );

/** For a gzip whose readable beginning does not suffice to detect a format. */
const cutOff = (path: string): UserError =>
  new UnreadableInput('gzip is cut off before any event of a trace', { where: path, hint: 'copy it again' });

interface OpenOptions {
  readonly format?: string | undefined;
  readonly stdin?: AsyncIterable<Buffer> | undefined;
  /** Whether the file was found in a folder: then files that another one covers are refused. */
  readonly inFolder?: boolean;
}

/**
 * Opens a profile and detects its format.
 * @throws UserError when the file is no profile
 */
export async function openProfile(
  path: string,
  { format, stdin, inFolder = false }: OpenOptions = {},
): Promise<OpenedProfile> {
  const source = await openInput(path, stdin);
  try {
    return { source, reader: checkProfile(source.path, source.name, format, inFolder) };
  } catch (error) {
    source.dispose();
    throw error instanceof UserError && source.isCut === true ? cutOff(path) : error;
  }
}

async function tryOpen(path: string, options: OpenOptions): Promise<OpenedProfile | UserError> {
  try {
    return await openProfile(path, options);
  } catch (error) {
    if (error instanceof UserError) return error;
    if (error instanceof Error && 'code' in error)
      return new UnreadableInput(`cannot be read: ${String(error.code)}`, { where: path });
    throw error;
  }
}
