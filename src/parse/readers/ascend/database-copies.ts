/** Databases of one run: the framework's profiler copies the rows of msprof's database, which may still exist. */
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../record/errors.js';
import { namesIn } from '../../files.js';
import { ASCEND_DATABASE, ASCEND_OUTPUT, MSPROF } from './ascend-files.js';
import type { Probe } from '../../reader.js';
import { SqliteFile } from '../../sqlite/sqlite.js';

/** Whether the rows of msprof's database are contained in one of the framework's profiler. */
export function isCopied({ database, folder }: Probe): boolean {
  if (database === null || folder === null || database.has('PYTORCH_API')) return false;
  const session = sessionOf(database);
  return [...databasesIn(folder), ...databasesOfRun(folder)].some((path) => hasSession(path, session));
}

/** `X_ascend_pt/PROF_…/msprof_….db` is half of what is in `X_ascend_pt/ASCEND_PROFILER_OUTPUT`. */
function databasesOfRun(folder: string): string[] {
  const parts = [folder, dirname(folder)].find((place) => basename(place).startsWith('PROF_'));
  return parts === undefined ? [] : databasesIn(join(dirname(parts), ASCEND_OUTPUT));
}

/** Whether a folder has a readable database of the profiler, or is that of msprof's text with its database beside it. */
export const hasDatabase = (folder: string): boolean =>
  databasesIn(folder).some((path) => hasSession(path, null)) ||
  (basename(folder) === MSPROF.output &&
    namesIn(dirname(folder), MSPROF.database).some((name) => hasSession(join(dirname(folder), name), null, 'TASK')));

const databasesIn = (folder: string): string[] => namesIn(folder, ASCEND_DATABASE).map((name) => join(folder, name));

const sessionOf = (database: SqliteFile): string | null => database.minimum('SESSION_TIME_INFO', 'startTimeNs');

/** Whether a database is readable, has a table and belongs to a session; an unknown session matches any. */
function hasSession(path: string, session: string | null, table = 'PYTORCH_API'): boolean {
  let database: SqliteFile;
  try {
    database = SqliteFile.open(path);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
  try {
    const own = sessionOf(database);
    return database.has(table) && (session === null || own === null || own === session);
  } finally {
    database.close();
  }
}
