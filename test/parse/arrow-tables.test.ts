/** Tables in Arrow: the records of the databases that they were made from, and one line for bad ones. */
import {
  columnFromArray,
  int64,
  nullType,
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
import { copyTables } from '../../src/parse/sqlite/table-folders.js';
import { arrowOfDatabase, arrowStreamsOfDatabase } from '../../samples/programs/write-arrow.js';
import { parquetOfDatabase } from '../../samples/programs/write-parquet.js';
import { freshFolder } from '../support/fresh-path.js';
import { readInput as read } from '../support/read-input.js';
import { itShared, sharedFile } from '../support/shared.js';

function written(files: Readonly<Record<string, Uint8Array>>): string {
  const folder = freshFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

const writtenAs = (name: string, bytes: Uint8Array): string => join(written({ [name]: bytes }), name);

const bytesOf = (table: Table, format: 'stream' | 'file' = 'stream'): Buffer =>
  Buffer.from(tableToIPC(table, { format }) ?? '');

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

  const REAL = ['cuda_graph_rtx3060', 'h100_2gpu_orphans', 'fsdp_2proc', 'schema_2021', 'nvtx_only'];
  for (const name of REAL.map((real) => `data/nsys/${real}.sqlite`))
    itShared(`give the records of ${name}`, [name], async () => {
      const path = sharedFile(name) ?? '';
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
    // The end of a stream is its last 8 bytes: without them the last table is whole, but not known to be.
    for (const size of [streams.length / 2, streams.length - 8]) {
      const { lines, records } = await read(writtenAs('net.arrows', streams.subarray(0, size)));
      expect(records).to.deep.equal([]);
      expect(lines.join('\n')).to.match(/net\.arrows: is not an Arrow file, or is damaged: it has only \d+ bytes/);
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
