import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { NsightDatabase } from '../../support/nsight-database.js';
import { NvprofDatabase } from '../../support/nvprof-database.js';
import { recordsOf } from '../../support/profile-records.js';
import { rewritten, type Rewriting } from '../../support/rewritten-database.js';
import { commandOf } from '../../support/run-cli.js';
import { itSlow, itWithProcess } from '../../support/sets.js';
import { itEachShared } from '../../support/shared.js';
import { UserError } from '../../../src/record/errors.js';
import { SqliteFile } from '../../../src/parse/sqlite/sqlite.js';
import Database from 'better-sqlite3';
import { freshPath } from '../../support/fresh-path.js';

/** More launches than one block of rows, a string longer than a page, and strings of every plane. */
const TEXTS = (n: number): string[] => [`layer:${n % 7}`, n === 500 ? 'x'.repeat(70_000) : 'größer ≥ 😀'];

function filled<T extends { launch(n: number, texts: readonly string[]): T }>(database: T): T {
  for (let n = 1; n <= 1100; n++) database.launch(n, TEXTS(n));
  return database;
}

const PROFILES: Readonly<Record<string, () => string>> = {
  nsight: () => filled(new NsightDatabase()).write(),
  nvprof: () => filled(new NvprofDatabase()).write(),
  'ascend-db': () => 'samples/ascend_pytorch_profiler_0.db',
};

const REWRITINGS: Readonly<Record<string, Rewriting>> = {
  'in UTF-16': { pragmas: ["encoding = 'UTF-16le'"] },
  'in the smallest pages': { pragmas: ['page_size = 512'] },
  'in the largest pages': { pragmas: ['page_size = 65536'] },
  'with pages vacuumed': { pragmas: ['auto_vacuum = FULL', 'page_size = 1024'] },
  'in WAL mode': { finally: ['PRAGMA journal_mode = WAL'] },
  'without types and keys': { form: 'plain' },
};

/** Records but for what is stated by the file's name and by files next to it. */
const withoutFile = (path: string): unknown[] =>
  recordsOf(path, { ranges: true }).map((record) =>
    record.type === 'profile' ? { ...record, file: '', facts: {} } : record,
  );

describe('SqliteFile: databases with the same rows', () => {
  for (const [format, write] of Object.entries(PROFILES)) {
    describe(format, () => {
      let [path, expected] = ['', [] as unknown[]];
      before(() => {
        path = write();
        expected = withoutFile(path);
        expect(expected.length).to.be.above(20);
      });
      for (const [i, [how, rewriting]] of Object.entries(REWRITINGS).entries()) {
        // How a table is stored does not depend on what it is about: of the other formats every fourth.
        const test = format === 'nsight' || i % 4 === 0 ? it : itSlow;
        test(`${how}: give the same records`, () => {
          expect(withoutFile(rewritten(path, rewriting))).to.deep.equal(expected);
        });
      }
    });
  }

  const SAMPLED = [
    'data/nsys/schema_2021.sqlite',
    'data/nvprof/lm_v100.net.sql',
    'data/ascend/db_level2_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
  ];
  itEachShared(
    SAMPLED,
    ['data/nsys/h100_2gpu_orphans.sqlite'],
    (file) => `${file}: gives the same records however it is stored`,
    (path) => {
      const expected = withoutFile(path);
      expect(withoutFile(rewritten(path, { form: 'plain' }))).to.deep.equal(expected);
    },
  );
});

describe('SqliteFile: tables that cannot be read', () => {
  const copied = (drop: string): string =>
    `make it a plain table: sqlite3 FILE 'CREATE TABLE copy AS SELECT * FROM t; DROP ${drop} t; ALTER TABLE copy RENAME TO t'`;
  const CASES: readonly (readonly [what: string, sql: string, problem: string, hint: string])[] = [
    ['a virtual table', 'CREATE VIRTUAL TABLE t USING fts5(a)', 'is a virtual table', copied('TABLE')],
    ['a view', 'CREATE VIEW t AS SELECT a FROM other', 'is a view', copied('VIEW')],
    ['a table WITHOUT ROWID', 'CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES (2)', 'is WITHOUT ROWID', copied('TABLE')],
    ['a column that hides row numbers', 'CREATE TABLE t (a, Rowid)', 'has a column Rowid', "rename it: sqlite3 FILE 'ALTER TABLE t RENAME COLUMN Rowid TO number'"],
  ]; // prettier-ignore
  for (const [what, sql, problem, hint] of CASES) {
    it(`${what}: one line with what makes it readable, once it is read; others are read`, () => {
      const path = freshPath();
      const database = new Database(path);
      database.exec(`CREATE TABLE other (a); INSERT INTO other VALUES (1); ${sql}`);
      const file = SqliteFile.open(path);
      expect([...file.rows('other', ['a'])]).to.deep.equal([[1]]);
      const refused = (read: () => unknown): void => {
        expect(read).to.throw(UserError, `${path}: table t ${problem} (${hint})`);
      };
      refused(() => file.count('t'));
      refused(() => file.eachNumbers('t', ['a'], () => undefined));
      refused(() => file.lookup('t', 'a'));
      refused(() => file.joined('t', 'a', { a: 'a' }));
      refused(() => file.minimum('t', 'a'));
      refused(() => [...file.rows('t', ['a'])]);
      file.close();
      // What the hint says to run.
      database.exec(/'(.*)'/.exec(hint)?.[1] ?? '');
      database.close();
      const again = SqliteFile.open(path);
      expect(again.count('t')).to.equal(what.startsWith('a view') || what.startsWith('a table') ? 1 : 0);
      again.eachNumbers('t', ['a'], () => undefined);
      again.close();
    });
  }

  for (const rowid of [-1n, 2n ** 53n])
    it(`a table with a row numbered ${rowid}: one line, where rows are read by their numbers`, () => {
      const path = freshPath();
      const database = new Database(path);
      database.exec(`CREATE TABLE t (a); INSERT INTO t (rowid, a) VALUES (${rowid}, 5)`);
      database.close();
      const file = SqliteFile.open(path);
      expect([...file.rows('t', ['a'])]).to.deep.equal([[5]]);
      expect(() => file.eachNumbers('t', ['a'], () => undefined)).to.throw(
        UserError,
        `${path}: table t has row numbers below 0 or above 2^53 (renumber its rows: sqlite3 OLD .dump | sqlite3 NEW)`,
      );
      file.close();
    });
});

itWithProcess(
  'a table of texts without a key that has no room in the temporary folder is one line with a way out',
  () => {
    if (process.platform === 'win32') return;
    const path = new NsightDatabase().launch(1, []).write();
    const db = new Database(path);
    // More than SQLite keeps in memory.
    db.exec(`CREATE TABLE texts AS SELECT * FROM StringIds ORDER BY id DESC; DROP TABLE StringIds;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO texts (id, value) SELECT 1000000 + i, hex(zeroblob(10000)) FROM n;
    ALTER TABLE texts RENAME TO StringIds`);
    db.close();
    // The limit is in units of 512 or 1024 bytes.
    const limited = ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, ...commandOf('dparse'), '-q', path];
    const ran = spawnSync('sh', limited, { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } });
    expect(ran.stderr).to.equal(
      `dparse: ${path}: no space for the database's temporary files (set TMPDIR to a folder with more room)\n`,
    );
    expect(ran.status).to.equal(1);
  },
);
