/** Folders of Parquet tables: the records of the captures that they were made from, and one line for bad ones. */
import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { explorerTables, parquetOfDatabase } from '../../samples/programs/write-parquet.js';
import type { TableFiles } from '../../samples/programs/write-tables.js';
import { freshFolder } from '../support/fresh-path.js';
import { readInput as read } from '../support/read-input.js';
import { itShared, sharedFile } from '../support/shared.js';

function written(files: TableFiles): string {
  const folder = freshFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

/** Lines without what the tables do not have: layers, counts of each core, names of the capture's files. */
function comparable(lines: readonly string[]): unknown[] {
  return lines
    .filter((line) => !/^\{"type":"layer"|"from":"model_info"/.test(line))
    .map((line) => {
      const record = JSON.parse(line) as Record<string, unknown>;
      if (record['type'] === 'end') record['counts'] = null;
      if (record['type'] === 'profile') record['facts'] = null;
      return JSON.stringify(record);
    })
    .sort();
}

const difference = (a: readonly unknown[], b: readonly unknown[]): unknown[] => {
  const known = new Set(b);
  return a.filter((each) => !known.has(each)).slice(0, 3);
};

function expectSame(found: readonly string[], expected: readonly string[]): void {
  const [a, b] = [comparable(found), comparable(expected)];
  expect(difference(a, b)).to.deep.equal([]);
  expect(difference(b, a)).to.deep.equal([]);
  expect(a).to.deep.equal(b);
}

/** A table of one row. */
const table = (row: Readonly<Record<string, bigint | string | number>>): Uint8Array => {
  const typeOf = (cell: unknown): 'INT64' | 'DOUBLE' | 'STRING' =>
    typeof cell === 'bigint' ? 'INT64' : typeof cell === 'number' ? 'DOUBLE' : 'STRING';
  const columnData = Object.entries(row).map(([name, cell]) => ({ name, type: typeOf(cell), data: [cell] }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
};

describe('folders of Parquet tables', () => {
  for (const name of ['lenet.nsys.sqlite', 'transformer.nsys.sqlite'])
    it(`of Nsight Systems give the records of ${name}, in one file for a table or several`, async () => {
      const path = join('samples', name);
      const expected = await read(path);
      expect(expected.records.length).to.be.greaterThan(100);
      const gzip = { codec: 'GZIP', compressors: { GZIP: (bytes: Uint8Array) => gzipSync(bytes) } } as const;
      for (const pieces of [{}, { file: 50, group: 7 }, { codec: gzip }])
        expect(await read(written(parquetOfDatabase(readFileSync(path), pieces)))).to.deep.equal(expected);
    });

  it('of Neuron Explorer give the records of the JSON, in one file for a table or several', async () => {
    // Packets of a transfer have the same memories in the tables; in the sample some of them are unknown.
    const sample = readFileSync('samples/attention.neuron.json', 'utf8');
    const known = /"source":\[\["(?!unknown)[^{}]*?"dest":[^{}]*?(?=,"packet_idx":\d+,"packet_aggregation_id":(\d+))/g;
    const memories = new Map(Array.from(sample.matchAll(known), ([text, id]) => [id, text]));
    const unknown =
      /"source":\[\["unknown"\]\],"dest":\["unknown"\](?=,"packet_idx":\d+,"packet_aggregation_id":(\d+))/g;
    const text = sample.replaceAll(unknown, (all: string, id: string) => memories.get(id) ?? all);
    expect(text).to.not.equal(sample);
    const path = join(freshFolder(), 'attention.neuron.json');
    writeFileSync(path, text);
    const { records } = await read(path);
    for (const pieces of [{}, { file: 50, group: 7 }]) {
      const found = await read(written(explorerTables(text, pieces)));
      expect(found.lines).to.deep.equal([]);
      expectSame(found.records, records);
    }
  });

  const REAL = 'data/neuron/trn2_fused_fp32_s512/fused_exec_2_profile_full.json';
  itShared('of Neuron Explorer give the records of a real capture', [REAL], async () => {
    const path = sharedFile(REAL) ?? '';
    const found = await read(written(explorerTables(readFileSync(path, 'utf8'), { group: 500 })));
    expect(found.lines).to.deep.equal([]);
    expectSame(found.records, (await read(path)).records);
  });

  it('of Neuron Explorer have the throughput of HBM, and rows of other tables with a time are counted', async () => {
    const rate = { timestamp: 50n, current_throughput: 2.5e9, total_transfer_bytes: 4096n, pcore_idx: 0n };
    const system = { name: 'nrt_execute', start_ts: 1n, end_ts: 9n, duration_ns: 8n };
    const { records, lines } = await read(
      written({
        'Metadata.parquet': table({
          profile_schema_version: '7.4.0',
          first_hw_timestamp: 0n,
          last_hw_timestamp: 1000n,
        }),
        'Summary.parquet': table({ total_time: 1e-6 }),
        'Instruction.parquet': table({
          start_ts: 40n,
          end_ts: 65n,
          duration_ns: 25n,
          engine: 'tensor',
          pcore_idx: 0n,
          opcode: 'MATMUL',
          id: 1n,
        }),
        'HbmUsage.parquet': table(rate),
        'CpuUsage.parquet': table({ timestamp: 1n, instance_id: 'i-0' }),
        'HostMemUsage.parquet': table({ timestamp: 1n, used_bytes: 1n }),
        'SystemProfileEvents.parquet': table(system),
        'ActiveTime.parquet': table({ start_ts: 40n, end_ts: 65n, engine: 'tensor' }),
      }),
    );
    expect(lines).to.deep.equal([]);
    const parsed = records.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed.find(({ metric }) => metric === 'hbm_transfer_rate')).to.deep.include({
      ...{ start: 50, value: 2.5e9, unit: 'bytes/s', labels: { totalBytes: 4096 } },
    });
    expect(parsed[0]?.['facts']).to.deep.include({ not_read: 'CpuUsage: 1, HostMemUsage: 1, SystemProfileEvents: 1' });
    expect(parsed.at(-1)?.['diagnostics']).to.deep.include({ 'event-not-read': 3 });
  });

  it('of Neuron Explorer state the only core of a capture, and ends in place of durations', async () => {
    const times = { first_hw_timestamp: 0n, last_hw_timestamp: 1000n };
    const { records, lines } = await read(
      written({
        'Metadata.parquet': table({
          profile_schema_version: '12.0.1',
          num_physical_cores: 1n,
          neuroncore_idx: 5n,
          ...times,
        }),
        'Summary.parquet': table({ total_time: 1e-6 }),
        'Instruction.parquet': table({
          start_ts: 40n,
          end_ts: 65n,
          engine: 'tensor',
          pcore_idx: 0n,
          opcode: 'MATMUL',
          id: 2n ** 62n + 1n,
        }),
      }),
    );
    expect(lines).to.deep.equal([]);
    const kernel = JSON.parse(records.find((line) => line.includes('"type":"kernel"')) ?? '{}') as Record<
      string,
      unknown
    >;
    expect(kernel).to.deep.include({
      start: 40,
      dur: 25,
      device: 5,
      engine: 'Tensor',
      labels: { id: '4611686018427387905' },
    });
  });

  it('that are cut off, or no Parquet, are one line; tables that are missing are missing records', async () => {
    const files = parquetOfDatabase(readFileSync('samples/lenet.nsys.sqlite'));
    const folder = written(files);
    const path = join(folder, 'StringIds.parquet');
    const whole = readFileSync(path);
    for (const bytes of [
      whole.subarray(0, whole.length / 2),
      Buffer.from('PAR1'),
      Buffer.alloc(0),
      Buffer.from('text\n'.repeat(9)),
    ]) {
      writeFileSync(path, bytes);
      const { lines, records } = await read(folder);
      expect(records).to.deep.equal([]);
      expect(lines).to.have.length(1);
      expect(lines[0])
        .to.match(/StringIds\.parquet: is not a Parquet file, or is damaged/)
        .and.not.include('\n');
    }
    writeFileSync(path, whole);
    rmSync(join(folder, 'CUPTI_ACTIVITY_KIND_MEMCPY.parquet'));
    const { lines, records } = await read(folder);
    expect(lines).to.deep.equal([]);
    expect(records.filter((line) => line.includes('"type":"copy"'))).to.deep.equal([]);
    expect(records.filter((line) => line.includes('"type":"kernel"')).length).to.be.greaterThan(100);
  });

  it('that grow out of all proportion are refused before they are read', async () => {
    const rows = 10_000_000;
    const column = { name: 'id', type: 'INT32' as const, data: new Int32Array(rows) };
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [column], rowGroupSize: rows }));
    expect(bytes.length).to.be.lessThan(80_000);
    const { lines } = await read(written({ 'StringIds.parquet': bytes }));
    expect(lines.join('')).to.match(/StringIds\.parquet: unpacks to more than 1000 times its size/);
  });
});
