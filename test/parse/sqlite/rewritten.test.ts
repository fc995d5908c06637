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

/** More launches than one block of rows, a text longer than a page, and texts of every plane. */
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

const TOP = 2n ** 63n - 1n;
const REWRITINGS: Readonly<Record<string, Rewriting>> = {
  'in UTF-16, little-endian': { pragmas: ["encoding = 'UTF-16le'"] },
  'in UTF-16, big-endian': { pragmas: ["encoding = 'UTF-16be'"] },
  'in UTF-16 without types and keys': { pragmas: ["encoding = 'UTF-16le'"], form: 'plain' },
  'in the smallest pages': { pragmas: ['page_size = 512'] },
  'in the largest pages': { pragmas: ['page_size = 65536'] },
  'with pages vacuumed': { pragmas: ['auto_vacuum = FULL', 'page_size = 1024'] },
  'in WAL mode': { finally: ['PRAGMA journal_mode = WAL'] },
  'without types and keys': { form: 'plain' },
  'with rows numbered from 2^53 - 2': { form: 'plain', rowid: (n) => 2n ** 53n - 2n + BigInt(n) },
  'with rows numbered up to 2^63 - 1': { form: 'plain', rowid: (n) => TOP - 1_000_000n + BigInt(n) },
  'with rows numbered from -2^63': { form: 'plain', rowid: (n) => -(2n ** 63n) + BigInt(n) },
  'with rows numbered around 0': { form: 'plain', rowid: (n) => BigInt(n) - 5n },
  'with rows numbered far apart': { form: 'plain', rowid: (n) => BigInt(n) * 2n ** 40n - 2n ** 60n },
  'in tables WITHOUT ROWID': { form: 'keyed' },
  'in tables WITHOUT ROWID, in UTF-16': { form: 'keyed', pragmas: ["encoding = 'UTF-16be'"] },
  'in views': { form: 'view' },
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
      for (const form of ['plain', 'keyed', 'view'] as const) {
        expect(withoutFile(rewritten(path, { form, pragmas: ["encoding = 'UTF-16le'"] })), form).to.deep.equal(
          expected,
        );
      }
    },
  );
});

describe('SqliteFile: tables that cannot be read', () => {
  const CASES: readonly (readonly [what: string, sql: string, problem: string])[] = [
    ['a virtual table', 'CREATE VIRTUAL TABLE t USING fts5(a)', 'table t is a virtual table'],
    ['a view of a missing table', 'CREATE VIEW t AS SELECT a FROM missing', 'table t is a view: no such table: main.missing'],
  ]; // prettier-ignore
  for (const [what, sql, problem] of CASES) {
    it(`${what}: one line, once it is read; others are read`, () => {
      const path = freshPath();
      const database = new Database(path);
      database.exec(`${sql}; CREATE TABLE other (a); INSERT INTO other VALUES (1)`);
      database.close();
      const file = SqliteFile.open(path);
      expect([...file.rows('other', ['a'])]).to.deep.equal([[1]]);
      expect(() => file.count('t')).to.throw(UserError, problem);
      expect(() => file.eachNumbers('t', ['a'], () => undefined)).to.throw(UserError, problem);
      expect(() => file.lookup('t', 'a')).to.throw(UserError, problem);
      expect(() => [...file.rows('t', ['a'])]).to.throw(UserError, problem);
      file.close();
    });
  }
});

itWithProcess('a view whose rows have no room in the temporary folder is one line with a way out', () => {
  if (process.platform === 'win32') return;
  const path = new NsightDatabase().launch(1, []).launch(2, []).write();
  const db = new Database(path);
  const table = 'CUPTI_ACTIVITY_KIND_KERNEL';
  for (let n = 0; n < 10; n++) db.exec(`INSERT INTO ${table} SELECT * FROM ${table}`);
  // More than SQLite keeps in memory.
  const view = `CREATE VIEW ${table} AS SELECT *, zeroblob(20000) AS filler FROM kernels`;
  db.exec(`ALTER TABLE ${table} RENAME TO kernels; ${view}`);
  db.close();
  // The limit is in units of 512 or 1024 bytes.
  const limited = ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, ...commandOf('dparse'), '-q', path];
  const ran = spawnSync('sh', limited, { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } });
  expect(ran.stderr).to.equal(
    `dparse: ${path}: database needs temporary files, which have no room (set TMPDIR to a folder with more room)\n`,
  );
  expect(ran.status).to.equal(1);
});
