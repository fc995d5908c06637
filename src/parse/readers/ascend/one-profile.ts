/**
 * Databases of one run: the framework's profiler moves the rows of msprof's database into one of its own, and the
 * other may still stand beside it.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../record/errors.js';
import type { Probe } from '../../reader.js';
import { SqliteFile } from '../../sqlite/sqlite.js';

const OUTPUT = 'ASCEND_PROFILER_OUTPUT';
const DATABASE = /^ascend_pytorch_profiler(_\d+)?\.db$/;

/** Whether the rows of a database without the framework's stand in another, with them. */
export function isMoved({ database, folder }: Probe): boolean {
  if (database === null || folder === null || database.has('PYTORCH_API')) return false;
  const session = sessionOf(database);
  return [...databasesIn(folder), ...databasesOfRun(folder)].some((path) => hasSession(path, session));
}

/** `X_ascend_pt/PROF_…/msprof_….db` is half of what is in `X_ascend_pt/ASCEND_PROFILER_OUTPUT`. */
function databasesOfRun(folder: string): string[] {
  const parts = [folder, dirname(folder)].find((place) => basename(place).startsWith('PROF_'));
  return parts === undefined ? [] : databasesIn(join(dirname(parts), OUTPUT));
}

/** Whether a folder holds a database of the profiler that can be read. */
export const hasDatabase = (folder: string): boolean => databasesIn(folder).some((path) => hasSession(path, null));

function databasesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => DATABASE.test(name)).map((name) => join(folder, name)); // prettier-ignore
  } catch {
    return [];
  }
}

const sessionOf = (database: SqliteFile): string | null => database.minimum('SESSION_TIME_INFO', 'startTimeNs');

/** Whether a database can be read and is of a session; where that is not told, of any. */
function hasSession(path: string, session: string | null): boolean {
  let database: SqliteFile;
  try {
    database = SqliteFile.open(path);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
  try {
    const own = sessionOf(database);
    return database.has('PYTORCH_API') && (session === null || own === null || own === session);
  } finally {
    database.close();
  }
}
