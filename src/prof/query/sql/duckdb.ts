/**
 * The database of one query: in memory, locked. It reads and writes no file but those in a temporary folder that it is
 * given for what does not fit into memory; it loads nothing, and its settings cannot be changed.
 */
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import { UserError, EXIT } from '../../../record/errors.js';

type Library = typeof DuckDB;

/** How to install it, where `dprof` looks for it. */
export const INSTALL = 'npm install @duckdb/node-api, with -g where dprof-cli was installed with it';

/** Memory of the database: what does not fit goes into the temporary folder. */
export const DATABASE_MEMORY_MB = 512;

/** Memory that a query takes at most: DuckDB's own limit does not hold for what its functions make of one row. */
export const QUERY_MEMORY_MB = 900;

export interface Database {
  readonly library: Library;
  readonly connection: DuckDBConnection;
  readonly close: () => void;
}

/** @throws UserError when DuckDB is not installed, or not for this machine */
export async function loadLibrary(load: () => Promise<Library> = () => import('@duckdb/node-api')): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const reason = isMissing ? 'is not installed' : `cannot be loaded: ${messageOf(error)}`;
    throw new UserError(`dprof sql needs DuckDB, which ${reason}`, {
      hint: INSTALL,
    });
  }
}

/** @param folder a temporary folder of this run alone */
export async function openDatabase(library: Library, folder: string): Promise<Database> {
  const instance = await library.DuckDBInstance.create(':memory:', {
    memory_limit: `${DATABASE_MEMORY_MB}MB`,
    temp_directory: folder,
    // With several, sums of fractions and the order of rows would depend on chance.
    threads: '1',
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  const connection = await instance.connect();
  // What a query reads is asked while the tables are empty, which must not make it read nothing.
  await connection.run("SET disabled_optimizers = 'statistics_propagation,empty_result_pullup'");
  await connection.run('SET lock_configuration = true');
  return {
    library,
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the query cannot be blamed for. */
const OF_MACHINE = /^(?:Out of Memory|IO|Interrupt) Error/;

/** Lines of a message that say what may have been meant. */
const HINT = /^(?:Candidate|Did you mean|HINT)/;

/**
 * DuckDB's message as an error of one line: what is wrong, and what may have been meant.
 * @param wrongQuery exit code where the query is to be blamed
 */
export function asSqlError(error: unknown, wrongQuery: number = EXIT.usage): UserError {
  if (error instanceof UserError) return error;
  const [text = ''] = messageOf(error).split('\nLINE ', 1);
  const exitCode = OF_MACHINE.test(text) ? EXIT.failed : wrongQuery;
  const [what = '', ...others] = text.split('\n').filter((line) => line.trim() !== '');
  const hint = others.filter((line) => HINT.test(line)).join(' ');
  return new UserError(what.trim(), { where: 'SQL', exitCode, ...(hint === '' ? {} : { hint }) });
}
