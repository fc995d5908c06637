/**
 * Opens databases with a write-ahead log. SQLite writes files next to such a database even when it only reads, so a
 * private copy is read: nothing is written next to the input, whose folder may be read-only. Memory: one piece of the
 * file.
 *
 * The copy has no name while it is filled. Its log has a name until SQLite has opened it. On systems that cannot remove
 * open files, they are removed when the database is closed. Source: SQLite documentation, "Database File Format"
 * (1.3.3, 4) and "Write-Ahead Logging".
 */
import type Database from 'better-sqlite3';
import { closeSync, existsSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../record/errors.js';
import { isFile, writeFully } from '../files.js';
import { appendTo, foldersRemovedAtEnd, inTemporaryFolder, temporaryFolder } from '../input/temporary-file.js';
import { openDatabase } from './sqlite-library.js';

/** Offset of the write and read versions in the header, and their valid values. */
const VERSIONS_AT = 18;
const VERSION = { rollback: 1, wal: 2 } as const;

/** An open database; `remove` removes the rest of a copy from the temporary folder. */
export interface OpenedDatabase {
  readonly database: Database.Database;
  readonly remove: () => void;
}

/** Whether a database has a log that is not empty and may hold its last changes. */
export const hasFilledLog = (path: string): boolean => isFile(`${path}-wal`) && statSync(`${path}-wal`).size > 0;

/**
 * Whether SQLite would use a log.
 * @param header the first bytes of the database
 */
export const usesLog = (header: Buffer, path: string): boolean =>
  header[VERSIONS_AT] === VERSION.wal || header[VERSIONS_AT + 1] === VERSION.wal || existsSync(`${path}-wal`);

/**
 * Copies a database and its log, if that has any content.
 * @param path without symbolic links: the log is next to the file itself
 * @throws UserError when there is no room for the copy, or the database is written meanwhile
 */
export function openCopy(path: string): OpenedDatabase {
  const hasLog = hasFilledLog(path);
  let folder = '';
  const remove = (): void => {
    if (folder !== '') removeUnopened(folder);
    release();
  };
  // First, because a signal may end the process as soon as the folder exists.
  const release = foldersRemovedAtEnd(remove);
  let database: Database.Database | null = null;
  try {
    folder = temporaryFolder(path);
    const before = statSync(path, { bigint: true });
    const copy = join(folder, 'copy');
    const target = inTemporaryFolder(path, () => openSync(copy, 'wx+', 0o600));
    try {
      database = openDatabase(copy);
      removeUnopened(hasLog ? copy : folder);
      copyBytes(path, target, path);
      inTemporaryFolder(path, () => {
        ftruncateSync(target, Number(before.size));
        if (!hasLog) writeFully(target, Buffer.from([VERSION.rollback, VERSION.rollback]), VERSIONS_AT);
      });
    } finally {
      closeSync(target);
    }
    if (hasLog) copyLog(path, copy);
    const after = statSync(path, { bigint: true });
    if (after.mtimeNs !== before.mtimeNs || after.size !== before.size) throw isBeingWritten(path);
    return { database, remove };
  } catch (error) {
    database?.close();
    remove();
    throw error;
  }
}

function copyLog(path: string, copy: string): void {
  const target = inTemporaryFolder(path, () => openSync(`${copy}-wal`, 'wx+', 0o600));
  try {
    copyBytes(`${path}-wal`, target, path);
  } finally {
    closeSync(target);
  }
  // SQLite looks up the permissions of the database by its name before it opens the log.
  if (!existsSync(copy)) inTemporaryFolder(path, () => writeFileSync(copy, ''));
}

const PIECE = 1024 * 1024;

/**
 * Copies bytes into an open file.
 * @param input name of the input in messages
 */
function copyBytes(from: string, target: number, input: string): void {
  const source = openSync(from, 'r');
  try {
    const piece = Buffer.alloc(PIECE);
    for (let read; (read = readSync(source, piece)) > 0;) {
      appendTo(target, piece.subarray(0, read), input);
    }
  } finally {
    closeSync(source);
  }
}

/** Removes a file or folder. Windows refuses to remove what is open. */
function removeUnopened(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (platform() !== 'win32') throw error;
  }
}

const isBeingWritten = (where: string): UserError =>
  new UserError('database is being written by another program', { where, hint: 'close that program or read a copy' });
