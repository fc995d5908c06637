/** Tables as Parquet hold what JSON does: the same columns, values and unknowns, each of its column's type. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadataAsync, asyncBufferFromFile } from 'hyparquet';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { FORMATS, loadFormat, requireFormat } from '../../src/write/formats.js';
import { tableText } from '../../src/write/columns.js';
import type { CellValue, Column } from '../../src/table/column.js';
import { freshPath } from '../support/fresh-path.js';
import { rowsOfFile } from '../support/record-folder.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

type Row = Readonly<Record<string, unknown>>;

const sample = (name: string): string => join(ROOT, 'samples', name);

/** Numbers of 64 bits as numbers; bytes and the rest as they are. */
const plain = (value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : Array.isArray(value) ? value.map(plain) : (value ?? null);

/** The rows of a command in both formats. */
async function bothOf(...args: readonly string[]): Promise<[parquet: Row[], json: Row[]]> {
  const path = freshPath('.parquet');
  const [written, text] = [
    await runCli('dprof', [...args, '-q', '-f', 'parquet', '-o', path]),
    await runCli('dprof', [...args, '-q', '-f', 'jsonl']),
  ];
  expect([written.code, text.code], written.stderr + text.stderr).to.deep.equal([0, 0]);
  const rows = await rowsOfFile(path);
  return [
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]))),
    text.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row])),
  ];
}

const KEYS = COLUMNS.map(({ key }) => key).join(',');

/** Columns of text that have numbers among words: the text of both. */
const asText = (row: Row, keys: readonly string[]): Row => ({
  ...row,
  ...Object.fromEntries(keys.map((key) => [key, typeof row[key] === 'number' ? String(row[key]) : row[key]])),
});

describe('parquet', () => {
  for (const name of ['lenet.nsys.sqlite', 'lenet.pt.trace.json.gz', 'attention.ntff', 'ascend_pt']) {
    it(`has all columns of the report of ${name}`, async () => {
      const [rows, expected] = await bothOf('-c', KEYS, sample(name));
      expect(rows.length).to.be.greaterThan(0);
      expect(rows).to.deep.equal(expected.map((row) => asText(row, ['tc'])));
    });
  }

  it('has the groups of --by, and the tables of commands whose formats are those of tables', async () => {
    const file = sample('lenet.pt.trace.json.gz');
    for (const args of [
      ['--by', 'op,dir', '-c', 'count,total,mean,median,stddev,flops,tflops,bw'],
      ['--by', 'layer'],
      ['--by', 'hostop'],
      ['stacks'],
    ]) {
      const [rows, expected] = await bothOf(...args, file);
      expect(rows.length, args.join(' ')).to.be.greaterThan(0);
      expect(rows, args.join(' ')).to.deep.equal(expected);
    }
    const [steps, expected] = await bothOf('steps', file);
    expect(steps).to.deep.equal(expected.map((row) => asText(row, ['step'])));
  });

  it('has typed columns, all of which may be null', async () => {
    const path = freshPath('.parquet');
    await runCli('dprof', ['-q', '-f', 'parquet', '-c', 'sil,tflops,op,grid,layer', '-o', path, sample('lenet.nsys.sqlite')]); // prettier-ignore
    const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    const shown = schema.slice(1).map(({ name, type, converted_type: of, repetition_type: how }) => [name, type ?? of, how]); // prettier-ignore
    expect(shown).to.deep.equal([
      ['sil', 'INT64', 'OPTIONAL'],
      ['tflops', 'DOUBLE', 'OPTIONAL'],
      ['op', 'BYTE_ARRAY', 'OPTIONAL'],
      ['grid', 'LIST', 'OPTIONAL'],
      ['list', undefined, 'REPEATED'],
      ['element', 'INT64', 'REQUIRED'],
      ['layer', 'LIST', 'OPTIONAL'],
      ['list', undefined, 'REPEATED'],
      ['element', 'BYTE_ARRAY', 'REQUIRED'],
    ]);
  });

  it('is a file without rows too, and has a column once that is asked for twice', async () => {
    const path = freshPath('.parquet');
    const args = ['-q', '-f', 'parquet', '-c', 'op,op,sil', '--where', 'sil<0', '-o', path];
    expect((await runCli('dprof', [...args, sample('lenet.nsys.sqlite')])).code).to.equal(0);
    const { schema, num_rows: rows } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect([schema.slice(1).map(({ name }) => name), rows]).to.deep.equal([['op', 'sil'], 0n]);
  });

  it('has groups of rows, so that a reader needs no room for all', async () => {
    const values: readonly CellValue[] = [1, 'two', null];
    const columns: readonly Column<number>[] = [
      { key: 'n', header: 'n', type: 'int', width: 0, doc: '', value: (row) => row },
      { key: 'text', header: 'text', type: 'str', width: 0, doc: '', value: (row) => values[row % 3] ?? null },
    ];
    const rows = Array.from({ length: 40_000 }, (_, i) => i);
    const pieces = [...tableText(await loadFormat(requireFormat('parquet')), { columns, rows })];
    const path = freshPath('.parquet');
    writeFileSync(path, Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
    const read = await rowsOfFile(path);
    expect(read.map(plainRow)).to.deep.equal(
      rows.map((n) => ({ n, text: values[n % 3] === null ? null : String(values[n % 3]) })),
    );
    const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect(groups.length).to.be.greaterThan(1);
  });

  it('writes numbers beyond 2^53 by their digits, and numbers beyond 64 bits as unknown', async () => {
    const cells: readonly CellValue[] = ['9223372036854775807', '-5', 2 ** 53, 1.6, NaN, '9223372036854775808', 'x'];
    const column: Column<CellValue> = { key: 'n', header: 'n', type: 'int', width: 0, doc: '', value: (cell) => cell };
    const table = { columns: [column as Column<unknown>], rows: cells };
    const path = freshPath('.parquet');
    const pieces = [...tableText(await loadFormat(requireFormat('parquet')), table)];
    writeFileSync(path, Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
    expect((await rowsOfFile(path)).map(({ n }) => n ?? null)).to.deep.equal([
      9223372036854775807n,
      -5n,
      2n ** 53n,
      2n,
      null,
      null,
      null,
    ]);
  });

  it('is refused on a terminal, by all that write tables', async () => {
    const file = sample('lenet.nsys.sqlite');
    for (const args of [[], ['--by', 'op'], ['steps'], ['terms']]) {
      const words = [...args, '-f', 'parquet', ...(args[0] === 'terms' ? [] : [file])];
      const { code, stdout, stderr } = await runCli('dprof', words, { terminal: true });
      const line = 'dprof: refusing to write parquet to a terminal: use -o FILE\n';
      expect([code, stdout, stderr]).to.deep.equal([2, '', line]);
    }
  });

  it('and xlsx are the only formats that are not text', () => {
    expect(FORMATS.flatMap(({ id, binary }) => (binary === true ? [id] : []))).to.deep.equal(['parquet', 'xlsx']);
  });
});

const plainRow = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]));
