/** Tests of SQL, which need DuckDB: a package that users install where they want it. */
import type * as DuckDB from '@duckdb/node-api';
import { loadLibrary } from '../../src/prof/query/sql/duckdb.js';
import { UserError } from '../../src/record/errors.js';

/** Null where the package is not installed. */
async function libraryOrNull(): Promise<typeof DuckDB | null> {
  try {
    return await loadLibrary();
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

export const DUCKDB = await libraryOrNull();

/** Tests that are skipped, and say so, without DuckDB. */
export function describeSql(title: string, body: (this: Mocha.Suite, library: typeof DuckDB) => void): void {
  if (DUCKDB === null) {
    process.stderr.write('tests of SQL are skipped: they need the package @duckdb/node-api\n');
    describe.skip(`${title} (skipped: needs @duckdb/node-api)`, () => undefined);
    return;
  }
  const library = DUCKDB;
  describe(title, function () {
    body.call(this, library);
  });
}
