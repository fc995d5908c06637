/** Tables in Arrow: the records of the databases that they were made from, and one line for bad ones. */
import {
  columnFromArray,
  CompressionType,
  dictionary,
  int32,
  int64,
  nullType,
  setCompressionCodec,
  tableFromColumns,
  tableToIPC,
  uint64,
  utf8,
  type Table,
} from '@uwdata/flechette';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { arrowRows } from '../../src/parse/sqlite/arrow-tables.js';
import { copyTables } from '../../src/parse/sqlite/table-folders.js';
import { arrowOfDatabase, arrowStreamsOfDatabase } from '../../samples/programs/write-arrow.js';
import { parquetOfDatabase } from '../../samples/programs/write-parquet.js';
import { freshFolder } from '../support/fresh-path.js';
import { readInput as read } from '../support/read-input.js';
import { itEachShared } from '../support/shared.js';

function written(files: Readonly<Record<string, Uint8Array>>): string {
  const folder = freshFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

const writtenAs = (name: string, bytes: Uint8Array): string => join(written({ [name]: bytes }), name);

const bytesOf = (table: Table, format: 'stream' | 'file' = 'stream'): Buffer =>
  Buffer.from(tableToIPC(table, { format }) ?? '');

/** The messages of a stream without its end: each has a mark, a size, and a body whose size is in its header. */
function messagesIn(stream: Buffer): Uint8Array[] {
  const starts = [...stream.keys()].filter((at) => at % 8 === 0 && stream.readInt32LE(at) === -1);
  return starts.slice(0, -1).map((at, i) => stream.subarray(at, starts[i + 1]));
}

const joined = (parts: readonly (Uint8Array | undefined)[]): Buffer =>
  Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0)));

/** A schema without columns that says that its numbers are big-endian, as a FlatBuffer: 16-bit words in hexadecimal. */
const bigEndian = Buffer.from(
  [
    ...['ffff ffff', '3800 0000', '1000 0000'], // mark, size, where the message's table is
    ...['0c00 0c00 0800 0a00 0400 0000', '0c00 0000 1000 0000 0400 0100'], // version 5, a schema 16 bytes on
    ...['0800 0c00 0800 0400', '0800 0000 0800 0000 0100 0000', '0000 0000', '0000 0000'], // big-endian, no fields
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
);

/** Rows of pairs of letters. */
const rowsOf = (letters: string): unknown[] =>
  Array.from(letters.matchAll(/(.)(.)/g), ([, name, same]) => ({ name, same }));

const latin1 = (bytes?: Buffer): string => bytes?.toString('latin1') ?? '';

/** The rows of a table after it is copied. */
async function copied(bytes: Uint8Array): Promise<unknown[]> {
  const database = join(freshFolder(), 'copy.sqlite');
  await copyTables(new Map([['T', [writtenAs('T.arrow', bytes)]]]), database);
  const rows = new Database(database, { readonly: true }).prepare('SELECT * FROM T').safeIntegers().all();
  return rows;
}

const LENET = 'samples/lenet.nsys.sqlite';

describe('tables in Arrow', () => {
  for (const path of [LENET, 'samples/transformer.nsys.sqlite'])
    it(`give the records of ${path}: a folder of files or streams, and all streams in one file`, async () => {
      const expected = await read(path);
      expect(expected.records.length).to.be.greaterThan(100);
      const database = readFileSync(path);
      for (const format of ['file', 'stream'] as const)
        for (const batch of [7, 1000])
          expect(await read(written(arrowOfDatabase(database, { format, batch })))).to.deep.equal(expected);
      const streams = arrowStreamsOfDatabase(database, { batch: 100 });
      expect(await read(writtenAs('net.arrows', streams))).to.deep.equal(expected);
      expect(await read(writtenAs('net.arrows.gz', gzipSync(streams)))).to.deep.equal(expected);
    });

  const inData = (names: readonly string[]): string[] => names.map((name) => `data/nsys/${name}.sqlite`);
  const REAL = inData(['cuda_graph_rtx3060', 'schema_2021', 'nvtx_only']);
  const MORE_REAL = inData(['h100_2gpu_orphans', 'fsdp_2proc']);
  const titleOf = (name: string): string => `give the records of ${name}`;
  itEachShared(REAL, MORE_REAL, titleOf, async (path) => {
    const database = readFileSync(path);
    const expected = await read(path);
    expect(await read(writtenAs('net.arrows', arrowStreamsOfDatabase(database)))).to.deep.equal(expected);
    expect(await read(written(arrowOfDatabase(database)))).to.deep.equal(expected);
  });

  it('are read once where a folder has them in Parquet, too', async () => {
    const database = readFileSync(LENET);
    const folder = written({ ...parquetOfDatabase(database), ...arrowOfDatabase(database) });
    expect(await read(folder)).to.deep.equal(await read(LENET));
  });

  it('keep integers of 64 bits, and unknown values, in several batches', async () => {
    const table = tableFromColumns({
      start: columnFromArray([2n ** 62n + 1n, null, -3n], int64(), { maxBatchRows: 2 }),
      id: columnFromArray([2n ** 64n - 1n, 0n, 1n], uint64(), { maxBatchRows: 2 }),
      name: columnFromArray(['é', '', null], utf8(), { maxBatchRows: 2 }),
    });
    for (const format of ['file', 'stream'] as const)
      expect(await copied(bytesOf(table, format))).to.deep.equal([
        { start: 4611686018427387905n, id: -1n, name: 'é' },
        { start: null, id: 0n, name: '' },
        { start: -3n, id: 1n, name: null },
      ]);
  });

  it('that are cut off, or no Arrow, are one line', async () => {
    const database = readFileSync(LENET);
    for (const format of ['file', 'stream'] as const) {
      const files = arrowOfDatabase(database, { format });
      const whole = Buffer.from(files['StringIds.arrow'] ?? '');
      const half = whole.subarray(0, whole.length / 2);
      for (const bytes of [half, Buffer.from('ARROW1'), Buffer.alloc(0), Buffer.from('text\n'.repeat(9))]) {
        const { lines, records } = await read(written({ ...files, 'StringIds.arrow': bytes }));
        expect(records).to.deep.equal([]);
        expect(lines).to.have.length(1);
        expect(lines[0])
          .to.match(/StringIds\.arrow: is not an Arrow file, or is damaged/)
          .and.not.include('\n');
      }
    }
    const streams = arrowStreamsOfDatabase(database);
    for (const size of [streams.length / 2, streams.length - 9]) {
      const { lines, records } = await read(writtenAs('net.arrows', streams.subarray(0, size)));
      expect(records).to.deep.equal([]);
      expect(lines.join('\n')).to.match(/net\.arrows: is not an Arrow file, or is damaged: it has only \d+ bytes/);
    }
  });

  it('may end without the mark of the end, which is 8 bytes, but not within a message', async () => {
    const database = readFileSync(LENET);
    const expected = await read(LENET);
    const streams = arrowStreamsOfDatabase(database);
    expect(await read(writtenAs('net.arrows', streams.subarray(0, -8)))).to.deep.equal(expected);
    const tables = Object.entries(arrowOfDatabase(database, { format: 'stream' }));
    const ended = Object.fromEntries(tables.map(([name, bytes]) => [name, bytes.subarray(0, -8)]));
    expect(await read(written(ended))).to.deep.equal(expected);
    // In a file, the mark is before the footer.
    const file = Buffer.from(arrowOfDatabase(database, { format: 'file' })['StringIds.arrow'] ?? '');
    const { lines } = await read(writtenAs('StringIds.arrow', file.subarray(0, -1)));
    expect(lines.join('\n')).to.match(/StringIds\.arrow/);
  });

  it('have the texts of the dictionaries that are before each batch: replaced, added to, of several columns', async () => {
    type Texts = { data: { dictionary: Texts; values: Int32Array }[] };
    const textColumn = (...texts: string[]) => columnFromArray(texts, dictionary(utf8(), int32()));
    const same = textColumn('x', 'y');
    const ofTexts = (...texts: string[]) => messagesIn(bytesOf(tableFromColumns({ name: textColumn(...texts), same })));
    const [schema, first, other, records] = ofTexts('a', 'b');
    const [, second] = ofTexts('c', 'd');
    const parts = [schema, first, other, records, records, second, records];
    expect(await copied(joined(parts))).to.deep.equal(rowsOf('axbyaxbycxdy'));
    // A dictionary of two messages, and rows that refer to its third and fourth strings.
    const added = textColumn('a', 'b');
    const [{ dictionary: ab, values } = { dictionary: null, values: null }] = (added as unknown as Texts).data;
    ab?.data.push(...((textColumn('c', 'd') as unknown as Texts).data[0]?.dictionary.data ?? []));
    values?.set([2, 3]);
    const [, , delta, , later] = messagesIn(bytesOf(tableFromColumns({ name: added, same })));
    expect(await copied(joined([schema, first, other, records, delta, later, records]))).to.deep.equal(
      rowsOf('axbycxdyaxby'),
    );
    // More than 1000 dictionaries, only one of which is current.
    const many = Array.from({ length: 1500 }, () => [first, second]).flat();
    expect(await copied(joined([schema, other, ...many, records]))).to.deep.equal(rowsOf('cxdy'));
  });

  it('are decoded once with all dictionaries before their rows', async () => {
    const column = () => columnFromArray(['a', 'b', 'a'], dictionary(utf8(), int32()));
    const path = writtenAs('columns.arrow', bytesOf(tableFromColumns({ first: column(), second: column(), third: column() }))); // prettier-ignore
    const groups: number[] = [];
    for await (const { rows } of arrowRows(path)) groups.push(rows);
    expect(groups).to.deep.equal([3]);
  });

  it('that are compressed with LZ4, or big-endian, say what to do', async () => {
    const table = tableFromColumns({ id: columnFromArray(Array(99).fill(1n), int64()) });
    setCompressionCodec(CompressionType.LZ4_FRAME, { encode: (bytes) => bytes.subarray(1), decode: (bytes) => bytes });
    const lz4 = Buffer.from(tableToIPC(table, { codec: CompressionType.LZ4_FRAME }) ?? '');
    for (const [bytes, line] of [
      [lz4, /StringIds\.arrow: is compressed with LZ4, which is not supported: export it without compression$/],
      [bigEndian, /StringIds\.arrow: has numbers in big-endian order, .*: export it on a little-endian machine$/],
    ] as const) {
      const { lines, records } = await read(written({ 'StringIds.arrow': bytes }));
      expect(records).to.deep.equal([]);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(line);
    }
  });

  it('in an empty folder, and a table by itself, are one line that says what to give', async () => {
    const empty = join(freshFolder(), 'net_arwdir');
    mkdirSync(empty);
    expect((await read(empty)).lines.join('\n')).to.match(/net_arwdir: folder is empty/);
    for (const format of ['file', 'stream'] as const) {
      const table = arrowOfDatabase(readFileSync(LENET), { format })['StringIds.arrow'] ?? Buffer.alloc(0);
      const { lines } = await read(writtenAs('StringIds.arrow', table));
      expect(lines.join('\n')).to.match(/is an Arrow table .*give the folder with all tables/);
    }
  });

  it('that grow out of all proportion are refused', async () => {
    const bytes = bytesOf(tableFromColumns({ none: columnFromArray(Array(54321).fill(null), nullType()) }));
    // The number of rows, of the batch and of its column.
    const [few, many] = [54321n, 10n ** 12n].map((count) => Buffer.from(new BigInt64Array([count]).buffer));
    const damaged = Buffer.from(bytes.toString('latin1').replaceAll(latin1(few), latin1(many)), 'latin1');
    const { lines } = await read(written({ 'StringIds.arrow': damaged }));
    expect(lines.join('\n')).to.match(/StringIds\.arrow: unpacks to more than 1000 times its size/);
  });
});
