/** Finds the profiles among the inputs, one after another: a compressed input is unpacked when its turn comes. */
import { statSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { entryOf } from '../containers/map-entry.js';
import { counted } from '../record/plural.js';
import { UserError } from '../record/errors.js';
import { isArchive } from './input/archive.js';
import { isInCaptureFolder, openCaptures, type CaptureFiles } from './captures.js';
import { isFile, lastBytes, readJsonFile, textStart, asUserError, RedundantInput, UnreadableInput } from './files.js';
import { checkProfile } from './profile.js';
import { isNamedProfile, OtherData, OUTPUT_FOLDERS } from './registry.js';
import type { Reader } from './reader.js';
import { expandInput, isArchiveFile, openInput, openStart, readHead, unpackedInput, type InputFile } from './source.js';
import { isSqlite } from './sqlite/sqlite.js';

/** A profile's file, with the graph captures that it may replay. */
export interface ProfileFile extends InputFile {
  readonly captures: CaptureFiles;
}

/** A file that is a profile, open for reading. */
interface OpenedProfile {
  /** Dispose of this when the profile has been read. */
  readonly source: ProfileFile;
  readonly reader: Reader;
}

export interface FoundProfile extends OpenedProfile {
  /** Number of the profile in the stream, from 0. */
  readonly ordinal: number;
}

interface FindOptions {
  /** Id of the format to read every input as; detected by content when not given. */
  readonly format?: string | undefined;
  /** Stream to read instead of standard input, if its first bytes have already been inspected. */
  readonly stdin?: AsyncIterable<Buffer> | undefined;
  /** File or folder with the graph captures that the profiles replay; by default those next to each profile. */
  readonly capture?: string | undefined;
  /**
   * Files in folders that another process reads. They are skipped here, but their folder is not reported as one without
   * profiles.
   */
  readonly passOver?: ReadonlySet<string> | undefined;
  readonly onNote?: OnNote | undefined;
}

/** Receives a one-line note about files of a folder or glob that are left out. */
export type OnNote = (note: UserError) => void;

/**
 * Finds and opens the profiles of all inputs, each when it is requested; the caller disposes of it. An input that
 * cannot be read yields an error in its place instead of throwing, so that one bad input does not lose the others. In
 * folders and globs, files that are not profiles are skipped silently, unless they have a profile's name. Such a name
 * is one that profilers use, or one that differs from the names of other profiles there only in numbers and
 * compression. A file named like other profiles is skipped and counted if it is complete JSON with other data. A file
 * with a profile's extension is an error if it is empty, cut off, or not what the extension says.
 * @param inputs files, folders, globs, or `-` for standard input
 */
export async function* findProfiles(
  inputs: readonly string[],
  options: FindOptions = {},
): AsyncGenerator<FoundProfile | UserError, void> {
  let ordinal = 0;
  for (const input of inputs) {
    try {
      const opened = input === '-' ? await openInput('-', options.stdin) : null;
      const folder = opened !== null && isArchive(readHead(opened.path)) ? await unpackedInput(opened) : null;
      const open = (path: string, inFolder: boolean): Promise<OpenedProfile | UserError> =>
        tryOpen(path, { ...options, inFolder, opened });
      for await (const found of profilesOf(folder ?? input, open, options)) {
        yield found instanceof UserError ? found : { ...found, ordinal: ordinal++ };
      }
    } catch (error) {
      yield asUserError(error, input);
    }
  }
}

/** A profile that was not opened. */
export interface ListedProfile {
  readonly path: string;
}

/**
 * Paths of the profiles in an input, without unpacking them. The list includes profiles that turn out to be damaged later.
 * If the input is a single file, it is not inspected.
 * @param input file, folder or glob
 * @throws UserError when there is nothing to read
 */
export async function* listProfiles(
  input: string,
  options: Pick<FindOptions, 'passOver' | 'onNote'>,
): AsyncGenerator<ListedProfile | UserError> {
  const isGiven = isFile(input) && !(await isArchiveFile(input));
  const list = (path: string, inFolder: boolean): Promise<ListedProfile | UserError> =>
    isGiven ? Promise.resolve({ path }) : tryList(path, inFolder);
  yield* profilesOf(input, list, options);
}

async function tryList(path: string, inFolder: boolean): Promise<ListedProfile | UserError> {
  try {
    const file = await openStart(path);
    if (file !== null) checkStart(file, path, inFolder);
  } catch (error) {
    const failure = asUserError(error, path);
    if (!isOfProfile(failure, path)) return failure;
  }
  return { path };
}

/**
 * Whether an error concerns a profile. It does if the file is damaged, or has a profile's name and is not covered by
 * another file.
 */
const isOfProfile = (error: UserError, path: string): boolean =>
  error instanceof UnreadableInput || (isNamedProfile(path) && !(error instanceof RedundantInput));

function checkStart(file: Pick<InputFile, 'path' | 'dispose'>, name: string, inFolder: boolean): void {
  try {
    checkProfile(file.path, name, undefined, inFolder);
  } finally {
    file.dispose();
  }
}

const unpackedName = (path: string): string => path.replace(/\.(?:gz|zst|xz|bz2|lz4|zip)$/i, '');

/** The part of a name that files of a set share: `rank6.json.gz` is probably a profile if `rank5.json` is one. */
const nameOfSet = (path: string): string => unpackedName(path).replaceAll(/\d+/g, '0');

/** Extension without compression: `.json` for `rank5.json.gz`. */
const extensionOf = (path: string): string => extname(unpackedName(path)).toLowerCase();

/**
 * The profiles of one input.
 * @throws UserError when there is nothing to read
 */
async function* profilesOf<Found extends object>(
  input: string,
  open: (path: string, inFolder: boolean) => Promise<Found | UserError>,
  { passOver = new Set(), onNote }: Pick<FindOptions, 'passOver' | 'onNote'>,
): AsyncGenerator<Found | UserError> {
  const { paths, copies, traces, folder, lenient, failures } = await expandInput(input);
  if (copies.length > 0) onNote?.(new UserError(copiesText(copies), { where: input }));
  if (traces.length > 0) onNote?.(new UserError(tracesText(traces), { where: input }));
  yield* failures;
  const inFolder = lenient && folder !== null;
  const used: string[] = paths.filter((path) => passOver.has(path));
  const profiles = new Set<string>();
  const extensions = new Set([...REPORTS, ...[...passOver].map(extensionOf)]);
  const again = new Map<string, string[]>();
  const passedOver: { readonly path: string; readonly failure: UserError }[] = [];
  for (const path of paths) {
    if (passOver.has(path)) continue;
    // These are read together with the profiles next to that folder.
    if (inFolder && isInCaptureFolder(path) && dirname(path) !== folder) continue;
    const result = await open(path, inFolder);
    if (!(result instanceof UserError)) {
      profiles.add(nameOfSet(path));
      extensions.add(extensionOf(path));
    } else if (lenient && !isOfProfile(result, path)) {
      if (!(result instanceof RedundantInput)) passedOver.push({ path, failure: result });
      else if (result.same !== null) entryOf(again, result.same, (): string[] => []).push(path);
      continue;
    }
    used.push(path);
    yield result;
  }
  const others: string[] = [];
  const archives: string[] = [];
  for (const { path, failure } of passedOver) {
    if (ARCHIVE.test(path) && (await isArchiveFile(path))) {
      archives.push(path);
      continue;
    }
    const isOfSet = profiles.has(nameOfSet(path));
    if (!isOfSet && !(extensions.has(extensionOf(path)) && (await isBroken(path)))) continue;
    if (isOfSet && failure instanceof OtherData && !OF_RANK.test(basename(path)) && (await holdsOtherData(path)))
      others.push(path);
    else {
      used.push(path);
      yield failure;
    }
  }
  if (others.length > 0) onNote?.(new UserError(othersText(others), { where: input }));
  if (archives.length > 0) onNote?.(new UserError(archivesText(archives), { where: input }));
  for (const [same, files] of again) onNote?.(new UserError(againText(files, same), { where: input }));
  const unreadable = inFolder ? unreadableFolders(used, paths) : [];
  yield* unreadable;
  if (lenient && used.length + failures.length + unreadable.length === 0) {
    throw new UserError(`no profile in ${counted(paths.length, 'file')}`, {
      where: input,
      hint: archives.length > 0 ? archivesText(archives) : 'dparse --formats lists the supported formats',
    });
  }
}

/** Text such as `1 compressed copy left out, whose original is next to it: net.json.gz`. */
const copiesText = (copies: readonly string[]): string =>
  `${counted(copies.length, 'compressed copy')} left out, whose ${copies.length === 1 ? 'original is next to it' : 'originals are next to them'}: ${firstOf(copies)}`;

/** Names of archives that may hold profiles; many other files are zip archives too. */
const ARCHIVE = /\.(?:zip|tar|tgz|tar\.\w+)$/i;

const archivesText = (archives: readonly string[]): string =>
  `${counted(archives.length, 'archive')} not searched, as ${archives.length === 1 ? 'it is' : 'they are'} in a folder or another archive: ${firstOf(archives)}`;

/** Text such as `1 file left out, whose run is in 7_results.db: 7_kernel_trace.csv`. */
const againText = (files: readonly string[], same: string): string =>
  `${counted(files.length, 'file')} left out, whose run is in ${same}: ${firstOf(files)}`;
/** Text such as `1 trace left out, whose .xplane.pb is next to it and has more data: node.trace.json.gz`. */
const tracesText = (traces: readonly string[]): string =>
  `${counted(traces.length, 'trace')} left out, whose .xplane.pb is next to ${traces.length === 1 ? 'it' : 'them'} and has more data: ${firstOf(traces)}`;

/** Text such as `1 JSON file skipped, not a profile: 1.json`. */
const othersText = (others: readonly string[]): string =>
  `${counted(others.length, 'JSON file')} skipped, ${others.length === 1 ? 'not a profile' : 'not profiles'}: ${firstOf(others)}`;

/** Extensions of reports that are not read. */
const REPORTS: readonly string[] = ['.nsys-rep', '.qdrep', '.ncu-rep'];

const isJson = (head: Buffer): boolean => /^[[{]/.test(textStart(head));
const isBinary = (head: Buffer): boolean => head.includes(0);

/** Checks of a file's beginning by extension; files with other extensions may begin with anything. */
const BEGINNINGS: Readonly<Record<string, (head: Buffer) => boolean>> = {
  '.sqlite': isSqlite,
  '.sqlite3': isSqlite,
  '.db': isSqlite,
  '.json': isJson,
  '.jsonl': isJson,
  '.nsys-rep': isBinary,
  '.qdrep': isBinary,
  '.ncu-rep': isBinary,
};

/** Whether JSON is cut off. Compressed files are not checked, because they would have to be unpacked. */
const isCutJson = (path: string): boolean =>
  /\.json$/i.test(path) && !/[\]}]\s*$/.test(lastBytes(path, 64).toString('latin1'));

/** Whether a file is empty, cut off, or not what its extension says. */
async function isBroken(path: string): Promise<boolean> {
  if (statSync(path).size === 0) return true;
  const file = await openStart(path);
  if (file === null) return false;
  try {
    return BEGINNINGS[extensionOf(path)]?.(readHead(file.path)) === false || isCutJson(path);
  } finally {
    file.dispose();
  }
}

/** A file named after a rank is meant to be the rank's profile, whatever it contains: `rank1.json`, `trace_rank-1.json`. */
const OF_RANK = /rank[-_.]?\d/i;

/** Size limit in bytes of other JSON next to profiles, such as settings; a larger file may be a damaged profile. */
const LARGEST_OTHER = 16 * 1024 * 1024;

/** Whether a file is JSON with content. An empty list or object does not count, because it may be an empty profile. */
async function holdsOtherData(path: string): Promise<boolean> {
  const source = await openInput(path);
  try {
    const json = readJsonFile(source.path, LARGEST_OTHER);
    return json !== undefined && (typeof json !== 'object' || Object.keys(json ?? {}).length > 0);
  } finally {
    source.dispose();
  }
}

/** Text such as `net.json.gz and 2 more`. */
function firstOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? basename(first) : `${basename(first)} and ${others.length} more`;
}

/**
 * Errors for profiler output folders without a readable profile.
 * @param used paths of profiles, and of damaged ones that are reported separately
 * @param paths all files found
 */
function unreadableFolders(used: readonly string[], paths: readonly string[]): UserError[] {
  const read = new Set(used.flatMap(foldersOf));
  return OUTPUT_FOLDERS.flatMap(({ title, hint, among }) =>
    [...among(paths)]
      .filter((folder) => !read.has(resolve(folder)))
      .map((folder) => new UserError(`is ${title}`, { where: folder, hint })),
  );
}

/** The folders that contain a file, up to the root. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  let folder = resolve(path);
  while (folder !== dirname(folder)) folders.push((folder = dirname(folder)));
  return folders;
}

/** Error for a gzip whose readable beginning is too short to detect a format. */
const cutOff = (path: string): UserError =>
  new UnreadableInput('gzip is cut off before the first event of the trace', { where: path, hint: 'copy it again' });

interface OpenOptions extends FindOptions {
  /** Whether the file was found in a folder. If so, it is rejected when another file covers it. */
  readonly inFolder?: boolean;
  /** The input if it is already open; it is disposed of with the profile. */
  readonly opened?: InputFile | null;
}

/**
 * Opens a profile and detects its format.
 * @throws UserError when the file is not a profile
 */
export async function openProfile(
  path: string,
  { format, stdin, capture, inFolder = false, opened = null }: OpenOptions = {},
): Promise<OpenedProfile> {
  const source = path === '-' && opened !== null ? opened : await openInput(path, stdin);
  try {
    const reader = checkProfile(source.path, source.name, format, inFolder);
    const captures = await openCaptures(capture, path);
    const dispose = (): void => {
      captures.dispose();
      source.dispose();
    };
    return { source: { ...source, captures: captures.files, dispose }, reader };
  } catch (error) {
    source.dispose();
    throw error instanceof UserError && source.isCut === true ? cutOff(path) : error;
  }
}

async function tryOpen(path: string, options: OpenOptions): Promise<OpenedProfile | UserError> {
  try {
    return await openProfile(path, options);
  } catch (error) {
    return asUserError(error, path);
  }
}
