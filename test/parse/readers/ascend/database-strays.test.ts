/** Rows of an Ascend database an hour away from all others: their time is damaged, whatever their table. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync } from 'node:fs';
import { EPOCH, training } from '../../../support/ascend-database.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

const HOUR = 3_600_000_000_000;
const SAMPLE = 'samples/ascend_pytorch_profiler_0.db';

/** Columns of times by table, and what makes a copied row one of its own. */
const HOST: Readonly<Record<string, { readonly times: readonly string[]; readonly cells?: string; readonly far?: number }>> = {
  PYTORCH_API: { times: ['startNs', 'endNs'], cells: 'connectionId = NULL' },
  CANN_API: { times: ['startNs', 'endNs'], cells: 'connectionId = 987654' },
  MSTX_EVENTS: { times: ['startNs', 'endNs'], cells: 'connectionId = 4294967295' },
  STEP_TIME: { times: ['startNs', 'endNs'], cells: 'id = 99' },
  AICORE_FREQ: { times: ['timestampNs'] },
  MEMORY_RECORD: { times: ['timestamp'] },
  // Its allocation and its release.
  OP_MEMORY: { times: ['allocationTime', 'releaseTime'], far: 2 },
}; // prettier-ignore

/** The sample with a copy of the last row of a table whose times are by so much later. */
function withCopy(table: string, times: readonly string[], by: number, cells = 'rowid = rowid'): string {
  const path = freshPath();
  copyFileSync(SAMPLE, path);
  const db = new Database(path);
  const columns = db.pragma(`table_info(${table})`) as { readonly name: string }[];
  const moved = columns.map(({ name }) => (times.includes(name) ? `CAST("${name}" AS INTEGER) + ${by}` : `"${name}"`));
  const last = `(SELECT max(rowid) FROM ${table})`;
  db.exec(`INSERT INTO ${table} SELECT ${moved.join(', ')} FROM ${table} WHERE rowid = ${last}`);
  db.exec(`UPDATE ${table} SET ${cells} WHERE rowid = ${last}`);
  db.close();
  return path;
}

/** As lines, but for the last one, which counts what is not believed. */
const linesOf = (path: string): string[] =>
  recordsOf(path, { ranges: true, name: 'sample' })
    .slice(0, -1)
    .map((record) => JSON.stringify(record));

describe('Ascend database: a row far from all others', () => {
  const clean = linesOf(SAMPLE);

  for (const [table, { times, cells, far = 1 }] of Object.entries(HOST)) {
    it(`of ${table} changes no record`, () => {
      for (const by of [-HOUR, HOUR]) {
        const path = withCopy(table, times, by, cells);
        expect(linesOf(path)).to.deep.equal(clean);
        expect(diagnosticsOf(path)['time-far-away']).to.equal(far);
      }
    });
  }

  it('of TASK or COMMUNICATION_OP is work of unknown time, and sets no start', () => {
    const { startUnixNs, dur } = headerOf(SAMPLE);
    expect([startUnixNs, dur]).to.deep.equal(['1768435200000000000', 752_280]);
    for (const table of ['TASK', 'COMMUNICATION_OP']) {
      const db = withCopy(table, ['startNs', 'endNs'], -HOUR, 'connectionId = 987654');
      expect(headerOf(db), table).to.include({ startUnixNs, dur });
    }
  });

  it('is found among more samples than are looked at, and among times of another epoch', () => {
    const database = training();
    const sample = (at: number | bigint): void => {
      database.row('AICORE_FREQ', { deviceId: 1, timestampNs: EPOCH + BigInt(at), freq: 1650 });
    };
    for (let n = 0; n < 200; n++) sample(n * 10 + 20);
    const header = headerOf(database.write());
    expect(header.startUnixNs).to.equal(String(EPOCH + 20n));
    for (const at of [-HOUR, 2 * HOUR, -HOUR]) sample(at);
    for (let n = 0; n < 40; n++) sample(BigInt(n + 1) - EPOCH);
    const path = database.write();
    expect(headerOf(path)).to.deep.include({ startUnixNs: header.startUnixNs, dur: header.dur });
    expect(diagnosticsOf(path)).to.include({ 'time-far-away': 3, 'time-of-another-epoch': 40 });
    expect(recordsOf(path).filter((record) => record.type === 'sample' && record.metric === 'aicore_freq')).to.have.length(200);
  }); // prettier-ignore

  it('is not left out of samples that began long before the work, when there are more than three', () => {
    const database = training();
    for (const second of [0, 1, 2, 3]) {
      database.row('AICORE_FREQ', {
        deviceId: 1,
        timestampNs: EPOCH - BigInt(HOUR) + BigInt(second * 1e9),
        freq: 1650,
      });
    }
    expect(headerOf(database.write())).to.deep.include({ startUnixNs: String(EPOCH - BigInt(HOUR)), dur: HOUR + 3100 });
  });

  it('does not leave out the first of equal values', () => {
    const database = training();
    const component = database.string('PTA');
    for (const at of [-HOUR, 300, 400]) {
      database.row('MEMORY_RECORD', { component, timestamp: EPOCH + BigInt(at), deviceId: 1, totalAllocated: 5 });
    }
    const samples = recordsOf(database.write()).filter((record) => record.type === 'sample' && record.metric === 'memory_allocated');
    // The profile starts with its first op, at 100.
    expect(samples.map((record) => 'start' in record && record.start)).to.deep.equal([200]);
  }); // prettier-ignore

  it('ends no block of memory', () => {
    const database = training();
    for (const until of [800, HOUR]) {
      const times = { allocationTime: EPOCH + 600n, releaseTime: EPOCH + BigInt(until) };
      database.row('OP_MEMORY', { name: database.string('aten::empty'), size: 64, deviceId: 1, ...times });
    }
    const path = database.write();
    const blocks = recordsOf(path).flatMap((record) => (record.type === 'sample' && record.metric === 'op_memory' ? [record.dur] : []));
    expect(blocks).to.deep.equal([200, null]);
    expect(diagnosticsOf(path)['time-far-away']).to.equal(1);
  }); // prettier-ignore

  it('does not begin a range that is marked on the device', () => {
    const mark = { eventType: 2, domainId: 65535, connectionId: 4_000_000_001 };
    const database = training();
    const globalTid = (3_136_495n << 32n) | 100n;
    database.timed('MSTX_EVENTS', [205, 795], { ...mark, globalTid, message: database.string('epoch') });
    database.task('PROFILER_TRACE_EX', [2400, 2400], 4_000_000_001);
    database.task('PROFILER_TRACE_EX', [-HOUR, -HOUR], 4_000_000_001);
    database.task('PROFILER_TRACE_EX', [2750, 2760], 4_000_000_001);
    const path = database.write();
    const found = recordsOf(path, { ranges: true }).flatMap((record) =>
      record.type === 'range' && record.text === 'npu:1:epoch' ? [[record.start, record.dur]] : [],
    );
    // From 2400 to 2760, of a profile that starts at 100.
    expect(found).to.deep.equal([[2300, 360]]);
    expect([headerOf(path).startUnixNs, diagnosticsOf(path)['time-far-away']]).to.deep.equal([String(EPOCH + 100n), 1]);
  });

  it('of an op protects none of the device at the same time, nor it the op', () => {
    const database = training();
    for (let n = 0; n < 40; n++) database.op('aten::empty', [100 + n * 10, 105 + n * 10]);
    const { startUnixNs, dur } = headerOf(database.write());
    database.op('aten::far', [-HOUR, 10 - HOUR]);
    database.kernel('far', [-HOUR, 20 - HOUR], 77_777);
    const path = database.write();
    expect(headerOf(path)).to.deep.include({ startUnixNs, dur });
    expect(diagnosticsOf(path)['time-far-away']).to.equal(2);
  });
});
