import { expect } from 'chai';
import { readObjectId } from '../../../../src/parse/readers/nvprof/nvprof.js';
import type { KernelRecord } from '../../../../src/record/record.js';
import { EPOCH, NvprofDatabase, PID, threadObject, TID } from '../../../support/nvprof-database.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';

const CUPTI = 'CUPTI_ACTIVITY_KIND_';

const launched = (): NvprofDatabase => new NvprofDatabase().call(100, 110, 1).kernel(120, 130, 1);
const rangesOf = (db: NvprofDatabase): readonly string[] => onlyKernelOf(db.write()).ranges;

describe('nvprof: kernels', () => {
  it('have all fields of the record, times from the first event on', () => {
    const db = new NvprofDatabase()
      .call(100, 110, 9)
      .kernel(120, 131, 9, { name: '_Z1fIiEvT_', deviceId: 1, streamId: 13, gridX: 4, gridY: 5, gridZ: 6 });
    expect(onlyKernelOf(db.write())).to.deep.equal({
      ...{ type: 'kernel', profile: 0, id: 1, name: 'void f<int>(int)', short: 'f', start: 20, dur: 11 },
      ...{ device: 1, stream: 13, grid: [4, 5, 6], block: [32, 1, 1], pid: PID, tid: TID, corr: 9 },
      launch: { api: 'cudaLaunchKernel', start: 0, dur: 10 },
      ...{ dir: null, layer: [], trace: [], calls: [], mod: ['na'], op: [], repr: [], seqMarker: [] },
      ...{ seq: [], altSeq: [], sub: 0, ranges: [], registers: null, sharedBytes: null },
    });
    expect(headerOf(db.write())).to.include({ startUnixNs: String(EPOCH + 100n), dur: 31 });
  });

  it('of both tables are read: those that may overlap, and those run one by one', () => {
    const db = new NvprofDatabase()
      .kernel(10, 11, 1, { table: `${CUPTI}KERNEL`, name: 'serial' })
      .kernel(12, 13, 2, { table: `${CUPTI}CONCURRENT_KERNEL`, name: 'concurrent' });
    expect(kernelsOf(db.write()).map(({ name }) => name)).to.deep.equal(['serial', 'concurrent']);
  });

  it('launched by runtime and driver have the runtime call; by the driver alone, the driver call', () => {
    const driver = { table: `${CUPTI}DRIVER`, cbid: 307 };
    const both = new NvprofDatabase().call(102, 108, 1, driver).call(100, 110, 1).kernel(120, 130, 1);
    expect(onlyKernelOf(both.write()).launch).to.deep.equal({ api: 'cudaLaunchKernel', start: 0, dur: 10 });
    const alone = new NvprofDatabase().call(102, 108, 1, driver).kernel(120, 130, 1);
    expect(onlyKernelOf(alone.write()).launch).to.deep.equal({ api: 'cuLaunchKernel', start: 0, dur: 6 });
  });

  it('launched by a call without a known name have its number', () => {
    const db = new NvprofDatabase().call(100, 110, 1, { cbid: 99999 }).kernel(120, 130, 1);
    expect(onlyKernelOf(db.write()).launch?.api).to.equal('runtime cbid 99999');
  });

  it('without a launch are kept', () => {
    const path = new NvprofDatabase().kernel(120, 130, 1).write();
    expect(onlyKernelOf(path)).to.include({ launch: null, pid: null, tid: null });
    expect(diagnosticsOf(path)).to.deep.equal({ 'kernel-without-launch': 1 });
  });

  it('whose names cannot be demangled keep them', () => {
    const path = new NvprofDatabase().kernel(1, 2, 1, { name: '_Zmangled beyond reading' }).write();
    expect(onlyKernelOf(path).name).to.equal('_Zmangled beyond reading');
    expect(diagnosticsOf(path)).to.include({ 'name-not-demangled': 1 });
  });

  it('whose times were not collected start at their launch', () => {
    const path = new NvprofDatabase()
      .call(100, 110, 1)
      .call(50, 60, 2, { cbid: 31 })
      .kernel(0, 0, 1, { start: 0, end: 0 })
      .write();
    expect(onlyKernelOf(path)).to.include({ start: 50, dur: null });
    expect(diagnosticsOf(path)).to.deep.equal({ 'row-without-time': 1 });
  });

  it('whose end was not collected have a start and no duration', () => {
    const path = new NvprofDatabase().call(100, 110, 1).kernel(120, 0, 1, { end: 0 }).write();
    expect(onlyKernelOf(path)).to.include({ start: 20, dur: null });
  });
});

describe('nvprof: markers', () => {
  it('are matched by process and thread, the thread id signed in calls and unsigned in markers', () => {
    // 0xEADC3740 is -354666688 as a signed 32-bit number.
    expect(TID | 0).to.equal(-354_666_688);
    const db = launched().range('mine', 50, 200);
    db.range('other thread', 50, 200, { objectId: threadObject(TID + 1) });
    db.range('other process', 50, 200, { objectId: threadObject(TID, PID + 1) });
    expect(onlyKernelOf(db.write())).to.deep.include({ tid: 0xeadc3740, ranges: ['mine'] });
  });

  it('have the blob of process and thread read little-endian', () => {
    expect(readObjectId('E5C0160040E7104A00000000')).to.deep.equal([0x16c0e5, 0x4a10e740]);
    expect(readObjectId('921000004037DCEAFFFFFFFF')).to.deep.equal([4242, 0xeadc3740]);
    expect(readObjectId('')).to.deep.equal([0, 0]);
    expect(readObjectId('9210')).to.deep.equal([0, 0]);
  });

  it('may have more flags than start and end', () => {
    const db = launched();
    const cells = { id: 5, objectKind: 2, objectId: threadObject() };
    db.marker(2 | 8, 50, { ...cells, name: db.string('synchronising') }).marker(4 | 16, 200, cells);
    expect(rangesOf(db)).to.deep.equal(['synchronising']);
  });

  it('may have their end row before their start row', () => {
    const db = launched();
    const cells = { id: 5, objectKind: 2, objectId: threadObject() };
    db.marker(4, 200, cells).marker(2, 50, { ...cells, name: db.string('early') });
    expect(rangesOf(db)).to.deep.equal(['early']);
  });

  it('that are instants, or belong to a device, a stream or a process, enclose nothing', () => {
    const db = launched();
    db.marker(1, 100, { id: 90, objectKind: 2, objectId: threadObject(), name: db.string('instant') });
    for (const objectKind of [1, 3, 4, 5]) db.range(`object ${objectKind}`, 50, 200, { objectKind });
    expect(rangesOf(db)).to.deep.equal([]);
  });

  it('without an end are open, and counted; ends without a start are counted too', () => {
    const db = launched().range('open', 50, null);
    expect(rangesOf(db)).to.deep.equal(['open']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'open-range': 1 });
    const orphan = launched().marker(4, 200, { id: 77, objectKind: 2, objectId: threadObject() });
    expect(diagnosticsOf(orphan.write())).to.deep.equal({ 'range-without-start': 1 });
  });

  it('that end before they start enclose nothing', () => {
    const db = launched().range('backwards', 105, 60);
    expect(rangesOf(db)).to.deep.equal([]);
    for (const record of recordsOf(db.write(), { ranges: true })) {
      if (record.type === 'range') expect(record.dur).to.be.at.least(0);
    }
  });

  it('of a domain have it before their text', () => {
    const db = launched();
    db.range('ncclAllReduce', 50, 200, { domain: db.string('NCCL') }).range('layer:a', 51, 199, { domain: 0 });
    expect(onlyKernelOf(db.write())).to.deep.include({ ranges: ['NCCL:ncclAllReduce'], layer: ['a'] });
  });

  it('are written with --ranges, and not otherwise', () => {
    const path = launched().range('a', 50, 200).write();
    const written = recordsOf(path, { ranges: 'without-calls' }).filter((record) => record.type === 'range');
    expect(written).to.deep.equal([
      {
        type: 'range',
        profile: 0,
        kind: 'annotation',
        start: 0,
        dur: 150,
        self: 150,
        pid: PID,
        tid: TID,
        domain: null,
        text: 'a',
      },
    ]);
    expect(recordsOf(path).some((record) => record.type === 'range')).to.equal(false);
  });
});

describe('nvprof: other activities', () => {
  const at = { start: EPOCH + 120n, end: EPOCH + 150n, deviceId: 1, streamId: 13, correlationId: 1 };
  const place = { profile: 0, start: 20, dur: 30, device: 1, stream: 13, pid: PID, tid: TID, corr: 1 };
  const launch = { api: 'cudaMemcpyAsync', start: 0, dur: 10 };
  const called = (): NvprofDatabase => new NvprofDatabase().call(100, 110, 1, { cbid: 41 });
  const others = (db: NvprofDatabase): unknown[] => recordsOf(db.write()).slice(1, -1);

  it('copies, also between devices, have bytes and kind', () => {
    const db = called()
      .row(`${CUPTI}MEMCPY`, { ...at, bytes: 64, copyKind: 2 })
      .row(`${CUPTI}MEMCPY2`, { ...at, end: EPOCH + 160n, bytes: 65, copyKind: 10 });
    expect(others(db)).to.deep.equal([
      { type: 'copy', kind: 'DtoH', bytes: 64, ...place, launch },
      { type: 'copy', kind: 'PtoP', bytes: 65, ...place, dur: 40, launch },
    ]);
  });

  it("copies have the host's memory, as CUPTI numbers it", () => {
    // CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device.
    const db = called()
      .row(`${CUPTI}MEMCPY`, { ...at, bytes: 1, copyKind: 2, srcKind: 3, dstKind: 1 })
      .row(`${CUPTI}MEMCPY`, { ...at, end: EPOCH + 160n, bytes: 1, copyKind: 1, srcKind: 2, dstKind: 3 });
    const memories = others(db).map((record) => (record as { hostMemory?: string }).hostMemory);
    expect(memories).to.deep.equal(['pageable', 'pinned']);
  });

  it('sets have bytes and value', () => {
    const db = called().row(`${CUPTI}MEMSET`, { ...at, bytes: 64, value: 7 });
    expect(others(db)).to.deep.equal([{ type: 'set', bytes: 64, value: 7, ...place, launch }]);
  });

  it('waits have the device of their context', () => {
    const db = called().row(`${CUPTI}CONTEXT`, { contextId: 3, deviceId: 1 });
    const { deviceId, ...wait } = at;
    db.row(`${CUPTI}SYNCHRONIZATION`, { ...wait, contextId: 3, type: 3, streamId: 4294967295 });
    expect(others(db)).to.deep.equal([
      { type: 'sync', kind: 'stream', ...place, device: deviceId, stream: null, launch },
    ]);
  });

  it('devices have clock and bandwidth in units, which the database has in thousands', () => {
    const db = launched();
    db.row(`${CUPTI}DEVICE`, {
      ...{ id: 0, name: db.string('Tesla V100-SXM2-16GB'), computeCapabilityMajor: 7, computeCapabilityMinor: 0 },
      ...{ numMultiprocessors: 80, coreClockRate: 1_530_000, globalMemoryBandwidth: 898_048_000 },
      globalMemorySize: 16_914_055_168,
    });
    expect(headerOf(db.write()).devices).to.deep.equal([
      {
        ...{ id: 0, vendor: 'nvidia', name: 'Tesla V100-SXM2-16GB', arch: 'sm70', units: 80 },
        ...{ clockHz: 1_530_000_000, memBytesPerS: 898_048_000_000, memBytes: 16_914_055_168 },
      },
    ]);
  });
});

describe('nvprof: database versions', () => {
  for (const version of [7, 9, 12, 16, 22]) {
    it(`${version} is the tool's version`, () => {
      expect(headerOf(new NvprofDatabase(version).write()).tool).to.equal(`nvprof database version ${version}`);
    });
  }

  it('without graph columns have kernels without graph', () => {
    const without = { [`${CUPTI}CONCURRENT_KERNEL`]: ['graphNodeId', 'graphId'] };
    const kernel: KernelRecord = onlyKernelOf(launched().write({ without }));
    expect(kernel).not.to.have.property('graph');
  });
});
