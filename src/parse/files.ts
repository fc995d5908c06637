/**
 * File access: bytes read and written by position, a search in the first part of a file, names in a folder, small JSON, the
 * limits of a container.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { largest, least } from '../containers/element.js';
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

/** An input that is or may be a profile but cannot be read: locked, damaged, cut off, without permission, no room. */
export class UnreadableInput extends UserError {}

/** An input that is covered by another file of its folder. */
export class RedundantInput extends UserError {
  /** @param same name of the file that has the same run, where a user may have meant this one */
  constructor(
    where: string,
    readonly same: string | null,
  ) {
    super('is redundant: another file covers this capture', { where });
  }
}

/** Turns an error of the operating system into an error of the input. @throws any other error, which is a defect */
export function asUserError(error: unknown, where: string): UserError {
  if (error instanceof UserError) return error;
  if (!isSystemError(error)) throw error;
  return new UnreadableInput(`cannot be read: ${systemReason(error)}`, { where });
}

/** Name of this kind of file in messages, and what to do with it. */
export const UTF16 = { title: 'text in UTF-16', hint: 'convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE' } as const;

/** Whether a string is UTF-16: it has a byte order mark, or a zero in every other byte of its first characters. */
export const isUtf16 = (head: Uint8Array): boolean =>
  [
    [0xff, 0xfe],
    [0xfe, 0xff],
    [ASCII, 0, ASCII, 0],
    [0, ASCII, 0, ASCII],
  ].some((pattern) => pattern.every((byte, at) => (byte === ASCII ? isAscii(head[at]) : head[at] === byte)));

/** Stands for any printable character or white space in a pattern of bytes. */
const ASCII = -1;
const isAscii = (byte = 0): boolean => (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13);

/** Text in UTF-16, which Windows editors and shells write. It is not read; a message names it. */
export class Utf16Input extends UserError {}

/**
 * Rejects text in UTF-16.
 * @throws Utf16Input
 */
export function refuseUtf16(head: Uint8Array, where: string): void {
  if (isUtf16(head)) throw new Utf16Input(`is ${UTF16.title}`, { where, hint: UTF16.hint });
}

/**
 * Fills a buffer with bytes from a position of a file.
 * @returns number of bytes read
 */
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
 * Writes all bytes. If the disk has room for only some of them, one call writes those and the next call fails.
 * @param position position of the first byte; null for the current position
 * @throws the system's error when it cannot write the rest
 */
export function writeFully(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let at = 0; at < bytes.length;) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  }
}

/** The first bytes of a file, or the whole file if it is smaller. */
export function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readFully(file, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a file, or the whole file if it is smaller. */
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

/** Matching names in a folder, sorted; none when the folder cannot be read. */
export function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Paths of the files in a folder whose names match, sorted. */
export const pathsIn = (folder: string, isNamed: (name: string) => boolean = () => true): string[] =>
  namesIn(folder, /^/).flatMap((name) => (isNamed(name) ? [join(folder, name)] : []));

/** The last component of a POSIX or Windows path. */
export const fileNameOf = (path: string): string => path.replace(/^.*[/\\]/s, '');

const BLOCK = 1 << 20;

/** Whether two paths lead to one file, or to files with the same bytes. False for anything but regular files. */
export function haveSameBytes(a: string, b: string): boolean {
  if (!isFile(a) || !isFile(b)) return false;
  if (realpathSync(a) === realpathSync(b)) return true;
  const { size } = statSync(a);
  if (statSync(b).size !== size) return false;
  const first = openSync(a, 'r');
  try {
    const second = openSync(b, 'r');
    try {
      return areEqual(first, second, size);
    } finally {
      closeSync(second);
    }
  } finally {
    closeSync(first);
  }
}

/** Whether two open files of the same size in bytes have the same bytes. */
function areEqual(first: number, second: number, size: number): boolean {
  const [left, right] = [Buffer.allocUnsafe(BLOCK), Buffer.allocUnsafe(BLOCK)];
  for (let at = 0; at < size; at += BLOCK) {
    const length = readFully(first, left, at);
    if (readFully(second, right, at) !== length || left.compare(right, 0, length, 0, length) !== 0) return false;
  }
  return true;
}

/**
 * Whether a path leads to a regular file. Reading a pipe without a writer would wait forever, and a device may have no end.
 */
export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/**
 * Checks that paths exist.
 * @throws UserError for a path that does not exist
 */
export function requireThere(paths: readonly (string | undefined)[]): void {
  for (const where of paths)
    if (where !== undefined && !existsSync(where)) throw new UserError('no such file', { where });
}

/**
 * Reads a JSON file; undefined when it is larger than the limit in bytes, invalid, not a file, or cannot be read.
 * @throws Utf16Input for a file in UTF-16
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

/** The first bytes of a file as text, without byte order mark and leading white space. */
export const textStart = (head: Buffer): string =>
  head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();

/**
 * The first part of a file in pieces, each valid until the next one is requested.
 * @param searched size of that part in bytes
 * @param overlap how many bytes of a piece are repeated in the next one, because a string may cross the boundary
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

/** Whether one of some strings is in the first part of a file. */
export function headContains(path: string, texts: readonly string[], searched: number): boolean {
  const longest = largest(texts.map((text) => Buffer.byteLength(text)));
  for (const piece of piecesOf(path, searched, longest)) if (texts.some((text) => piece.includes(text))) return true;
  return false;
}

/** Endings that SQLite appends to a database's name. */
const LOGS = ['-wal', '-journal', '-shm'];

/** Paths of files that may be read along with a database; they need not exist. */
export const logsOf = (path: string): string[] => LOGS.map((ending) => realpathSync(path) + ending);

/** Files with the time in us that a container may use its cores in each period, and the period: Linux, cgroups 2 and 1. */
const QUOTA_FILES = [
  ['/sys/fs/cgroup/cpu.max'],
  ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'],
];

/** Cores in the words of these files: `200000 100000` are two; Infinity for `max` or -1, which set no limit. */
export function coresOfQuota(text: string): number {
  const [quota = NaN, period = NaN] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : Infinity;
}

/** Number of cores that this process may use: at most those of the machine, and fewer where a container limits them. */
export function usableCores(): number {
  const quotas = QUOTA_FILES.filter((paths) => paths.every((path) => existsSync(path))).map((paths) =>
    coresOfQuota(paths.map((path) => readFileSync(path, 'utf8')).join(' ')),
  );
  return Math.max(1, Math.floor(Math.min(availableParallelism(), least(quotas))));
}
