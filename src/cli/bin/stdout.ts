/** Standard output when it is a file: written by its file descriptor. Also detects when it is closed. */
import { closeSync, constants, fstatSync, lstatSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isSystemError, UserError } from '../../record/errors.js';

/** A stream that replaces it may have no file descriptor. */
interface Stdout {
  readonly fd?: number;
  readonly isTTY?: boolean;
}

/** Its file descriptor, once it is written through that; null before. */
let written: number | null = null;

/**
 * The file descriptor of standard output when it is a file or a device. Node's stream passes each piece to a file once, and
 * loses what does not fit on a full disk. A stream that somebody reads, such as a pipe or a terminal, is written
 * completely.
 * @returns null when somebody reads it
 * @throws UserError when it is closed
 */
export function stdoutFile({ fd, isTTY }: Stdout = process.stdout): number | null {
  if (fd === undefined || isTTY === true) return null;
  if (isClosed()) throw new UserError('cannot write: it is closed', { where: 'stdout' });
  const stat = fstatSync(fd);
  if (stat.isFIFO() || stat.isSocket()) return null;
  return (written = fd);
}

/** Closes a file that was written; network file systems may report only then that there was no room. */
export function closeStdout(): void {
  if (written !== null && fstatSync(written).isFile()) closeSync(written);
  written = null;
}

/**
 * Shells, which open /dev/null only for writing. Programs that start other programs without output open it for reading too.
 */
const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'busybox', 'csh', 'dash', 'fish', 'ksh', 'ksh93', 'mksh', 'sh', 'tcsh', 'zsh']); // prettier-ignore

/**
 * Whether standard output was closed (`>&-`) when the program began. Node then opens /dev/null for reading and writing. The
 * parent process shows that this /dev/null was not inherited: it has no standard output, or it is a shell with a different
 * one. Tested on Linux only.
 */
function isClosed(): boolean {
  if (stdoutOf('self') !== 'null') return false;
  const parent = stdoutOf(process.ppid);
  return parent === 'none' || (parent === 'other' && isShell(process.ppid));
}

/** What standard output of a process is: /dev/null for reading and writing, another file, or closed; null when unknown. */
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
