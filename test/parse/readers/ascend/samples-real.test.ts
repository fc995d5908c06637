/** Samples and facts of real profiles beside SQL over the tables, and the counters of the trace itself. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SampleRecord } from '../../../../src/record/record.js';
import { headerOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const BASE = 'data/ascend';
const PATH = (folder: string, file: string): string => `${BASE}/${folder}/ASCEND_PROFILER_OUTPUT/${file}`;

/** Levels of the accelerators and of the chip, by the column that has them and by the counter of the trace. */
const LEVELS = [
  ['acc_read_bw_level', 'ACC_PMU', 'readBwLevel', 'read_bandwidth'],
  ['acc_write_bw_level', 'ACC_PMU', 'writeBwLevel', 'write_band_width'],
  ['acc_read_ost_level', 'ACC_PMU', 'readOstLevel', 'read_ost'],
  ['acc_write_ost_level', 'ACC_PMU', 'writeOstLevel', 'write_ost'],
  ['l2_buffer_bw_level', 'SOC_BANDWIDTH_LEVEL', 'l2BufferBwLevel', 'L2 Buffer Bw Level'],
  ['mata_bw_level', 'SOC_BANDWIDTH_LEVEL', 'mataBwLevel', 'Mata Bw Level'],
] as const;

/** When, which accelerator, and how much, in order. */
const rowsOf = (samples: readonly SampleRecord[], base: bigint): string[] =>
  samples.map(({ start, labels, value }) => `${base + BigInt(start ?? NaN)} ${labels?.['acc'] ?? ''} ${value}`).sort();

const samplesOf = (path: string, metric: string): SampleRecord[] =>
  recordsOf(path).filter((record): record is SampleRecord => record.type === 'sample' && record.metric === metric);

interface Counter {
  readonly ph: string;
  readonly name: string;
  readonly ts: string;
  readonly args: Readonly<Record<string, number>>;
}

describe('Ascend samples', () => {
  for (const [folder, file] of [
    ['db_level0_rank0', 'ascend_pytorch_profiler_0.db'],
    ['db_level1_rank1', 'ascend_pytorch_profiler_1.db'],
  ] as const) {
    itShared(`are the rows of ACC_PMU and SOC_BANDWIDTH_LEVEL: ${folder}`, [PATH(folder, file)], ([path = '']) => {
      const base = BigInt(headerOf(path).startUnixNs ?? 0);
      const database = new Database(path, { readonly: true });
      try {
        for (const [metric, table, column] of LEVELS) {
          const acc = table === 'ACC_PMU' ? 'accId' : "''";
          const expected = database.prepare(`SELECT timestampNs || ' ' || ${acc} || ' ' || ${column} AS line FROM ${table}`).all() as { line: string }[]; // prettier-ignore
          expect(rowsOf(samplesOf(path, metric), base)).to.deep.equal(expected.map(({ line }) => line).sort());
        }
      } finally {
        database.close();
      }
    });
  }

  for (const folder of ['text_level1_rank0', 'text_level1_rank1']) {
    itShared(`are the counters of the trace: ${folder}`, [PATH(folder, 'trace_view.json')], ([path = '']) => {
      const base = BigInt(headerOf(path).startUnixNs ?? 0);
      const events = (JSON.parse(readFileSync(path, 'utf8')) as Counter[]).filter(({ ph }) => ph === 'C');
      const expected = (name: string): string[] => events.filter((event) => event.name === name)
        .map(({ ts, args }) => `${ts.replace('.', '')} ${args['acc_id'] ?? ''} ${args['value'] ?? args[name]}`).sort(); // prettier-ignore
      for (const [metric, , , name] of LEVELS) {
        expect(rowsOf(samplesOf(path, metric), base), metric).to.deep.equal(expected(name));
      }
      const quality = samplesOf(path, 'qos');
      expect(rowsOf(quality, base)).to.deep.equal(expected('QoS OTHERS'));
      expect(quality.length).to.be.above(1000);
      expect(new Set(quality.map(({ unit, labels }) => `${unit} ${String(labels?.['of'])}`))).to.deep.equal(new Set(['null others'])); // prettier-ignore
    });
  }
});

describe('Ascend metadata', () => {
  const folder = `${BASE}/text_qwen_level2_rank0`;
  itShared('is a fact a key, without the environment', [folder], ([path = '']) => {
    const file = readFileSync(join(path, 'profiler_metadata.json'), 'utf8');
    const { distributed_args: added } = JSON.parse(file) as { distributed_args: Record<string, number | boolean> };
    const { facts = {} } = headerOf(join(path, 'ASCEND_PROFILER_OUTPUT', 'kernel_details.csv'));
    const found = Object.entries(facts).filter(([name]) => name.startsWith('metadata.'));
    const expected = Object.entries(added).map(([key, value]) => [`metadata.distributed_args.${key}`, typeof value === 'boolean' ? String(value) : value]); // prettier-ignore
    expect(found).to.deep.equal(expected);
    expect(found).to.have.length(8);
  });
});
