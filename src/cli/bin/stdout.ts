/** Standard output where it is a file: written by its number, and found closed where it is. */
import { closeSync, constants, fstatSync, lstatSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isSystemError, UserError } from '../../record/errors.js';

/** A stream in its place need not have a number. */
interface Stdout {
  readonly fd?: number;
  readonly isTTY?: boolean;
}

/** Its number, once it is to be written by that. */
let written: number | null = null;

/**
 * The number of standard output where it is a file or a device: Node's stream hands each piece to a file once, and loses
 * what a full disk did not take of it. To what has a reader, as a pipe or a terminal, the stream writes all of it.
 * @returns null for what has a reader
 * @throws UserError where it is closed
 */
export function stdoutFile({ fd, isTTY }: Stdout = process.stdout): number | null {
  if (fd === undefined || isTTY === true) return null;
  if (isClosed()) throw new UserError('cannot write: it is closed', { where: 'stdout' });
  const stat = fstatSync(fd);
  if (stat.isFIFO() || stat.isSocket()) return null;
  return (written = fd);
}

/** Closes a file that was written: network file systems may say only then that there was no room. */
export function closeStdout(): void {
  if (written !== null && fstatSync(written).isFile()) closeSync(written);
  written = null;
}

/** Shells, which open /dev/null only for writing: programs that start others without output open it for reading as well. */
const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'busybox', 'csh', 'dash', 'fish', 'ksh', 'ksh93', 'mksh', 'sh', 'tcsh', 'zsh']); // prettier-ignore

/**
 * Whether standard output was closed (`>&-`) when the program began. Node opens /dev/null in its place, for reading and
 * writing. That it has not inherited that shows in its parent: one without standard output, or a shell with another one.
 * Seen on Linux only.
 */
function isClosed(): boolean {
  if (stdoutOf('self') !== 'null') return false;
  const parent = stdoutOf(process.ppid);
  return parent === 'none' || (parent === 'other' && isShell(process.ppid));
}

/** What standard output of a process is: /dev/null for reading and writing, another file, closed; null for unknown. */
function stdoutOf(id: number | 'self'): 'null' | 'other' | 'none' | null {
  const path = `/proc/${id}/fd/1`;
  try {
    const isNull = readlinkSync(path) === '/dev/null' && (lstatSync(path).mode & constants.S_IRUSR) !== 0;
    return isNull ? 'null' : 'other';
  } catch (error) {
    return isSystemError(error) && error.code === 'ENOENT' && isSeen(id) ? 'none' : null;
  }
}

function isSeen(id: number | 'self'): boolean {
  try {
    return lstatSync(`/proc/${id}/fd`).isDirectory();
  } catch {
    return false;
  }
}

function isShell(id: number): boolean {
  try {
    return SHELLS.has(basename(readlinkSync(`/proc/${id}/exe`)));
  } catch {
    return false;
  }
}
