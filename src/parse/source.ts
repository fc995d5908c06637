/**
 * Inputs: paths, folders, globs, archives, standard input, compressed data. Streams and compressed files cannot be read in place, so they are
 * unpacked into a temporary folder, never next to the input.
 */
import { createReadStream, realpathSync, statSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { isSystemError, UserError } from '../record/errors.js';
import { firstBytes, isFile, pathsIn, UnreadableInput } from './files.js';
import { hostOfTrace, hostOfXPlane } from './readers/xplane/run-files.js';
import { isArchive, unpackArchive } from './input/archive.js';
import { filesIn, filesOfPattern } from './input/folder-files.js';
import { isStreamOfTables } from './sqlite/arrow-tables.js';
import { copyTables, exporterOf, tablesByFolder, type TableFiles } from './sqlite/table-folders.js';
import { explorerJson } from './readers/neuron/explorer-tables.js';
import { isSqlite } from './sqlite/sqlite.js';
import { packedCopies, inflatedAtOnce, startOfPacked, unpack } from './input/unpack.js';
import { TemporaryFile } from './input/temporary-file.js';
import { isPacked, PackedFault, unpackedName } from '../record/lines/packed.js';

const HEAD_BYTES = 4096;

export interface InputFile {
  /** Name as the user gave it, for messages. */
  readonly name: string;
  /** Base name of the input, for the profile line. */
  readonly file: string;
  /** File with the bytes, uncompressed. */
  readonly path: string;
  /** Present when compressed data are truncated, so that only its first part could be unpacked. */
  readonly isCut?: true;
  /** Removes temporary files. */
  dispose(): void;
}

/** The files of one command-line argument. */
interface Expansion {
  readonly paths: readonly string[];
  /** Compressed files that also exist uncompressed; they are not in the list of files. */
  readonly copies: readonly string[];
  /** JSON traces next to the profile that they were made from; they are not in the list of files. */
  readonly traces: readonly string[];
  /** The folder that was searched, of an archive the one that it was unpacked into; null for a file or a glob. */
  readonly folder: string | null;
  /** Whether to skip files that are not profiles: true for a folder, a glob, and an archive of several files. */
  readonly lenient: boolean;
  /** Folders that cannot be searched. */
  readonly failures: readonly UnreadableInput[];
}

/**
 * The files of an argument, in order of name. `-` is standard input.
 * @throws UserError when there is no such file, or the folder or glob contains none
 */
export async function expandInput(argument: string): Promise<Expansion> {
  const single: Expansion = { paths: [argument], copies: [], traces: [], folder: null, lenient: false, failures: [] };
  if (argument === '-') return single;
  const stat = statSync(argument, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return inFolder(argument);
  const archive = stat === undefined ? null : await archiveFolder(argument);
  if (archive !== null) {
    const files = await inFolder(archive);
    return { ...files, lenient: files.paths.length > 1 };
  }
  if (stat !== undefined) return single;
  const paths = filesOfPattern(argument);
  if (paths === null) throw new UserError('no such file or directory', { where: argument });
  return { ...(await withoutCopies(paths)), folder: null, lenient: true, failures: [] };
}

async function inFolder(folder: string): Promise<Expansion> {
  const { paths, closed } = filesIn(folder);
  const failures = [...closed].map(([where, reason]) => new UnreadableInput(`cannot be read: ${reason}`, { where }));
  if (paths.length + failures.length === 0) throw new UserError('folder is empty', { where: folder });
  return { ...(await withoutCopies(withTableFolders(paths))), folder, lenient: true, failures };
}

async function withoutCopies(all: readonly string[]): Promise<Pick<Expansion, 'paths' | 'copies' | 'traces'>> {
  const copies = await packedCopies(all);
  const traces = xplaneTraces(all);
  const leftOut = new Set([...copies, ...traces]);
  return { paths: all.filter((path) => !leftOut.has(path)), copies, traces };
}

/** The traces that JAX and TensorFlow write next to `HOST.xplane.pb`, of the same events with fewer facts. */
function xplaneTraces(paths: readonly string[]): string[] {
  const hosts = new Set(paths.flatMap((path) => hostOfXPlane(path) ?? []));
  return paths.filter((path) => hosts.has(hostOfTrace(path) ?? ''));
}

/** Replaces the files of a profiler's tables by their folder. */
export function withTableFolders(paths: readonly string[]): string[] {
  const tables = new Set<string>();
  const folders: string[] = [];
  for (const [folder, files] of tablesByFolder(paths)) {
    if (exporterOf(files) === null) continue;
    folders.push(folder);
    for (const path of [...files.values()].flat()) tables.add(path);
  }
  return [...paths.filter((path) => !tables.has(path)), ...folders].sort();
}

/**
 * Makes a folder of tables readable: as a database, or as the JSON of AWS's tool.
 * @throws UserError when a table cannot be read
 */
async function openTables(folder: string): Promise<InputFile> {
  const tables = tablesByFolder(pathsIn(folder)).get(folder) ?? new Map<string, string[]>();
  const database = await databaseOfTables(tables, { name: folder, file: null });
  if (exporterOf(tables) !== 'neuron') return database;
  try {
    return await temporaryInput(folder, (temporary) => {
      for (const piece of explorerJson(database.path)) temporary.append(Buffer.from(piece));
      return { file: basename(folder) };
    });
  } finally {
    database.dispose();
  }
}

interface AboutTables {
  readonly name: string;
  /** Base name of the only file, which is named in messages; null for a folder. */
  readonly file: string | null;
}

/** Copies tables into a database. @throws UserError when one cannot be read */
async function databaseOfTables(tables: TableFiles, { name, file }: AboutTables): Promise<InputFile> {
  const database = new TemporaryFile(name);
  try {
    await copyTables(tables, database.path, file === null ? undefined : name);
    return { name, file: file ?? basename(name), path: database.path, dispose: () => database.dispose() };
  } catch (error) {
    database.dispose();
    throw error;
  }
}

/** Copies an input into a database if it is a stream of several tables. @throws UserError when it cannot be read */
async function withoutStream(input: InputFile): Promise<InputFile> {
  if (!isStreamOfTables(input.path)) return input;
  try {
    return await databaseOfTables(new Map([[input.file, [input.path]]]), input);
  } finally {
    input.dispose();
  }
}

/** Folders of archives that were unpacked, by the path and the time of the archive. */
const unpackedArchives = new Map<string, Promise<string>>();

/**
 * The folder with the files of an archive, which is unpacked once; null for any other file.
 * @throws UserError for an archive that cannot be unpacked
 */
async function archiveFolder(path: string): Promise<string | null> {
  if (!(await isArchiveFile(path))) return null;
  const { size, mtimeMs } = statSync(path);
  const key = `${realpathSync(path)} ${size} ${mtimeMs}`;
  const known = unpackedArchives.get(key) ?? openInput(path).then(unpackedInput);
  unpackedArchives.set(key, known);
  return known;
}

/** Whether a path leads to an archive, which may be compressed. */
export const isArchiveFile = async (path: string): Promise<boolean> => isArchive(await startOf(path, HEAD_BYTES));

/**
 * Unpacks an input that is an archive, and disposes of the input.
 * @throws UserError for an archive that cannot be unpacked
 */
export async function unpackedInput(input: InputFile): Promise<string> {
  try {
    return await unpackArchive(input.path, readHead(input.path), input.name);
  } finally {
    input.dispose();
  }
}

/** The first bytes of a file, from which its format is detected. */
export const readHead = (path: string): Buffer => firstBytes(path, HEAD_BYTES);

/**
 * Makes an input readable by path.
 * @param stdin stream to read instead of standard input, if its first bytes have already been inspected
 * @throws UserError when it is empty or broken compressed data
 */
export async function openInput(path: string, stdin: AsyncIterable<Buffer> = process.stdin): Promise<InputFile> {
  if (path === '-') return withoutStream(await unpacked(path, 'stdin', stdin));
  const stat = statSync(path);
  if (stat.isCharacterDevice() || stat.isBlockDevice()) throw new UserError('is a device', { where: path, hint: 'give a file or a pipe' }); // prettier-ignore
  if (stat.isFile() && stat.size === 0) throw new UserError('file is empty', { where: path });
  if (stat.isDirectory()) return openTables(path);
  return withoutStream(await openFile(path, stat));
}

/** Makes a file or a pipe readable by path. */
async function openFile(path: string, stat: Stats): Promise<InputFile> {
  if (!stat.isFile()) return unpacked(path, basename(path), createReadStream(path));
  if (!isPacked(readHead(path))) return { name: path, file: basename(path), path, dispose: () => undefined };
  const small = inflatedAtOnce(path, stat.size);
  return small === null
    ? unpacked(path, basename(path), createReadStream(path))
    : temporaryInput(path, (temporary) => {
        temporary.append(small);
        return { file: unpackedName(basename(path)) };
      });
}

/**
 * Opens what is needed to detect the format of a file without reading much: the file itself, or a temporary file with
 * the first part of a compressed one. Null for compressed tables, which can be read only after they are unpacked.
 * @throws UserError when it is empty or broken compressed data
 */
export async function openStart(path: string): Promise<Pick<InputFile, 'path' | 'dispose'> | null> {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size === 0 || !isPacked(readHead(path))) return openInput(path);
  const start = await startOfPacked(path).catch((error: unknown) => {
    throw brokenPacking(error, path);
  });
  if (isSqlite(start)) return null;
  const temporary = new TemporaryFile(path);
  temporary.append(start);
  if (isStreamOfTables(temporary.path)) {
    temporary.dispose();
    return null;
  }
  return { path: temporary.path, dispose: () => temporary.dispose() };
}

/** The first bytes of a file, decompressed if necessary; empty for a path that is not a file or cannot be read. */
export async function startOf(path: string, wanted?: number): Promise<Buffer> {
  try {
    if (!isFile(path)) return Buffer.alloc(0);
    const head = readHead(path);
    return isPacked(head) ? await startOfPacked(path, wanted) : head;
  } catch (error) {
    if (error instanceof PackedFault || isSystemError(error)) return Buffer.alloc(0);
    throw error;
  }
}

/** Copies a stream into a temporary file, decompressing it. */
const unpacked = (name: string, file: string, stream: AsyncIterable<Buffer>): Promise<InputFile> =>
  temporaryInput(name, async (temporary) => {
    const what = await unpack(stream, temporary);
    if (what === 'nothing') throw new UserError('input is empty', { where: name });
    return {
      file: what === 'bytes' ? file : unpackedName(file),
      ...(what === 'cut' ? { isCut: true } : undefined),
    };
  });

type AboutFile = Pick<InputFile, 'file' | 'isCut'>;

/**
 * Makes an input from a temporary file.
 * @param fill writes the file
 */
async function temporaryInput(
  name: string,
  fill: (temporary: TemporaryFile) => AboutFile | Promise<AboutFile>,
): Promise<InputFile> {
  const temporary = new TemporaryFile(name);
  try {
    const about = await fill(temporary);
    if (!isSqlite(readHead(temporary.path))) temporary.hide();
    return { name, ...about, path: temporary.path, dispose: () => temporary.dispose() };
  } catch (error) {
    temporary.dispose();
    throw brokenPacking(error, name);
  }
}

/** Turns a fault of compressed data into an error of the input; any other error is returned unchanged. */
function brokenPacking(error: unknown, where: string): unknown {
  if (!(error instanceof PackedFault)) return error;
  return new UnreadableInput(error.message, error.fault === 'bomb' ? { where } : { where, hint: 'copy it again' });
}

/** How launchers write a rank into a file name; the first match is used. */
const RANK_IN_NAME: readonly RegExp[] = [/rank[._-]?(\d{1,6})(?!\d)/i, /_r(\d{1,6})(?![a-z0-9])/i, /\.(\d{1,6})\./];

/** The rank in a file name: `rank_3`, `_r3`, `.3.`; null when there is none. */
export function rankOf(file: string): number | null {
  for (const pattern of RANK_IN_NAME) {
    const rank = pattern.exec(file)?.[1];
    if (rank !== undefined) return Number(rank);
  }
  return null;
}
