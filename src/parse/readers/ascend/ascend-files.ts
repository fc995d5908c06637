/**
 * Names of the files that Ascend's profilers write, the sidecar files of an input, and the databases of one run. The
 * framework's profiler copies the rows of msprof's database, which may still exist.
 */
import { join, basename, dirname } from 'node:path';
import { namesIn, pathsIn } from '../../files.js';
import { UserError } from '../../../record/errors.js';
import type { Probe } from '../../reader.js';
import { SqliteFile } from '../../sqlite/sqlite.js';

/** Files with the Ascend profiler's tables. */
export const ASCEND_FILES = {
  trace: 'trace_view.json',
  details: 'kernel_details.csv',
  cache: 'l2_cache.csv',
  steps: 'step_trace_time.csv',
  communication: 'communication.json',
  allocators: 'memory_record.csv',
  operators: 'operator_memory.csv',
  modules: 'npu_module_mem.csv',
} as const;

/**
 * The Ascend profiler's databases, the folder that contains them, and the file of its settings in that folder or its
 * parent.
 */
export const ASCEND_DATABASE = /^ascend_pytorch_profiler(_\d+)?\.db$/;
export const ASCEND_OUTPUT = 'ASCEND_PROFILER_OUTPUT';
export const ASCEND_INFO = /^profiler_info(?:_\d{1,6})?\.json$/;
/** Metadata that the program added to the profile, in the same folders. */
export const ASCEND_METADATA = 'profiler_metadata.json';

/** Output of msprof: a folder with tables and traces, and next to it a database, all with the time in their names. */
export const MSPROF = {
  output: 'mindstudio_profiler_output',
  database: /^msprof_\d+\.db$/,
  trace: /^msprof_(?:slice_\d+_)?\d[\d_]*\.json$/,
  /**
   * Ids of the device and the model may follow the table's name; a table of more than a million rows is split into slices.
   */
  table:
    /^(?<table>(?:op_summary|task_time|l2_cache|memory_record|operator_memory|npu_module_mem)(?:_\d+)*?)(?:_slice_(?<slice>\d{1,6}))?_(?<time>\d+)\.csv$/,
  summary: /^op_summary_\w+\.csv$/,
} as const;

/**
 * Folders of Ascend's raw data. The input is the `info.json` in one of them; the others are next to it, and the framework's
 * folder is one level above.
 */
export const ASCEND_RAW = {
  info: /^info\.json(?:\.\d+)?$/,
  part: /^(?:host|device_\d+)$/,
  framework: 'FRAMEWORK',
} as const;

const NAMES: ReadonlySet<string> = new Set([...Object.values(ASCEND_FILES), ASCEND_METADATA]);

/** Files read along with an input, by their folder relative to that of the input. */
const SIDECARS: readonly (readonly [place: string, isRead: (name: string) => boolean])[] = [
  ['.', (name) => [ASCEND_DATABASE, ASCEND_INFO, MSPROF.table].some((names) => names.test(name)) || NAMES.has(name)],
  ['..', (name) => [ASCEND_INFO, MSPROF.database].some((names) => names.test(name)) || name === ASCEND_METADATA],
  [join('..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
  [join('..', '..', ASCEND_OUTPUT), (name) => ASCEND_DATABASE.test(name)],
];

/** Files that are read along with databases and text. */
export const ascendSidecars = (folder: string): string[] =>
  SIDECARS.flatMap(([place, isRead]) => pathsIn(join(folder, place), isRead));

/** Files that are read along with raw data. */
export function rawSidecars(folder: string): string[] {
  if (namesIn(folder, ASCEND_RAW.info).length === 0) return [];
  const parts = namesIn(join(folder, '..'), ASCEND_RAW.part).map((part) => join(folder, '..', part));
  const places = parts.flatMap((part) => [part, join(part, 'data')]);
  return [...places, join(folder, '..', '..', ASCEND_RAW.framework)].flatMap((place) => pathsIn(place));
}

/** Whether the rows of msprof's database are also in a database of the framework's profiler. */
export function isCopied({ database, folder }: Probe): boolean {
  if (database === null || folder === null || database.has('PYTORCH_API')) return false;
  const session = sessionOf(database);
  return [...databasesIn(folder), ...databasesOfRun(folder)].some((path) => hasSession(path, session));
}

/**
 * Databases of the framework's profiler for the same run: `X_ascend_pt/PROF_…/msprof_….db` has only part of the data in
 * `X_ascend_pt/ASCEND_PROFILER_OUTPUT`.
 */
function databasesOfRun(folder: string): string[] {
  const parts = [folder, dirname(folder)].find((place) => basename(place).startsWith('PROF_'));
  return parts === undefined ? [] : databasesIn(join(dirname(parts), ASCEND_OUTPUT));
}

/**
 * Whether a folder contains a readable database of the profiler, or is the text folder of msprof with a database next to
 * it.
 */
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
    const databaseSession = sessionOf(database);
    return database.has(table) && (session === null || databaseSession === null || databaseSession === session);
  } finally {
    database.close();
  }
}
