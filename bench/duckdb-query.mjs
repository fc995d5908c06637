/**
 * One query of DuckDB over files, without dprof: `node bench/duckdb-query.mjs 'SELECT …'`. Prints a row a line.
 */
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
for (const row of (await connection.runAndReadAll(process.argv[2])).getRowsJson()) {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
