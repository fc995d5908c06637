/**
 * Inputs: paths, folders, globs, standard input, gzip. Streams and compressed files, which SQLite cannot read in place,
 * are unpacked into a temporary folder, never next to the input.
 */
import fg from 'fast-glob';
import { createReadStream, createWriteStream, mkdtempSync, realpathSync, rmSync, statSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip } from 'node:zlib';
import { UserError } from '../record/errors.js';
import { firstBytes } from './files.js';

const HEAD_BYTES = 4096;

export interface InputFile {
  /** As the user gave it, for messages. */
  readonly name: string;
  /** Base name, for the profile line. */
  readonly file: string;
  /** File with the bytes, uncompressed. */
  readonly path: string;
  /** Present when the gzip is truncated, so that only its first part could be unpacked. */
  readonly isCut?: true;
  /** Removes temporary files. */
  dispose(): void;
}

/** An input that is or may be a profile, and cannot be read: locked, damaged, cut off, without permission, no room. */
export class UnreadableInput extends UserError {}

/** The files of one command-line argument. */
interface Expansion {
  readonly paths: readonly string[];
  /** Whether to skip files that are no profiles: true for a folder or a glob. */
  readonly lenient: boolean;
}

/**
 * The files of an argument, in order of name. `-` is standard input.
 * @throws UserError when there is no such file, or the folder or glob holds none
 */
export function expandInput(argument: string): Expansion {
  if (argument === '-') return { paths: ['-'], lenient: false };
  const stat = statSync(argument, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) return { paths: [argument], lenient: false };
  const isFolder = stat !== undefined;
  if (!isFolder && !fg.isDynamicPattern(argument)) {
    throw new UserError('no such file or directory', { where: argument });
  }
  const found = isFolder ? filesIn(argument) : fg.sync(argument, { onlyFiles: true });
  if (found.length === 0) {
    throw new UserError(isFolder ? 'folder without files' : 'no file matches', { where: argument });
  }
  return { paths: found.sort(), lenient: true };
}

/**
 * Files of a folder and of those in it, and what links lead to: a file once, by its own name where it has one there. A
 * link that leads nowhere is among them, and cannot be read.
 */
function filesIn(folder: string): string[] {
  /** Path by real path. */
  const found = new Map<string, string>();
  const links: string[] = [];
  const entered = new Set<string>();
  const enter = (inside: string): void => {
    const real = realpathSync(inside);
    // Links may lead in circles.
    if (entered.has(real)) return;
    entered.add(real);
    const entries = fg.sync('**', { cwd: inside, onlyFiles: false, followSymbolicLinks: false, objectMode: true });
    for (const { path, dirent } of entries) {
      if (dirent.isSymbolicLink()) links.push(join(inside, path));
      else if (dirent.isFile() && !found.has(join(real, path))) found.set(join(real, path), join(inside, path));
    }
  };
  enter(folder);
  // Links to folders may add links.
  for (const link of links) {
    const target = targetOf(link);
    if (target?.isDirectory() === true) enter(link);
    else if (target === null) found.set(link, link);
    else if (target.isFile() && !found.has(realpathSync(link))) found.set(realpathSync(link), link);
  }
  return [...found.values()];
}

/** What a link leads to; null for nothing, for itself, and for what may not be seen. */
function targetOf(link: string): Stats | null {
  try {
    return statSync(link);
  } catch {
    return null;
  }
}

/** The first bytes of a file, by which its format is detected. */
export const readHead = (path: string): Buffer => firstBytes(path, HEAD_BYTES);

export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Makes an input readable by path.
 * @param stdin stream to read instead of standard input, when its first bytes were inspected before
 * @throws UserError when it is empty or a broken gzip
 */
export async function openInput(path: string, stdin: AsyncIterable<Buffer> = process.stdin): Promise<InputFile> {
  if (path === '-') return unpack(path, 'stdin', stdin);
  if (statSync(path).size === 0 && statSync(path).isFile()) throw new UserError('file is empty', { where: path });
  if (!statSync(path).isFile()) return unpack(path, basename(path), createReadStream(path));
  if (!isGzip(readHead(path))) return { name: path, file: basename(path), path, dispose: () => undefined };
  return unpack(path, basename(path), createReadStream(path));
}

/** Temporary folders in use, removed at the latest when the process exits. */
const temporaryFolders = new Set<string>();

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-'));
  if (temporaryFolders.size === 0) process.on('exit', removeFolders);
  temporaryFolders.add(folder);
  return folder;
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  temporaryFolders.delete(folder);
  if (temporaryFolders.size === 0) process.off('exit', removeFolders);
}

function removeFolders(): void {
  for (const folder of temporaryFolders) removeFolder(folder);
}

/** Copies a stream into a temporary file, inflating gzip. */
async function unpack(name: string, file: string, stream: AsyncIterable<Buffer>): Promise<InputFile> {
  const folder = temporaryFolder();
  const dispose = (): void => removeFolder(folder);
  try {
    const raw = join(folder, 'input');
    await pipeline(stream, createWriteStream(raw));
    const head = readHead(raw);
    if (head.length === 0) throw new UserError('input is empty', { where: name });
    if (!isGzip(head)) return { name, file, path: raw, dispose };
    const plain = join(folder, 'plain');
    const isWhole = await gunzip(raw, plain);
    rmSync(raw);
    return { name, file: file.replace(/\.gz$/, ''), path: plain, dispose, ...(isWhole ? undefined : { isCut: true }) };
  } catch (error) {
    dispose();
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new UnreadableInput(`gzip is broken: ${error.message}`, { where: name, hint: 'copy it again' });
    }
    throw error;
  }
}

/**
 * Inflates gzip. Of a truncated file the part that inflates is kept if it is JSON: a trace's reader reads and reports
 * it. No other format can be read in part.
 * @returns whether the file is complete
 * @throws Error of zlib when it is damaged, or truncated and no JSON
 */
async function gunzip(from: string, to: string): Promise<boolean> {
  try {
    await pipeline(createReadStream(from), createGunzip(), createWriteStream(to));
    return true;
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (!isCut) throw error;
    // Output inflated before the error may not have been written: inflate again, accepting the truncation.
    await pipeline(
      createReadStream(from),
      createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
      createWriteStream(to),
    );
    if (!/^\s*[{[]/.test(readHead(to).toString('latin1'))) throw error;
    return false;
  }
}

/** How launchers write a rank into a file name; the first that matches counts. */
const RANK_IN_NAME: readonly RegExp[] = [/rank[._-]?(\d{1,6})(?!\d)/i, /_r(\d{1,6})(?![a-z0-9])/i, /\.(\d{1,6})\./];

/** The rank in a file name: `rank_3`, `_r3`, `.3.`; null when there is none. */
export function rankOf(file: string): number | null {
  for (const pattern of RANK_IN_NAME) {
    const rank = pattern.exec(file)?.[1];
    if (rank !== undefined) return Number(rank);
  }
  return null;
}
