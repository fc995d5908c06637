/** Files: bytes read by position and written, the first part in search of a text, names in a folder, small JSON. */
import { join } from 'node:path';
import { largest } from '../containers/element.js';
import { UserError, isSystemError, systemReason } from '../record/errors.js';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

/** An input that is or may be a profile, and cannot be read: locked, damaged, cut off, without permission, no room. */
export class UnreadableInput extends UserError {}

/** An input that another file of its folder covers. */
export class RedundantInput extends UserError {}

/** What the system refuses as an error of the input. @throws any other error, which is a defect */
export function asUserError(error: unknown, where: string): UserError {
  if (error instanceof UserError) return error;
  if (!isSystemError(error)) throw error;
  return new UnreadableInput(`cannot be read: ${systemReason(error)}`, { where });
}

/** What such a file is, and what to do with it. */
export const UTF16 = { title: 'text in UTF-16', hint: 'convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE' } as const;

/** By its byte order mark, or by the zero in every other byte of its first characters. */
export const isUtf16 = (head: Uint8Array): boolean =>
  [
    [0xff, 0xfe],
    [0xfe, 0xff],
    [ASCII, 0, ASCII, 0],
    [0, ASCII, 0, ASCII],
  ].some((pattern) => pattern.every((byte, at) => (byte === ASCII ? isAscii(head[at]) : head[at] === byte)));

/** In a pattern of bytes: any printable character, or white space. */
const ASCII = -1;
const isAscii = (byte = 0): boolean => (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13);

/** Texts in UTF-16, which editors and shells of Windows write: none is read, and each is named. */
export class Utf16Input extends UserError {}

/** @throws Utf16Input for a text in UTF-16 */
export function refuseUtf16(head: Uint8Array, where: string): void {
  if (isUtf16(head)) throw new Utf16Input(`is ${UTF16.title}`, { where, hint: UTF16.hint });
}

/** Fills bytes from a position of a file. @returns how many there were */
export function readFully(file: number, into: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const read = readSync(file, into, filled, into.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/**
 * Writes all bytes: a system that has room for a part of them takes that part, and says that it has no room next time.
 * @param position of the first byte; null for where the file stands
 * @throws the system's error for what it does not take
 */
export function writeFully(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let at = 0; at < bytes.length;) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  }
}

/** The first bytes of a file, or all of a smaller one. */
export function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readFully(file, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file; all of a shorter one. */
export function lastBytes(path: string, count: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(count, size));
    return bytes.subarray(0, readFully(file, bytes, size - bytes.length));
  } finally {
    closeSync(file);
  }
}

/** Names in a folder that match, in order; none when it cannot be read. */
export function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Paths of the files of a folder whose names match, in order. */
export const pathsIn = (folder: string, isNamed: (name: string) => boolean = () => true): string[] =>
  namesIn(folder, /^/).flatMap((name) => (isNamed(name) ? [join(folder, name)] : []));

/** The last component of a POSIX or Windows path. */
export const fileNameOf = (path: string): string => path.replace(/^.*[/\\]/s, '');

/** Whether a path leads to a file: reading a pipe that nobody writes to would wait for ever, a device may have no end. */
export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** @throws UserError for a path that leads nowhere */
export function requireThere(paths: readonly (string | undefined)[]): void {
  for (const where of paths)
    if (where !== undefined && !existsSync(where)) throw new UserError('no such file', { where });
}

/**
 * Undefined when the JSON file is larger than the limit in bytes, invalid, no file, or cannot be read.
 * @throws Utf16Input for one in UTF-16
 */
export function readJsonFile(path: string, largest: number): unknown {
  try {
    if (!isFile(path) || statSync(path).size > largest) return undefined;
    const bytes = readFileSync(path);
    refuseUtf16(bytes, path);
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof Utf16Input) throw error;
    return undefined;
  }
}

const PIECE = 1024 * 1024;

/** The first bytes of a file as text, without byte order mark and white space before it. */
export const textStart = (head: Buffer): string =>
  head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();

/**
 * The first part of a file in pieces, each valid until the next one is requested.
 * @param searched bytes of that part
 * @param overlap bytes of a piece that the next one repeats, since a text may cross their border
 */
export function* piecesOf(path: string, searched: number, overlap: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE);
  const file = openSync(path, 'r');
  try {
    let kept = 0;
    for (let read = 0; read < searched;) {
      const n = readSync(file, piece, kept, piece.length - kept, null);
      if (n === 0) return;
      const end = kept + n;
      yield piece.subarray(0, end);
      read += n;
      kept = Math.min(end, overlap);
      piece.copy(piece, 0, end - kept, end);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the first part of a file, of some bytes, holds one of some texts. */
export function headContains(path: string, texts: readonly string[], searched: number): boolean {
  const longest = largest(texts.map((text) => Buffer.byteLength(text)));
  for (const piece of piecesOf(path, searched, longest)) if (texts.some((text) => piece.includes(text))) return true;
  return false;
}

/** What SQLite appends to a database's name. */
const LOGS = ['-wal', '-journal', '-shm'];

/** Paths that may be read with a database: there need not be one of each. */
export const logsOf = (path: string): string[] => LOGS.map((ending) => realpathSync(path) + ending);
