import Database from 'better-sqlite3';
import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { blockMemory, SharedBlocks } from '../../../src/parse/sqlite/shared-blocks.js';
import { LAST_ROWID, type BoundedBlocks, type ReadBlock } from '../../../src/parse/sqlite/sqlite-library.js';
import { freshPath } from '../../support/fresh-path.js';
import { readTables, type ReadingTask, type TableRead, type TableToRead } from '../../support/reading-thread.js';
import { within } from '../../support/waits.js';

describe('SharedBlocks', () => {
  /** A table of blocks of one row, whose number is that of its block; it notes by whom blocks are decoded. */
  const tableOf = (blocks: number, decoded: string[], who: string, fail: (block: number) => void = () => undefined) => {
    const table: BoundedBlocks = {
      key: `table of ${blocks}`,
      width: 1,
      endAbove: (above) => (above + 2 === blocks ? LAST_ROWID : above + 1),
      fill: (into, above, end) => {
        fail(above + 1);
        into[0] = above + 1;
        decoded.push(`${who}${above + 1}`);
        return { rows: 1, last: end, isLast: end === LAST_ROWID, leftOut: 0 };
      },
    };
    return table;
  };
  /** Reads all blocks, or as many as given. */
  const readAll = (read: ReadBlock | null, most = Infinity): number[] => {
    const numbers: number[] = [];
    for (let above = -1; numbers.length < most;) {
      const block = read?.(above);
      if (block === undefined) break;
      numbers.push(block.cells[0] ?? NaN);
      if (block.isLast) break;
      above = block.last as number;
    }
    return numbers;
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it('has each block decoded once, by the first thread that needs it', () => {
    const memory = blockMemory(3);
    const decoded: string[] = [];
    const threads = ['a', 'b', 'c'].map((who, i) => ({ who, blocks: new SharedBlocks(memory, i) }));
    for (const size of [3, 1, 16]) {
      for (const { who, blocks } of threads) {
        expect(readAll(blocks.begin(tableOf(size, decoded, who)))).to.deep.equal(upTo(size));
        blocks.finish();
      }
      expect(decoded.splice(0)).to.deep.equal(upTo(size).map((block) => `a${block}`));
    }
  });

  it('keeps 16 blocks for a thread that is behind, and reads the following ones twice', () => {
    const memory = blockMemory(2);
    const decoded: string[] = [];
    const [a, b] = [new SharedBlocks(memory, 0), new SharedBlocks(memory, 1)];
    expect(readAll(a.begin(tableOf(20, decoded, 'a')))).to.deep.equal(upTo(20));
    a.finish();
    expect(decoded.splice(0)).to.have.length(20);
    expect(readAll(b.begin(tableOf(20, decoded, 'b')))).to.deep.equal(upTo(20));
    b.finish();
    expect(decoded.splice(0)).to.deep.equal(['b16', 'b17', 'b18', 'b19']);
    for (const [who, blocks] of [['a', a], ['b', b]] as const) readAll(blocks.begin(tableOf(2, decoded, who))); // prettier-ignore
    expect(decoded).to.deep.equal(['a0', 'a1']);
  });

  it('decodes the following block while another thread decodes one, and in the end reads that one too', () => {
    const memory = blockMemory(2);
    const decoded: string[] = [];
    const [a, b] = [new SharedBlocks(memory, 0), new SharedBlocks(memory, 1)];
    let ofB: number[] = [];
    // While the first thread decodes block 1, the other one reads.
    const meanwhile = (block: number): void => {
      if (block === 1) ofB = readAll(b.begin(tableOf(3, decoded, 'b')));
    };
    expect(readAll(a.begin(tableOf(3, decoded, 'a', meanwhile)))).to.deep.equal(upTo(3));
    expect(ofB).to.deep.equal(upTo(3));
    expect(decoded).to.deep.equal(['a0', 'b2', 'b1', 'a1']);
  });

  it('leaves an error to each thread, which then reads by itself', () => {
    const memory = blockMemory(2);
    const decoded: string[] = [];
    const threads = ['a', 'b'].map((who, i) => ({ who, blocks: new SharedBlocks(memory, i) }));
    const fail = (block: number): void => {
      if (block === 1) throw new Error('damaged');
    };
    for (const { who, blocks } of threads) {
      expect(() => readAll(blocks.begin(tableOf(3, decoded, who, fail)))).to.throw('damaged');
      expect(blocks.begin(tableOf(3, decoded, who))).to.equal(null);
    }
    expect(decoded).to.deep.equal(['a0']);
  });

  it('takes no block of another table, and shares none inside the rows of a table', () => {
    const memory = blockMemory(2);
    const decoded: string[] = [];
    const [a, b] = [new SharedBlocks(memory, 0), new SharedBlocks(memory, 1)];
    readAll(a.begin(tableOf(3, decoded, 'a')));
    expect(a.begin(tableOf(1, decoded, 'a'))).to.equal(null);
    expect(readAll(b.begin(tableOf(2, decoded, 'b')))).to.deep.equal(upTo(2));
    expect(decoded).to.deep.equal(['a0', 'a1', 'a2', 'b0', 'b1']);
  });

  it('waits for no thread that has left', () => {
    const memory = blockMemory(2);
    const decoded: string[] = [];
    new SharedBlocks(memory, 1).leave();
    const a = new SharedBlocks(memory, 0);
    for (let call = 0; call < 3; call++) {
      expect(readAll(a.begin(tableOf(100, decoded, 'a')))).to.deep.equal(upTo(100));
      a.finish();
    }
    expect(decoded).to.have.length(300);
  });
});

describe('SqliteFile: rows that several threads read', () => {
  const TYPE = { needs: ['type'], sql: 'type IN (59, 60)' };
  const BIG = 2n ** 60n + 1n;

  /** A database with a table of each kind, and what is in them. */
  const written = (): string => {
    const path = freshPath();
    const database = new Database(path);
    const series = (most: number): string => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${most - 1})`; // prettier-ignore
    database.exec(`CREATE TABLE dense (a INTEGER, b INTEGER);
      ${series(20_500)} INSERT INTO dense SELECT i, CASE WHEN i % 3 = 0 THEN NULL WHEN i % 3 = 1 THEN -i ELSE ${BIG} END FROM n;
      CREATE TABLE whole (a INTEGER); ${series(2000)} INSERT INTO whole SELECT i FROM n;
      CREATE TABLE empty (a INTEGER);
      CREATE TABLE sparse (id INTEGER PRIMARY KEY, a INTEGER); ${series(3500)} INSERT INTO sparse SELECT i * 1000000007, i FROM n;
      CREATE TABLE deleted (a INTEGER); ${series(9000)} INSERT INTO deleted SELECT i FROM n;
      DELETE FROM deleted WHERE a BETWEEN 1500 AND 6499 OR a % 2 = 1;
      CREATE TABLE mixed (a INTEGER, b); ${series(5000)} INSERT INTO mixed SELECT i, i FROM n;
      UPDATE mixed SET b = 0.25 WHERE a = 1700; UPDATE mixed SET a = 'x' WHERE a = 3100;
      UPDATE mixed SET b = x'010203' WHERE a = 4200; UPDATE mixed SET b = NULL WHERE a = 4300;
      CREATE TABLE filtered (type INTEGER, a INTEGER); ${series(7000)}
        INSERT INTO filtered SELECT CASE WHEN i % 1000 = 7 THEN 'y' WHEN i < 4000 THEN 34 ELSE 59 + i % 2 END, i FROM n;
      CREATE TABLE wide (${Array.from({ length: 40 }, (_, i) => `c${i} INTEGER`).join()}, t INTEGER);
      ${series(1500)} INSERT INTO wide (c0, t) SELECT i, 1 FROM n`);
    database.close();
    return path;
  };
  const WIDE = Array.from({ length: 40 }, (_, i) => `c${i}`);
  /** Tables with their numbers of rows and of bad ones. */
  const TABLES: readonly (TableToRead & { readonly rows: number; readonly bad: number })[] = [
    { table: 'dense', select: ['a', 'b'], rows: 20_500, bad: 0 },
    { table: 'whole', select: ['a'], rows: 2000, bad: 0 },
    { table: 'empty', select: ['a'], rows: 0, bad: 0 },
    { table: 'missing', select: ['a'], rows: 0, bad: 0 },
    { table: 'sparse', select: ['id', 'a'], rows: 3500, bad: 0 },
    // Even numbers below 1500, then from 6500 to 8998.
    { table: 'deleted', select: ['a', 'none'], rows: 750 + 1250, bad: 0 },
    // A decimal, a string and bytes.
    { table: 'mixed', select: ['a', 'b'], rows: 5000, bad: 3 },
    { table: 'mixed', select: ['a', 'b'], isReal: true, rows: 5000, bad: 2 },
    // Of 4000 … 6999 all but 4007, 5007 and 6007; 7 rows have a string for their type.
    { table: 'filtered', select: ['a'], filter: [TYPE], rows: 2997, bad: 7 },
    { table: 'filtered', select: ['type', 'a'], filter: [TYPE], rows: 2997, bad: 0 },
    { table: 'wide', select: WIDE, rows: 1500, bad: 0 },
    { table: 'whole', select: [{ needs: ['a'], sql: 'a / 2' }], rows: 2000, bad: 0 },
  ];

  /** Reads in so many threads at once. @returns what each has read; null for one that has ended before */
  const readByThreads = (tasks: readonly Pick<ReadingTask, 'path' | 'tables' | 'endAfter'>[]) => {
    const memory = blockMemory(tasks.length);
    const file = new URL(`../../support/reading-thread${extname(import.meta.url)}`, import.meta.url);
    const threads = tasks.map(async (task, thread) => {
      const worker = new Worker(file, { workerData: { ...task, memory, thread } satisfies ReadingTask });
      let read: (TableRead | string)[] | null = null;
      worker.on('message', (message: (TableRead | string)[]) => (read = message));
      await once(worker, 'exit');
      return read;
    });
    return within('the threads to read', Promise.all(threads));
  };
  const alone = (path: string): (TableRead | string)[] => readTables({ path, tables: TABLES, memory: null, thread: 0 });

  for (const threads of [1, 2, 3, 8])
    it(`the same in ${threads} ${threads === 1 ? 'thread' : 'threads'} as alone`, async () => {
      const path = written();
      const expected = alone(path);
      const counts = expected.map((read, i) =>
        typeof read === 'string' ? read : [read.cells.length / (TABLES[i]?.select.length ?? 0), read.bad],
      );
      expect(counts).to.deep.equal(TABLES.map(({ rows, bad }) => [rows, bad]));
      const tasks = Array.from({ length: threads }, () => ({ path, tables: TABLES }));
      for (const read of await readByThreads(tasks)) expect(read).to.deep.equal(expected);
    });

  it('the same when one of the threads ends in the middle', async () => {
    const path = written();
    const [ended, ...others] = await readByThreads([{ path, tables: TABLES, endAfter: 1500 }, { path, tables: TABLES }, { path, tables: TABLES }]); // prettier-ignore
    expect(ended).to.equal(null);
    const expected = alone(path);
    for (const read of others) expect(read).to.deep.equal(expected);
  });

  it('the same error in each thread when pages are damaged', async () => {
    const path = written();
    const bytes = readFileSync(path);
    // The pages in the second quarter of the file, all of them of the first table.
    writeFileSync(path, bytes.fill(0, 4096 * 30, 4096 * 40));
    const expected = alone(path);
    expect(expected).to.deep.equal([`UserError: ${path}: database is damaged (copy or export it again)`]);
    const tasks = Array.from({ length: 3 }, () => ({ path, tables: TABLES }));
    for (const read of await readByThreads(tasks)) expect(read).to.deep.equal(expected);
  });
});
