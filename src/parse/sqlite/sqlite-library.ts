/** The database library, loaded for the first database: traces and records need none. */
import type Database from 'better-sqlite3';
import { lateLibrary } from '../../containers/late-library.js';

const library = lateLibrary<typeof Database>('better-sqlite3');

/**
 * Opens a database that is only read.
 * @param timeout ms to wait for another program that has locked it; the library's 5 s when not given
 * @throws SqliteError when it cannot be opened
 */
export function openDatabase(path: string, timeout?: number): Database.Database {
  const Library = library();
  return new Library(path, { readonly: true, fileMustExist: true, ...(timeout === undefined ? {} : { timeout }) });
}

export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof library().SqliteError;
