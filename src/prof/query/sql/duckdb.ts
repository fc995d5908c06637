/**
 * The database of a query: in memory, and locked. It reads and writes no files except those in a temporary folder for data
 * that does not fit into memory; it loads no extensions, and its settings cannot be changed.
 */
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import { UserError, EXIT } from '../../../record/errors.js';
import { optionalLibrary } from '../../../record/optional-library.js';

type Library = typeof DuckDB;

/** How to install it so that `dprof` finds it. */
export const INSTALL = 'npm install @duckdb/node-api, with -g where dprof-cli was installed with it';

/** Memory of the database; the rest goes to the temporary folder. */
export const DATABASE_MEMORY_MB = 512;

/** Maximum memory of a query: DuckDB's own limit does not include what its functions make from one row. */
export const QUERY_MEMORY_MB = 900;

export interface Database {
  readonly library: Library;
  readonly connection: DuckDBConnection;
  readonly close: () => void;
}

/** @throws UserError when DuckDB is not installed, or not available for this machine */
export const loadLibrary = (load: () => Promise<Library> = () => import('@duckdb/node-api')): Promise<Library> =>
  optionalLibrary(load, 'dprof sql needs DuckDB', INSTALL);

/** @param folder a temporary folder for this run only */
export async function openDatabase(library: Library, folder: string): Promise<Database> {
  const instance = await library.DuckDBInstance.create(':memory:', {
    memory_limit: `${DATABASE_MEMORY_MB}MB`,
    temp_directory: folder,
    // With several threads, sums of fractions and the order of rows would not be deterministic.
    threads: '1',
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  const connection = await instance.connect();
  // The columns that a query reads are determined with empty tables; these optimizers would then remove all reads.
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

/** Errors that are not the query's fault. */
const OF_MACHINE = /^(?:Out of Memory|IO|Interrupt) Error/;

/** Lines of a message with suggestions. */
const HINT = /^(?:Candidate|Did you mean|HINT)/;

/**
 * Converts DuckDB's message to an error of one line: what is wrong, and a suggestion if there is one.
 * @param wrongQuery exit code for errors in the query
 */
export function asSqlError(error: unknown, wrongQuery: number = EXIT.usage): UserError {
  if (error instanceof UserError) return error;
  const [text = ''] = messageOf(error).split('\nLINE ', 1);
  const exitCode = OF_MACHINE.test(text) ? EXIT.failed : wrongQuery;
  const [what = '', ...others] = text.split('\n').filter((line) => line.trim() !== '');
  const hint = others.filter((line) => HINT.test(line)).join(' ');
  return new UserError(what.trim(), { where: 'SQL', exitCode, ...(hint === '' ? {} : { hint }) });
}
