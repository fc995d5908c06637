/** Standard output when it is a file: written by its file descriptor. Also detects when it is closed. */
import { closeSync, constants, fstatSync, lstatSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isSystemError, UserError } from '../../record/errors.js';

/** A stream that replaces standard output may have no file descriptor. */
interface Stdout {
  readonly fd?: number;
  readonly isTTY?: boolean;
}

/** The file descriptor of standard output, once it is used for writing; null before. */
let written: number | null = null;

/**
 * The file descriptor of standard output when it is a file or a device. Node's stream passes each piece to a file once,
 * and loses the part that does not fit on a full disk. For a pipe or a terminal, Node's stream is complete.
 * @returns null for a pipe or a terminal
 * @throws UserError when it is closed
 */
export function stdoutFile({ fd, isTTY }: Stdout = process.stdout): number | null {
  if (fd === undefined || isTTY === true) return null;
  if (isClosed()) throw new UserError('cannot write: it is closed', { where: 'stdout' });
  const stat = fstatSync(fd);
  if (stat.isFIFO() || stat.isSocket()) return null;
  return (written = fd);
}

/** Closes a file that was written; network file systems may report a full disk only then. */
export function closeStdout(): void {
  if (written !== null && fstatSync(written).isFile()) closeSync(written);
  written = null;
}

/**
 * Names of shells. They open /dev/null only for writing, while programs that start other programs without output open
 * it for reading too.
 */
const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'busybox', 'csh', 'dash', 'fish', 'ksh', 'ksh93', 'mksh', 'sh', 'tcsh', 'zsh']); // prettier-ignore

/**
 * Whether standard output was closed (`>&-`) when the program began. Node then opens /dev/null for reading and writing.
 * The parent process shows whether this /dev/null was inherited. It was not if the parent has no standard output, or is
 * a shell with a different one. Tested on Linux only.
 */
function isClosed(): boolean {
  if (stdoutOf('self') !== 'null') return false;
  const parent = stdoutOf(process.ppid);
  return parent === 'none' || (parent === 'other' && isShell(process.ppid));
}

/**
 * State of a process's standard output: /dev/null opened for reading and writing, another file, or closed; null when
 * unknown.
 */
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
