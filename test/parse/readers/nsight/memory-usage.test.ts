import { expect } from 'chai';
import type { EndRecord, ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { Memory } from '../../../../src/prof/memory/memory-report.js';
import { globalPid, NsightDatabase } from '../../../support/nsight-database.js';
import { recordsOf } from '../../../support/profile-records.js';

const MIB = 1024 * 1024;
const samples = (records: readonly ProfileLine[]): SampleRecord[] => records.filter(({ type }) => type === 'sample') as SampleRecord[]; // prettier-ignore
/** The curve: time and value. */
const curve = (records: readonly ProfileLine[], component = 'Device', device: number | null = 0) =>
  samples(records)
    .filter(({ metric, labels }) => metric === 'memory_allocated_since_first' && labels?.['component'] === component)
    .filter((sample) => sample.device === device)
    .map(({ start, value }) => [start, value]);
const diagnosticsIn = (records: readonly ProfileLine[]) => (records.at(-1) as EndRecord).diagnostics;

describe('Nsight: memory that CUDA allocates', () => {
  /** 2 MiB held from 100 to 400, 3 MiB from 200 on: the peak is 5 MiB at 200. */
  const database = () =>
    new NsightDatabase().launch(1, ['a']).memory(100, 0, 0xa000, 2 * MIB).memory(200, 0, 0xb000, 3 * MIB).memory(400, 1, 0xa000, 2 * MIB); // prettier-ignore

  it('is a curve of what is allocated since the first event', () => {
    const records = recordsOf(database().write());
    const points = [[100, 2 * MIB], [200, 5 * MIB], [400, 3 * MIB]]; // prettier-ignore
    expect(curve(records)).to.deep.equal(points);
    expect(diagnosticsIn(records)).to.deep.equal({});
    expect(records[0]).not.to.have.property('facts');
  });

  it('states how long each block was held', () => {
    const blocks = samples(recordsOf(database().write())).filter(({ metric }) => metric === 'op_memory');
    const held = blocks.map(({ start, dur, value }) => [start, dur, value]);
    expect(held).to.deep.equal([[100, 300, 2 * MIB], [200, null, 3 * MIB]]); // prettier-ignore
  });

  it('has a peak for dprof memory, and who held it', () => {
    const memory = new Memory(10);
    for (const record of recordsOf(database().write())) memory.take(record);
    const [report, ...others] = memory.finish().facts;
    expect(others).to.deep.equal([]);
    expect(report?.peak).to.include({ value: 5 * MIB, start: 200 });
    expect(report?.peak.owners?.categories).to.deep.equal([
      { name: 'released later', bytes: 2 * MIB, allocations: 1 },
      { name: 'never released', bytes: 3 * MIB, allocations: 1 },
    ]);
  });

  it('does not depend on the order of rows; a block is released before it is allocated again', () => {
    const again = database().memory(400, 0, 0xa000, MIB);
    const expected = recordsOf(again.write());
    expect(curve(expected).slice(2)).to.deep.equal([[400, 3 * MIB], [400, 4 * MIB]]); // prettier-ignore
    expect(recordsOf(again.reordered((rows) => rows.toReversed()).write()).slice(1)).to.deep.equal(expected.slice(1));
    expect(diagnosticsIn(expected)).to.deep.equal({});
  });

  it('is apart by kind of memory, device and process; pinned memory is of no device', () => {
    const other = { globalPid: globalPid(2000) };
    const records = recordsOf(
      database().memory(150, 0, 0xc000, 7, { memKind: 1 }).memory(160, 0, 0xd000, 9, { deviceId: 1 }).memory(170, 0, 0xa000, 11, other).write(), // prettier-ignore
    );
    expect(curve(records, 'Pinned', null)).to.deep.equal([[150, 7]]);
    expect(curve(records, 'Device', 1)).to.deep.equal([[160, 9]]);
    // The other process has a block at the same address, and its memory is that of the same device.
    expect(curve(records).slice(0, 2)).to.deep.equal([[100, 2 * MIB], [170, 2 * MIB + 11]]); // prettier-ignore
    expect(diagnosticsIn(records)).to.deep.equal({});
  });

  it('is of no device where its row names none, and counted', () => {
    const [device, host] = [{ deviceId: null }, { deviceId: null, memKind: 1 }];
    const records = recordsOf(database().memory(150, 0, 0xc000, 7, device).memory(160, 0, 0xd000, 9, host).write());
    expect(curve(records, 'Device', null)).to.deep.equal([[150, 7]]);
    expect(curve(records).at(0)).to.deep.equal([100, 2 * MIB]);
    expect(diagnosticsIn(records)).to.deep.equal({ 'bad-row': 1 });
  });

  it('counts releases of what was allocated before, and rows that are broken', () => {
    const records = recordsOf(
      database().memory(300, 1, 0xe000, MIB).memory(310, 1, 0xf000, 0).memory(320, 7, 0xf000, 1).memory(330, 0, 0xf000, 0).memory(500, 1, 0xb000, 0).write(), // prettier-ignore
    );
    // The size of the last one is that of its block.
    const values = curve(records).map(([, value]) => value);
    expect(values).to.deep.equal([2 * MIB, 5 * MIB, 4 * MIB, 2 * MIB, -MIB]);
    expect(diagnosticsIn(records)).to.deep.equal({ 'bad-row': 2, 'free-without-allocation': 2 });
  });

  it('lacks a kind in exports without one', () => {
    const records = recordsOf(database().write({ without: { CUDA_GPU_MEMORY_USAGE_EVENTS: ['memKind'] } }));
    expect(samples(records)[0]).to.deep.include({ start: 100, device: 0, value: 2 * MIB }).and.not.have.property('labels'); // prettier-ignore
  });
});
