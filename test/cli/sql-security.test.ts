/**
 * What a query of `dprof sql` may reach: the records that it was given. The statement is checked before the database sees
 * it, and the database is locked besides: each holds alone.
 */
import { expect } from 'chai';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/prof/query/sql/duckdb.js';
import { describeSql } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli, spawnCli } from '../support/run-cli.js';
import { describeWithProcess, itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

const LENET = join(ROOT, 'samples/lenet.nsys.sqlite');
const SECRET = 'do-not-show-this';

describeWithProcess('memory of a query of dprof sql', () => {
  it('is bounded for what a function makes of one row, and nothing is left behind', async () => {
    const TMPDIR = freshPath('-temporary');
    mkdirSync(TMPDIR);
    const ran = await spawnCli('dprof', ['sql', 'SELECT range(2000000000)', LENET], {
      env: { TMPDIR, TSX_DISABLE_CACHE: '1' },
    });
    expect(ran).to.include({ signal: 'SIGKILL', stdout: '' });
    expect(ran.stderr).to.match(/^dprof: SQL: the query takes more than 900 MB of memory \([^\n]*\)\n$/);
    expect(readdirSync(TMPDIR)).to.deep.equal([]);
  });
});

/** A folder with a file of each kind that a query may try to read. */
function folderOfFiles(): string {
  const folder = freshPath('-secrets');
  mkdirSync(folder);
  for (const name of ['a.csv', 'a.json', 'a.txt', 'a.parquet', 'a.duckdb_extension', 'schema.sql']) {
    writeFileSync(join(folder, name), `{"a": "${SECRET}"}\n`);
  }
  return folder;
}

/** Statements that write, load, change settings or read something else. @param at path of a file in the folder */
const HOSTILE: readonly ((at: (name: string) => string) => string)[] = [
  (at) => `COPY kernel TO '${at('out.csv')}'`,
  (at) => `COPY (SELECT 1) TO '${at('out.parquet')}' (FORMAT parquet)`,
  (at) => `COPY kernel FROM '${at('a.csv')}'`,
  (at) => `EXPLAIN ANALYZE COPY kernel TO '${at('out.csv')}'`,
  (at) => `EXPORT DATABASE '${at('out')}'`,
  (at) => `IMPORT DATABASE '${at('.')}'`,
  (at) => `ATTACH '${at('out.db')}'`,
  (at) => `ATTACH '${at('out.db')}' AS x (TYPE sqlite)`,
  () => `INSTALL httpfs`,
  () => `FORCE INSTALL spatial FROM community`,
  () => `LOAD httpfs`,
  (at) => `LOAD '${at('a.duckdb_extension')}'`,
  () => `UPDATE EXTENSIONS`,
  (at) => `SELECT * FROM '${at('a.csv')}'`,
  (at) => `SELECT * FROM '${at('*')}'`,
  (at) => `SELECT * FROM read_csv('${at('a.csv')}')`,
  (at) => `SELECT * FROM read_csv_auto('${at('a.csv')}')`,
  (at) => `SELECT * FROM sniff_csv('${at('a.csv')}')`,
  (at) => `SELECT * FROM read_json('${at('a.json')}')`,
  (at) => `SELECT * FROM read_ndjson_objects('${at('a.json')}')`,
  (at) => `SELECT * FROM read_text('${at('a.txt')}')`,
  (at) => `SELECT * FROM read_blob('${at('a.txt')}')`,
  (at) => `SELECT * FROM read_parquet('${at('a.parquet')}')`,
  (at) => `SELECT * FROM parquet_metadata('${at('a.parquet')}')`,
  (at) => `SELECT * FROM glob('${at('*')}')`,
  (at) => `SELECT * FROM query('SELECT * FROM read_text(''${at('a.txt')}'')')`,
  (at) => `SELECT (SELECT content FROM read_text('${at('a.txt')}')) AS x, op FROM kernel`,
  (at) => `WITH x AS MATERIALIZED (FROM read_text('${at('a.txt')}')) SELECT * FROM x`,
  (at) => `PRAGMA profiling_output = '${at('out.json')}'`,
  () => `PRAGMA enable_object_cache`,
  () => `SET enable_external_access = true`,
  () => `SET lock_configuration = false`,
  () => `SET memory_limit = '100GB'`,
  (at) => `SET temp_directory = '${at('tmp')}'`,
  () => `RESET temp_directory`,
  () => `SET GLOBAL threads = 64`,
  () => `SELECT getenv('DPROF_SECRET')`,
  () => `SELECT * FROM duckdb_secrets()`,
  () => `CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')`,
  () => `SELECT * FROM 'http://127.0.0.1:9/a.csv'`,
  () => `SELECT * FROM read_csv('https://127.0.0.1:9/a.csv')`,
  () => `SELECT * FROM sqlite_scan('${LENET}', 'StringIds')`,
];

/** Calls that end the process where the database sees them: it cannot write where it is made to, and aborts. */
const ABORTING: typeof HOSTILE = [
  (at) => `SELECT * FROM enable_logging(storage := 'file', storage_path := '${at('logs')}')`,
  (at) => `CALL enable_logging(storage_path = '${at('logs')}')`,
];

/** More statements that only the check of statements refuses: in the database's memory they would do no harm. */
const REFUSED: readonly string[] = [
  'CREATE TABLE x (a INTEGER)',
  'CREATE VIEW v AS SELECT 1',
  'CREATE MACRO m() AS 1',
  'DROP TABLE kernel',
  'DELETE FROM kernel',
  'UPDATE kernel SET sil = 0',
  'INSERT INTO kernel (idx) VALUES (1)',
  'PREPARE p AS SELECT 1',
  'EXPLAIN SELECT 1',
  'CALL pragma_version()',
  'CHECKPOINT',
  'BEGIN TRANSACTION',
  'VACUUM',
  'USE memory',
  'SELECT 1; COPY kernel TO $x',
  'SELECT * FROM truncate_duckdb_logs()',
  'SELECT * FROM force_checkpoint()',
  'SELECT * FROM enable_profiling()',
];

const pathIn =
  (folder: string) =>
  (name: string): string =>
    join(folder, name);

describeSql('a query of dprof sql', (library) => {
  const folder = folderOfFiles();
  const before = readdirSync(folder);
  const statements = [...[...HOSTILE, ...ABORTING].map((of) => of(pathIn(folder))), ...REFUSED];

  for (const [i, statement] of statements.entries()) {
    it(`is refused in one line: ${statement.replaceAll(folder, 'FOLDER')} (${i})`, async () => {
      const { code, stdout, stderr } = await runCli('dprof', ['sql', '-q', statement, LENET], {
        env: { DPROF_SECRET: SECRET },
      });
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr)
        .to.match(/^dprof: SQL: [^\n]*\n$/)
        .and.not.include(SECRET);
      expect(readdirSync(folder)).to.deep.equal(before);
    });
  }

  it('reads and writes no file where the check of statements does not stop it', () =>
    expectLocked(HOSTILE.filter((_, i) => i % 5 === 0)));
  itSlow('reads and writes no file, whatever it says, where that check does not stop it', () => expectLocked(HOSTILE));

  async function expectLocked(hostile: typeof HOSTILE): Promise<void> {
    const temporary = freshPath('-temporary');
    mkdirSync(temporary);
    for (const of of hostile) {
      const statement = of(pathIn(folder));
      // A database each: what one does to it must not decide about the next.
      const { connection, close } = await openDatabase(library, temporary);
      await connection.run('CREATE TABLE kernel (a VARCHAR)');
      const text = await connection.runAndReadAll(statement).then(
        (result) => JSON.stringify(result.getRowObjectsJson()),
        (error: unknown) => String(error),
      );
      expect(text, statement).to.not.include(SECRET);
      const settings = await connection.runAndReadAll(
        "SELECT current_setting('enable_external_access')::VARCHAR, current_setting('lock_configuration')::VARCHAR",
      );
      expect(settings.getRows(), statement).to.deep.equal([['false', 'true']]);
      close();
      expect(readdirSync(folder), statement).to.deep.equal(before);
    }
  }

  it('finds no way to the network or a file in functions that it may call', async () => {
    const query = "SELECT count(*) AS n FROM duckdb_functions() WHERE function_name IN ('getenv', 'system', 'shell')";
    expect((await runCli('dprof', ['sql', '-q', query, LENET])).stderr).to.match(/no table function duckdb_functions/);
  });
});
