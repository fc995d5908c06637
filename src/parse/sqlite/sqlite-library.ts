/** The database library, loaded for the first database: traces and records need none. */
import type Database from 'better-sqlite3';
import { lateLibrary } from '../../containers/late-library.js';
import { UserError } from '../../record/errors.js';

const library = lateLibrary<typeof Database>('better-sqlite3');

/** Versions of Node by the number of their binary interface. Source: nodejs/node, doc/abi_version_registry.json. */
const NODE_OF_MODULES: Readonly<Record<string, string>> = { 115: '20', 127: '22', 131: '23', 137: '24', 141: '25' };
const nodeOf = (modules = ''): string => NODE_OF_MODULES[modules] ?? `of NODE_MODULE_VERSION ${modules}`;

/**
 * What keeps the library's binary from being loaded.
 * @param error what opening the first database threw
 * @returns the error as it is, where it is another
 */
export function asLoadError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isMissing = error.message.startsWith('Could not locate the bindings file');
  const [built, own] = Array.from(error.message.matchAll(/NODE_MODULE_VERSION (\d+)/g), ([, version]) => version);
  const isRefused = 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
  if (!isMissing && !isRefused) return error;
  const [reason = ''] = error.message.split('\n', 1);
  const why =
    built === undefined
      ? isMissing
        ? 'has no binary for this machine'
        : `cannot be loaded: ${reason}`
      : `is built for Node ${nodeOf(built)}, and this is Node ${nodeOf(own)}`;
  return new UserError(`better-sqlite3, which reads databases, ${why}`, { hint: 'npm rebuild better-sqlite3' });
}

/**
 * Opens a database that is only read.
 * @param timeout ms to wait for another program that has locked it; the library's 5 s when not given
 * @throws SqliteError when it cannot be opened, UserError where the library's binary cannot be loaded
 */
export function openDatabase(path: string, timeout?: number): Database.Database {
  const Library = library();
  try {
    return new Library(path, { readonly: true, fileMustExist: true, ...(timeout === undefined ? {} : { timeout }) });
  } catch (error) {
    throw asLoadError(error);
  }
}

export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof library().SqliteError;
