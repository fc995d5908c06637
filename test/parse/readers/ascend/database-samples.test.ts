/** Values over time in databases of Ascend. */
import { expect } from 'chai';
import type { SampleRecord } from '../../../../src/record/record.js';
import { AscendDatabase, ASCEND_SCHEMA, EPOCH, training } from '../../../support/ascend-database.js';
import { csv, task, timeText, writeProfile } from '../../../support/ascend-trace.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

describe('Ascend database: samples', () => {
  it('has samples of the memory of modules when it changes, whatever the order of rows', () => {
    const rows = [[100, 1, 5], [100, 2, 0], [200, 1, 5], [200, 2, 7], [300, 1, 6], [300, 2, 7], [400, 2, 0]] as const; // prettier-ignore
    const schema = {
      ...ASCEND_SCHEMA,
      NPU_MODULE_MEM: 'moduleId timestampNs totalReserved deviceId',
      ENUM_MODULE: 'id name$',
    };
    const samples = (order: readonly (readonly [number, number, number])[]): unknown[] => {
      const database = new AscendDatabase(schema).row('ENUM_MODULE', { id: 1, name: 'HCCL' });
      for (const [time, moduleId, totalReserved] of order) {
        database.row('NPU_MODULE_MEM', { timestampNs: EPOCH + BigInt(time), moduleId, totalReserved, deviceId: 0 });
      }
      database.task('EVENT_WAIT', [0, 10], 1);
      return recordsOf(database.write()).flatMap((record) =>
        record.type === 'sample' ? [[record.start, record.labels?.['module'], record.value]] : [],
      );
    };
    const expected = [[100, 'HCCL', 5], [100, 2, 0], [200, 2, 7], [300, 'HCCL', 6], [400, 2, 0]]; // prettier-ignore
    expect(samples(rows)).to.deep.equal(expected);
    expect(samples(rows.toReversed())).to.deep.equal(expected);
    expect(samples([...rows.slice(3), ...rows.slice(0, 3)])).to.deep.equal(expected);
  });

  it('has samples of values over time, those of memory when they change', () => {
    const database = training().row('AICORE_FREQ', { deviceId: 1, timestampNs: EPOCH + 50n, freq: 1650 });
    const memory = (ns: bigint, allocated: number): void => {
      const totals = { totalAllocated: allocated, totalReserved: 100, totalActive: null };
      database.row('MEMORY_RECORD', {
        component: database.string('PTA'),
        timestamp: EPOCH + ns,
        deviceId: 1,
        ...totals,
      });
    };
    memory(3n, 10);
    memory(1n, 5);
    memory(2n, 5);
    database.row('OP_MEMORY', { name: database.string('aten::empty'), size: 64, allocationTime: EPOCH + 60n, releaseTime: EPOCH + 75n, deviceId: 1, allocationTotalAllocated: 7 }); // prettier-ignore
    const path = database.write();
    expect(headerOf(path).devices[0]?.clockHz).to.equal(1.65e9);
    const samples = recordsOf(path).filter((record): record is SampleRecord => record.type === 'sample');
    expect(
      samples.map(({ start, metric, value, unit, labels }) => [start, metric, value, unit, labels?.['component']]),
    ).to.deep.equal([
      [0, 'memory_allocated', 5, 'bytes', 'PTA'],
      [0, 'memory_reserved', 100, 'bytes', 'PTA'],
      [2, 'memory_allocated', 10, 'bytes', 'PTA'],
      [49, 'aicore_freq', 1.65e9, 'Hz', undefined],
      [59, 'op_memory', 64, 'bytes', undefined],
      [89, 'step', 7, null, undefined],
    ]);
    expect(samples.at(-2)).to.deep.include({ dur: 15, labels: { op: 'aten::empty', allocated: 7 } });
    expect(headerOf(path).startUnixNs).to.equal(String(EPOCH + 1n));
  });

  it('has the values of each device where their label is unknown', () => {
    const database = training();
    for (const deviceId of [0, 1]) {
      for (const [ns, totalAllocated] of [
        [1n, 5],
        [2n, 5],
        [3n, 6],
      ] as const)
        // prettier-ignore
        database.row('MEMORY_RECORD', { component: null, timestamp: EPOCH + ns, deviceId, totalAllocated });
    }
    const samples = recordsOf(database.write()).flatMap((record) =>
      record.type === 'sample' && record.metric === 'memory_allocated'
        ? [[record.start, record.device, record.value]]
        : [],
    );
    expect(samples).to.have.deep.members([[0, 0, 5], [0, 1, 5], [2, 0, 6], [2, 1, 6]]); // prettier-ignore
  });

  it('counts rows of another epoch, and no wrong reason', () => {
    const database = training();
    const before = diagnosticsOf(database.write());
    const component = database.string('PTA');
    for (const timestamp of [0n, 5_000_000_000n, EPOCH + 50n])
      database.row('MEMORY_RECORD', {
        component,
        timestamp,
        deviceId: 1,
        totalAllocated: 1,
        totalReserved: 1,
        totalActive: 1,
      });
    database.op('aten::far', [0, 0]);
    database.row('PYTORCH_API', { startNs: '5000000000', endNs: '5000000100', globalTid: 1, type: 50001, name: 1 });
    // Two rows of memory and a range.
    expect(diagnosticsOf(database.write())).to.deep.equal({ ...before, 'time-of-another-epoch': 3 });
  });

  it('counts rows of another epoch of memory_record.csv too', () => {
    const header = [
      'Component',
      'Timestamp(us)',
      'Total Allocated(MB)',
      'Total Reserved(MB)',
      'Total Active(MB)',
      'Device Type',
    ];
    const row = (time: string): unknown[] => ['PTA', time, 1, 2, 1, 'NPU:0'];
    const beside = { 'memory_record.csv': csv(header, row(timeText(50)), row('5000000.000'), row('')) };
    const path = writeProfile([task('MatMul', 'AI_CORE', 1, 30, 40)], beside);
    expect(diagnosticsOf(path)).to.deep.include({ 'time-of-another-epoch': 1, 'row-passed-over': 1 });
  });
});
