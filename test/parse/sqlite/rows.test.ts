import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { join } from 'node:path';
import { freshFolder } from '../../support/fresh-path.js';
import { numberOf, SqliteFile, type Selection } from '../../../src/parse/sqlite/sqlite.js';
import { propertyRuns } from '../../support/property-runs.js';

const BASE = 1_700_000_000_000_000_000n;
const SINCE: Selection = { needs: ['t'], sql: `(CAST("t" AS INTEGER) - ${BASE})` };
const HIGH: Selection = { needs: ['t'], sql: '("t" >> 32)' };
const LOW: Selection = { needs: ['t'], sql: '("t" & 0xFFFFFFFF)' };

describe('SqliteFile: rows as numbers', () => {
  const folder = freshFolder();
  let files = 0;

  const open = (sql: string, fill: (database: Database.Database) => void = () => undefined): SqliteFile => {
    const path = join(folder, `${++files}.sqlite`);
    const database = new Database(path);
    database.exec(sql);
    database.transaction(fill)(database);
    database.close();
    return SqliteFile.open(path);
  };
  const numbers = (file: SqliteFile, select: readonly Selection[]): number[][] => {
    const rows: number[][] = [];
    file.eachNumbers('t', select, (cells) => rows.push([...cells]));
    return rows;
  };
  const reals = (file: SqliteFile, select: readonly Selection[]): number[][] => {
    const rows: number[][] = [];
    file.eachNumbers('t', select, (cells) => rows.push([...cells]), [], numberOf);
    return rows;
  };
  it('closes the database under rows that nobody reads to their end', () => {
    const file = open('CREATE TABLE t (a INTEGER)', (database) => database.exec('INSERT INTO t VALUES (1), (2)'));
    const rows = file.rows('t', ['a']);
    expect(rows.next().value).to.deep.equal([1]);
    file.close();
    expect(rows.next().done).to.equal(true);
  });

  it('gives the smallest and the largest integers, each row once', () => {
    const cells = [9, 3, 7, 3, 1, 8];
    const file = open('CREATE TABLE t (a INTEGER)', (database) => {
      for (const cell of [...cells, null]) database.prepare('INSERT INTO t VALUES (?)').run(cell);
    });
    const extremes = (most: number): number[] => file.extremes('t', 'a', [], most);
    expect([1, 2, 3, 4].map(extremes)).to.deep.equal([
      [1, 9],
      [1, 3, 8, 9],
      [1, 3, 3, 7, 8, 9],
      [1, 3, 3, 7, 8, 9],
    ]);
    expect(file.extremes('t', 'a', [{ needs: ['a'], sql: 'a > 3' }], 1)).to.deep.equal([7, 9]);
    expect([file.extremes('none', 'a', [], 1), file.extremes('t', 'none', [], 1)]).to.deep.equal([[], []]);
    file.close();
  });

  it('reads integers of every size, and null as NaN', () => {
    const cells = [0, 1, -1, 127, -128, 32767, -32768, 8388607, -8388608, 2147483647, -2147483648, 140737488355327, -140737488355328, 9007199254740991, -9007199254740991]; // prettier-ignore
    const file = open('CREATE TABLE t (a INTEGER, t INTEGER)', (database) => {
      const insert = database.prepare('INSERT INTO t VALUES (?, NULL)');
      for (const cell of cells) insert.run(cell);
    });
    expect(numbers(file, ['a', 't'])).to.deep.equal(cells.map((cell) => [cell, NaN]));
    file.close();
  });

  it('rounds integers above 2^53 to a double', () => {
    const cells = [2n ** 63n - 1n, -(2n ** 63n), 72057594037927937n];
    const file = open('CREATE TABLE t (a INTEGER)', (database) => {
      for (const cell of cells) database.prepare('INSERT INTO t VALUES (?)').run(cell);
    });
    expect(numbers(file, ['a'])).to.deep.equal(cells.map((cell) => [Number(cell)]));
    file.close();
  });

  it('evaluates expressions over integers and over integers stored as text', () => {
    const file = open('CREATE TABLE t (t)', (database) => {
      const insert = database.prepare('INSERT INTO t VALUES (?)');
      insert.run(BASE + 5n);
      insert.run(BASE - 7n);
    });
    const high = 395812094; // floor(1.7e18 / 2^32)
    const low = Number(BASE - BigInt(high) * 2n ** 32n);
    expect(numbers(file, [SINCE, HIGH, LOW])).to.deep.equal([[5, high, low + 5], [-7, high, low - 7]]); // prettier-ignore
    file.close();
    const texts = open('CREATE TABLE t (t TEXT)', (database) => {
      for (const text of ['1700000000000000005', '1699999999999999999', '12', 'x', '']) database.prepare('INSERT INTO t VALUES (?)').run(text); // prettier-ignore
    });
    expect(numbers(texts, [SINCE])).to.deep.equal([5n, -1n, 12n - BASE, -BASE, -BASE].map((ns) => [Number(ns)]));
    expect(numbers(texts, ['t']).slice(2)).to.deep.equal([[12], [NaN], [NaN]]);
    texts.close();
  });

  it('reads decimals by eachReal, only whole numbers by eachNumbers', () => {
    const file = open('CREATE TABLE t (a NUMERIC, b REAL); INSERT INTO t VALUES (0.1, 3), (7, -2.5), (NULL, 0)');
    expect(reals(file, ['a', 'b'])).to.deep.equal([[0.1, 3], [7, -2.5], [NaN, 0]]); // prettier-ignore
    expect(numbers(file, ['a'])).to.deep.equal([[NaN], [7], [NaN]]);
    expect(numbers(file, ['b'])).to.deep.equal([[3], [NaN], [0]]);
    file.close();
  });

  it('reads each block of rows as it needs: decimals, texts and bytes among integers', () => {
    const strange = new Map<number, unknown>([[1700, 1e15 + 0.5], [3100, 'x'], [3200, Buffer.from([0x13, 0x31])], [4200, Buffer.from([1, 2, 3])], [3300, 1e300]]); // prettier-ignore
    const cells = Array.from({ length: 4500 }, (_, i) => strange.get(i) ?? BigInt(i));
    const file = open('CREATE TABLE t (a)', (database) => {
      for (const cell of cells) database.prepare('INSERT INTO t VALUES (?)').run(cell);
    });
    const expected = cells.map((cell) => [cell === 1e300 ? 1e300 : typeof cell === 'bigint' ? Number(cell) : NaN]);
    expect(numbers(file, ['a'])).to.deep.equal(expected);
    file.close();
  });

  it('reads rowids, added columns, missing columns and tables with deleted rows', () => {
    const file = open(
      'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER); INSERT INTO t VALUES (3, 1), (7, 2), (9, 3);' +
        'ALTER TABLE t ADD COLUMN b INTEGER; ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 4;' +
        'INSERT INTO t VALUES (12, 5, 6, 7); DELETE FROM t WHERE id = 7',
    );
    expect(numbers(file, ['id', 'b', 'none'])).to.deep.equal([[3, NaN, NaN], [9, NaN, NaN], [12, 6, NaN]]); // prettier-ignore
    expect(numbers(file, ['a', 'c'])).to.deep.equal([[1, 4], [3, 4], [5, 7]]); // prettier-ignore
    file.close();
  });

  it('reads keyed tables, computed columns and integers stored as text', () => {
    const keyed = open('CREATE TABLE t (a INTEGER PRIMARY KEY DESC, b TEXT); INSERT INTO t VALUES (1, 2), (5, 12)');
    expect(numbers(keyed, ['a', 'b'])).to.deep.equal([[1, 2], [5, 12]]); // prettier-ignore
    keyed.close();
    const computed = open('CREATE TABLE t (a INTEGER, b INTEGER AS (a + 1), c INTEGER); INSERT INTO t VALUES (1, 3)');
    expect(numbers(computed, ['a', 'c'])).to.deep.equal([[1, 3]]);
    computed.close();
  });

  it('reads rows with overflow pages', () => {
    const count = 3000;
    const file = open('CREATE TABLE t (a INTEGER, text TEXT, b INTEGER)', (database) => {
      const insert = database.prepare('INSERT INTO t VALUES (?, ?, ?)');
      for (let i = 0; i < count; i++) insert.run(i, i === 1234 ? 'x'.repeat(20000) : 'x', 2 * i);
    });
    expect(numbers(file, ['a', 'b'])).to.deep.equal(Array.from({ length: count }, (_, i) => [i, 2 * i]));
    file.close();
  });

  it('sorts rows by their cells, missing ones first', () => {
    const file = open('CREATE TABLE t (a INTEGER, b REAL); INSERT INTO t VALUES (2, 1), (1, 2.5), (2, NULL), (1, 1)');
    const rows = [...file.rows('t', ['a', 'none', 'b'], [], true)];
    expect(rows).to.deep.equal([[1, null, 1], [1, null, 2.5], [2, null, null], [2, null, 1]]); // prettier-ignore
    file.close();
  });

  it('reads any cells, in pages of every size', () => {
    const cell = fc.oneof(
      fc.constant(null),
      // A number is stored with decimals in a column without a type: only these are whole.
      fc.integer().map(BigInt),
      fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
      fc.string({ maxLength: 1500 }).map((text) => `x${text.replaceAll('\0', ' ')}`),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from([120, ...bytes])),
    );
    const pageSize = fc.constantFrom(512, 1024, 4096, 65536);
    const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 300 });
    const property = fc.property(pageSize, rows, fc.integer({ min: 2, max: 9 }), (page, list, nth) => {
      const file = open(`PRAGMA page_size = ${page}; CREATE TABLE t (a, b INTEGER, c REAL)`, (database) => {
        const insert = database.prepare('INSERT INTO t VALUES (?, ?, ?)');
        for (const row of list) insert.run(...row);
        database.exec(`DELETE FROM t WHERE rowid % ${nth} = 0`);
      });
      const expected = list
        .filter((_, index) => (index + 1) % nth !== 0)
        .map((row) => row.slice(0, 2).map((value) => (typeof value === 'bigint' ? Number(value) : NaN))); // prettier-ignore
      const found = numbers(file, ['a', 'b']);
      file.close();
      expect(found).to.deep.equal(expected);
    });
    fc.assert(property, { numRuns: propertyRuns(30) });
  });
});
