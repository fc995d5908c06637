/**
 * Inputs: paths, folders, globs, standard input, gzip. Streams and compressed files cannot be read in place, so they are
 * unpacked into a temporary folder, never next to the input.
 */
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { isSystemError, UserError } from '../record/errors.js';
import { firstBytes, isFile, UnreadableInput } from './files.js';
import { filesIn, filesOfPattern } from './input/folder-files.js';
import { isSqlite } from './sqlite/sqlite.js';
import { packedCopies, inflatedAtOnce, unpack } from './input/unpack.js';
import { TemporaryFile } from './input/temporary-file.js';
import { isGzip } from '../record/lines/gunzip.js';

const HEAD_BYTES = 4096;

export interface InputFile {
  /** Name as the user gave it, for messages. */
  readonly name: string;
  /** Base name of the input, for the profile line. */
  readonly file: string;
  /** File with the bytes, uncompressed. */
  readonly path: string;
  /** Present when the gzip is truncated, so that only its first part could be unpacked. */
  readonly isCut?: true;
  /** Removes temporary files. */
  dispose(): void;
}

/** The files of one command-line argument. */
interface Expansion {
  readonly paths: readonly string[];
  /** Compressed files that also exist uncompressed; they are not in the list of files. */
  readonly copies: readonly string[];
  /** Whether to skip files that are not profiles: true for a folder or a glob. */
  readonly lenient: boolean;
  /** Folders that cannot be searched. */
  readonly failures: readonly UnreadableInput[];
}

/**
 * The files that an argument stands for, in order of name. `-` is standard input.
 * @throws UserError when there is no such file, or the folder or glob contains none
 */
export async function expandInput(argument: string): Promise<Expansion> {
  if (argument === '-') return { paths: ['-'], copies: [], lenient: false, failures: [] };
  const stat = statSync(argument, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return inFolder(argument);
  if (stat !== undefined) return { paths: [argument], copies: [], lenient: false, failures: [] };
  const paths = filesOfPattern(argument);
  if (paths === null) throw new UserError('no such file or directory', { where: argument });
  return { ...(await withoutCopies(paths)), lenient: true, failures: [] };
}

async function inFolder(folder: string): Promise<Expansion> {
  const { paths, closed } = filesIn(folder);
  const failures = [...closed].map(([where, reason]) => new UnreadableInput(`cannot be read: ${reason}`, { where }));
  if (paths.length + failures.length === 0) throw new UserError('folder is empty', { where: folder });
  return { ...(await withoutCopies([...paths].sort())), lenient: true, failures };
}

async function withoutCopies(all: readonly string[]): Promise<Pick<Expansion, 'paths' | 'copies'>> {
  const copies = await packedCopies(all);
  const leftOut = new Set(copies);
  return { paths: all.filter((path) => !leftOut.has(path)), copies };
}

/** The first bytes of a file, from which its format is detected. */
export const readHead = (path: string): Buffer => firstBytes(path, HEAD_BYTES);

/**
 * Makes an input readable by path.
 * @param stdin stream to read instead of standard input, if its first bytes have already been inspected
 * @throws UserError when it is empty or a broken gzip
 */
export async function openInput(path: string, stdin: AsyncIterable<Buffer> = process.stdin): Promise<InputFile> {
  if (path === '-') return unpacked(path, 'stdin', stdin);
  const stat = statSync(path);
  if (stat.isCharacterDevice() || stat.isBlockDevice()) throw new UserError('is a device', { where: path, hint: 'give a file or a pipe' }); // prettier-ignore
  if (stat.isFile() && stat.size === 0) throw new UserError('file is empty', { where: path });
  if (!stat.isFile()) return unpacked(path, basename(path), createReadStream(path));
  if (!isGzip(readHead(path))) return { name: path, file: basename(path), path, dispose: () => undefined };
  const small = inflatedAtOnce(path, stat.size);
  return small === null
    ? unpacked(path, basename(path), createReadStream(path))
    : temporaryInput(path, (temporary) => {
        temporary.append(small);
        return { file: withoutGz(basename(path)) };
      });
}

/**
 * Opens what is needed to detect the format of a file without reading much: the file itself, or a temporary file with the
 * first part of a compressed one. Null for a compressed database, whose tables can be seen only after it is unpacked.
 * @throws UserError when it is empty or a broken gzip
 */
export async function openStart(path: string): Promise<Pick<InputFile, 'path' | 'dispose'> | null> {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size === 0 || !isGzip(readHead(path))) return openInput(path);
  const start = inflatedStart(path);
  if (isSqlite(start)) return null;
  const temporary = new TemporaryFile(path);
  temporary.append(start);
  return { path: temporary.path, dispose: () => temporary.dispose() };
}

/** The first bytes of a file, decompressed if necessary; empty for a path that is not a file or cannot be read. */
export function startOf(path: string): Buffer {
  try {
    if (!isFile(path)) return Buffer.alloc(0);
    const head = readHead(path);
    return isGzip(head) ? inflatedStart(path) : head;
  } catch (error) {
    if (error instanceof UnreadableInput || isSystemError(error)) return Buffer.alloc(0);
    throw error;
  }
}

/** Bytes of a compressed file that are enough to detect its format. */
const START_BYTES = 256 * 1024;

const inflatedStart = (path: string): Buffer => inflated(firstBytes(path, START_BYTES), path);

/**
 * Decompresses the first bytes of a gzip.
 * @throws UnreadableInput when it is broken
 */
export function inflated(bytes: Buffer, where: string): Buffer {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw brokenGzip(error, where);
  }
}

/** Copies a stream into a temporary file, decompressing gzip. */
const unpacked = (name: string, file: string, stream: AsyncIterable<Buffer>): Promise<InputFile> =>
  temporaryInput(name, async (temporary) => {
    const what = await unpack(stream, temporary);
    if (what === 'nothing') throw new UserError('input is empty', { where: name });
    return {
      file: what === 'bytes' ? file : withoutGz(file),
      ...(what === 'cut' ? { isCut: true } : undefined),
    };
  });

const withoutGz = (file: string): string => file.replace(/\.gz$/, '');

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
    throw brokenGzip(error, name);
  }
}

/** Turns an error of zlib into a readable one; any other error is returned unchanged. */
const brokenGzip = (error: unknown, where: string): unknown =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    ? new UnreadableInput(`gzip is broken: ${error.message}`, { where, hint: 'copy it again' })
    : error;

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
