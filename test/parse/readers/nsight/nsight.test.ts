import Database from 'better-sqlite3';
import { expect } from 'chai';
import { AwaitedEvents } from '../../../../src/parse/readers/nsight/event-marks.js';
import { SqliteFile } from '../../../../src/parse/sqlite/sqlite.js';
import { Activities } from '../../../../src/parse/trace/trace-columns.js';
import type { KernelRecord, ProfileLine } from '../../../../src/record/record.js';
import { globalPid, globalTid, HARDWARE, NsightDatabase, PID, TID } from '../../../support/nsight-database.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';

const CALL = { start: 100, end: 110 };
const KERNEL = { start: 120, end: 130 };
const CUPTI = 'CUPTI_ACTIVITY_KIND_';
const pair = (cells = {}, call = {}): NsightDatabase =>
  new NsightDatabase().call(CALL, 1, call).kernel(KERNEL, 1, cells);

const only = <T extends ProfileLine['type']>(path: string, type: T): Extract<ProfileLine, { type: T }> => {
  const found = recordsOf(path).filter((record) => record.type === type);
  expect(found).to.have.length(1);
  return found[0] as Extract<ProfileLine, { type: T }>;
};

describe('Nsight Systems: kernels', () => {
  it('have all fields of the record', () => {
    const db = new NsightDatabase()
      .call(CALL, 9, {}, 'cudaLaunchKernelExC_v11060')
      .kernel(KERNEL, 9, { deviceId: 1, streamId: 13, gridX: 4, gridY: 5, gridZ: 6, blockX: 7, blockY: 8, blockZ: 9, registersPerThread: 40, staticSharedMemory: 1, dynamicSharedMemory: 2 }, 'void ns::f<int>(int)'); // prettier-ignore
    expect(onlyKernelOf(db.write())).to.deep.equal({
      ...{ type: 'kernel', profile: 0, id: 1, name: 'void ns::f<int>(int)', short: 'ns::f', start: 120, dur: 10 },
      ...{ device: 1, stream: 13, grid: [4, 5, 6], block: [7, 8, 9], pid: PID, tid: TID, corr: 9 },
      launch: { api: 'cudaLaunchKernelExC', start: 100, dur: 10 },
      ...{ dir: null, layer: [], trace: [], calls: [], mod: ['na'], op: [], repr: [], seqMarker: [] },
      ...{ seq: [], altSeq: [], sub: 0, ranges: [], registers: 40, sharedBytes: 3 },
    });
  });

  it('launched by the driver API alone have that launch', () => {
    const db = new NsightDatabase().call(CALL, 1, { eventClass: 1 }, 'cuLaunchKernelEx').kernel(KERNEL, 1);
    expect(onlyKernelOf(db.write()).launch).to.deep.equal({ api: 'cuLaunchKernelEx', start: 100, dur: 10 });
  });

  it('launched through runtime and driver have the runtime call, and count once', () => {
    const db = new NsightDatabase()
      .call({ start: 102, end: 108 }, 1, { eventClass: 1 }, 'cuLaunchKernel')
      .call(CALL, 1, { eventClass: 0 })
      .kernel(KERNEL, 1);
    expect(onlyKernelOf(db.write()).launch).to.include({ api: 'cudaLaunchKernel', start: 100 });
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'duplicate-launch-row': 1 });
  });

  it('are read from the newest table of those whose names end in a version', () => {
    const path = pair({ gridX: 4 }).write();
    const database = new Database(path);
    database.exec(`CREATE TABLE ${CUPTI}KERNEL_V2 AS SELECT * FROM ${CUPTI}KERNEL;
      ALTER TABLE ${CUPTI}KERNEL RENAME TO ${CUPTI}KERNEL_V3; UPDATE ${CUPTI}KERNEL_V2 SET gridX = 9`);
    database.close();
    expect(onlyKernelOf(path)).to.deep.include({ grid: [4, 1, 1], corr: 1 });
    expect(onlyKernelOf(path).launch?.start).to.equal(100);
    expect(headerOf(path).facts).to.deep.equal({ not_read: `${CUPTI}KERNEL_V2: 1` });
  });

  it('without a launch are kept', () => {
    const kernel = onlyKernelOf(new NsightDatabase().kernel(KERNEL, 1).write());
    expect(kernel).to.include({ pid: null, tid: null, launch: null, corr: 1, dir: null });
  });

  it('with correlation id 0 or NULL have none, whatever calls have the same', () => {
    for (const corr of [0, null]) {
      const path = new NsightDatabase().call(CALL, corr).kernel(KERNEL, corr).write();
      expect(onlyKernelOf(path)).to.include({ corr: null, launch: null });
    }
  });

  it('of two processes with the same correlation ids have their own process, also where ids exceed 2^53', () => {
    // Hardware id 1 sets bit 56: such ids are no exact doubles, and these two differ in bits that a double loses.
    for (const machine of [0n, HARDWARE, 0x7fn << 56n, BigInt.asIntN(64, 0xffn << 56n)]) {
      const db = new NsightDatabase();
      for (const [pid, tid] of [
        [1000, 1001],
        [1001, 1002],
      ] as const) {
        db.call({ start: pid, end: pid + 1 }, 7, { globalTid: globalTid(tid, pid, machine) });
        db.kernel({ start: pid + 5, end: pid + 6 }, 7, { globalPid: globalPid(pid, machine) });
        db.range(`layer:${pid}`, 0, 9999, { globalTid: globalTid(tid, pid, machine) });
      }
      const found = kernelsOf(db.write()).map(({ pid, tid, layer }) => ({ pid, tid, layer }));
      expect(found, String(machine)).to.deep.equal([
        { pid: 1000, tid: 1001, layer: ['1000'] },
        { pid: 1001, tid: 1002, layer: ['1001'] },
      ]);
    }
  });

  it('of equal pids on two machines are not mixed up', () => {
    const [one, two] = [1n << 48n, 2n << 48n];
    const db = new NsightDatabase()
      .call(CALL, 7, { globalTid: globalTid(1, 5, one) })
      .call({ start: 200, end: 210 }, 7, { globalTid: globalTid(2, 5, two) })
      .kernel({ start: 300, end: 301 }, 7, { globalPid: globalPid(5, two) })
      .kernel({ start: 400, end: 401 }, 7, { globalPid: globalPid(5, one) });
    expect(kernelsOf(db.write()).map(({ tid }) => tid)).to.deep.equal([2, 1]);
  });

  it('inside a graph have graph and node, and share the launch', () => {
    const db = new NsightDatabase().call(CALL, 1, {}, 'cudaGraphLaunch_v10000').range('layer:replay', 50, 200);
    for (const n of [0, 1])
      db.kernel({ start: 120 + n, end: 130 + n }, 1, { graphId: 3, graphNodeId: 77n + BigInt(n) });
    const kernels = kernelsOf(db.write());
    expect(kernels.map(({ graph }) => graph)).to.deep.equal([{ id: 3, node: 77 }, { id: 3, node: 78 }]); // prettier-ignore
    expect(kernels.map(({ layer }) => layer)).to.deep.equal([['replay'], ['replay']]);
    expect(kernels.map(({ launch }) => launch?.api)).to.deep.equal(['cudaGraphLaunch', 'cudaGraphLaunch']);
  });

  it('outside a graph have no graph, be the node NULL or 0', () => {
    for (const graphNodeId of [null, 0])
      expect(onlyKernelOf(pair({ graphNodeId }).write())).not.to.have.property('graph');
  });

  it('of a table with another name are not read, and counted', () => {
    const renamed = pair().write({ renamed: { [`${CUPTI}KERNEL`]: `${CUPTI}KERNEL_NEW` } });
    expect(kernelsOf(renamed)).to.deep.equal([]);
    expect(diagnosticsOf(renamed)).to.deep.include({ 'event-not-read': 1 });
  });
});

describe('Nsight Systems: times', () => {
  const oddities = (cells: object): [Partial<KernelRecord>, unknown] => {
    const path = pair(cells).write();
    const { start, dur } = onlyKernelOf(path);
    return [{ start, dur }, diagnosticsOf(path)];
  };

  it('NULL or text: the kernel is kept at its launch, its duration unknown', () => {
    for (const start of [null, 'soon', 'a b c']) {
      expect(oddities({ start }), String(start)).to.deep.equal([{ start: 100, dur: null }, { 'bad-row': 1, 'row-without-time': 1 }]); // prettier-ignore
    }
  });

  it('0 and 0: not collected, as NULL', () => {
    expect(oddities({ start: 0, end: 0 })).to.deep.equal([{ start: 100, dur: null }, { 'row-without-time': 1 }]);
  });

  it('end before start: duration unknown', () => {
    expect(oddities({ start: 130, end: 120 })).to.deep.equal([{ start: 130, dur: null }, { 'negative-duration': 1 }]);
  });

  it('end equal to start: no time at all', () => {
    expect(oddities({ start: 130, end: 130 })).to.deep.equal([{ start: 130, dur: 0 }, { 'zero-duration': 1 }]);
  });

  it('before the launch (clock skew): as they are', () => {
    expect(oddities({ start: 90, end: 95 })).to.deep.equal([{ start: 90, dur: 5 }, { 'launch-after-kernel': 1 }]);
  });

  it('of days in nanoseconds are exact', () => {
    const [week, early] = [604_800_000_000_007, 1];
    const db = new NsightDatabase().call({ start: early, end: week }, 1).kernel({ start: week, end: week + 1 }, 1);
    expect(onlyKernelOf(db.write())).to.deep.include({ start: week, dur: 1, launch: { api: 'cudaLaunchKernel', start: 1, dur: week - 1 } }); // prettier-ignore
  });

  it('of a session give its start and length', () => {
    const db = pair()
      .row('TARGET_INFO_SESSION_START_TIME', { utcEpochNs: 1_776_781_226_557_295_056n })
      .row('ANALYSIS_DETAILS', { duration: 5000, startTime: 7n, stopTime: 5007n });
    expect(headerOf(db.write())).to.include({ startUnixNs: '1776781226557295056', dur: 5000 });
    expect(headerOf(pair().write())).to.include({ startUnixNs: null, dur: 130 });
  });
});

describe('Nsight Systems: other activities', () => {
  const at = { start: 120, end: 150, deviceId: 1, streamId: 13, correlationId: 1, globalPid: globalPid() };
  const common = { profile: 0, start: 120, dur: 30, device: 1, stream: 13, pid: PID, tid: TID, corr: 1 };
  const launch = { api: 'cudaLaunchKernel', start: 100, dur: 10 };
  const called = (): NsightDatabase => new NsightDatabase().call(CALL, 1);

  it('copies have bytes and kind', () => {
    const path = called()
      .row(`${CUPTI}MEMCPY`, { ...at, bytes: 4096, copyKind: 1 })
      .write();
    expect(only(path, 'copy')).to.deep.equal({ type: 'copy', kind: 'HtoD', bytes: 4096, ...common, launch });
  });

  it("copies have the host's memory, as ENUM_CUDA_MEM_KIND numbers it", () => {
    // 0 pageable, 1 pinned, 2 device, 4 managed: of the host's side alone.
    const rows = [[1, 0, 2, 'pageable'], [2, 2, 1, 'pinned'], [11, 4, 2, 'managed'], [1, 7, 2, undefined], [8, 1, 1, undefined]] as const;
    for (const [copyKind, srcKind, dstKind, hostMemory] of rows) {
      const path = called().row(`${CUPTI}MEMCPY`, { ...at, bytes: 1, copyKind, srcKind, dstKind }).write();
      expect((only(path, 'copy') as { hostMemory?: string }).hostMemory).to.equal(hostMemory);
    }
  }); // prettier-ignore

  it('copies of every kind', () => {
    const kinds = [null, 'HtoD', 'DtoH', 'HtoD', 'DtoH', 'DtoD', 'DtoD', 'DtoD', 'DtoD', 'HtoH', 'PtoP', 'HtoD', 'DtoH', 'DtoD', null]; // prettier-ignore
    const db = new NsightDatabase();
    kinds.forEach((_, copyKind) => db.row(`${CUPTI}MEMCPY`, { ...at, start: 200 + copyKind, end: 300, copyKind, bytes: 1 })); // prettier-ignore
    expect(recordsOf(db.write()).flatMap((record) => (record.type === 'copy' ? [record.kind] : []))).to.deep.equal(
      kinds,
    );
  });

  it('sets have bytes and value', () => {
    const path = called()
      .row(`${CUPTI}MEMSET`, { ...at, bytes: 8, value: 255 })
      .write();
    expect(only(path, 'set')).to.deep.equal({ type: 'set', bytes: 8, value: 255, ...common, launch });
  });

  it('waits have a kind, and no stream where they wait for all', () => {
    const path = called().row(`${CUPTI}SYNCHRONIZATION`, { ...at, syncType: 4, streamId: 4294967295 }).write(); // prettier-ignore
    expect(only(path, 'sync')).to.deep.equal({ type: 'sync', kind: 'context', ...common, stream: null, launch });
  });

  it('waits are of the kind that their call makes, whatever kind their row states', () => {
    // As in exports from 2024 (StreamWaitEvent with 3) and 2025 (StreamSynchronize with 2); other calls have the row's.
    const kinds = [
      'cudaStreamWaitEvent_v3020',
      'cudaStreamSynchronize_v3020',
      'cuCtxSynchronize',
      'cudaEventQuery',
    ].map((name, i) => {
      const db = new NsightDatabase().call(CALL, 1, {}, name);
      const sync = only(db.row(`${CUPTI}SYNCHRONIZATION`, { ...at, syncType: [3, 2, 1, 1][i] ?? 0 }).write(), 'sync');
      return sync.kind;
    });
    expect(kinds).to.deep.equal(['stream-wait-event', 'stream', 'context', 'event']);
  });

  it('waits for an event name the stream and when the latest call put the event there', () => {
    const { deviceId, globalPid: owner } = at;
    const event = { timestamp: 0, deviceId, contextId: 1, streamId: 7, globalPid: owner, eventId: 2 };
    const waitFor = (eventSyncId: number | null): unknown => {
      const db = called().call(CALL, 8, { start: 10, end: 12 }, 'cudaEventRecord_v3020');
      for (const [correlationId, id] of [
        [8, 5],
        [3, 6],
      ] as const)
        // prettier-ignore
        db.row(`${CUPTI}CUDA_EVENT`, { ...event, correlationId, eventSyncId: id });
      return only(db.row(`${CUPTI}SYNCHRONIZATION`, { ...at, syncType: 1, eventId: 2, eventSyncId }).write(), 'sync');
    };
    expect(waitFor(5)).to.deep.include({ event: { stream: 7, recorded: 10 } });
    // An event whose call is not in the profile, another recording of the event, and an export without these ids.
    for (const unknown of [6, 4, null]) expect(waitFor(unknown)).not.to.have.property('event');
  });

  it('waits name one event several times; of its recordings the last counts, and memory grows with waits alone', () => {
    const waits = new AwaitedEvents();
    const [ids, syncs] = [[2, 9, 2, NaN], new Activities().syncs];
    for (const id of ids) {
      waits.addWait(0, id, 5);
      syncs.pushCells(1, NaN, NaN);
    }
    const db = called();
    const row = { timestamp: 0, deviceId: 0, contextId: 1, globalPid: at.globalPid, eventSyncId: 5 };
    // Events 0 to 99, each recorded on streams 7 and 8: the waits name 2 of these 200 recordings.
    for (let i = 0; i < 200; i++)
      db.row(`${CUPTI}CUDA_EVENT`, { ...row, streamId: i < 100 ? 7 : 8, correlationId: i, eventId: i % 100 });
    const database = SqliteFile.open(db.write());
    waits.read(database, { needs: [], sql: '0' }, () => 0, syncs);
    database.close();
    expect([0, 1, 2, 3].map((row) => syncs.eventStream.at(row))).to.deep.equal([8, 8, 8, NaN]);
    expect([0, 1, 2, 3].map((row) => syncs.eventCorr.at(row))).to.deep.equal([102, 109, 102, NaN]);
    expect(waits.length).to.equal(2);
  });

  it('graph launches traced as a whole are one record each', () => {
    const path = called()
      .row(`${CUPTI}GRAPH_TRACE`, { ...at, graphId: 4, graphExecId: 9 })
      .write();
    expect(only(path, 'graph')).to.deep.equal({ type: 'graph', graphId: 4, execId: 9, ...common, launch });
    expect(diagnosticsOf(path)).to.deep.equal({ 'graph-launch-opaque': 1 });
  });

  it('are counted by type at the end', () => {
    const db = pair()
      .row(`${CUPTI}MEMCPY`, { ...at, bytes: 1, copyKind: 2 })
      .row(`${CUPTI}MEMSET`, at);
    expect(recordsOf(db.write()).at(-1)).to.deep.include({ type: 'end', counts: { copy: 1, kernel: 1, set: 1 } });
  });
});

describe('Nsight Systems: names', () => {
  it('that are not in the string table are shown by number, counted by kernel', () => {
    const db = pair({ demangledName: 999 }).kernel({ start: 500, end: 501 }, null, { demangledName: 999 });
    const path = db.write();
    expect(kernelsOf(path).map(({ name, short }) => [name, short])).to.deep.equal(Array(2).fill(['kernel#999', 'kernel#999'])); // prettier-ignore
    expect(diagnosticsOf(path)).to.deep.include({ 'unknown-name': 2 });
  });

  it('of calls that are not there are null', () => {
    expect(onlyKernelOf(pair({}, { nameId: 999 }).write()).launch).to.deep.include({ api: null });
  });

  it('state the tool, also in exports before 2022', () => {
    for (const table of ['META_DATA_EXPORT', 'EXPORT_META_DATA']) {
      const db = pair().row(table, { name: 'EXPORT_PRODUCT_VERSION', value: '2022.1.1' });
      expect(headerOf(db.write()).tool).to.equal('Nsight Systems 2022.1.1');
    }
    expect(headerOf(pair().write()).tool).to.equal(null);
  });

  it('of threads that MPI gave state the rank, unless there are several', () => {
    const rank = (...ranks: number[]): number | null => {
      const db = pair();
      for (const n of ranks) db.range(`MPI Rank ${n}`, 0, null, { eventType: 39 });
      return headerOf(db.write()).rank;
    };
    expect([rank(), rank(3), rank(3, 3), rank(3, 4)]).to.deep.equal([null, 3, 3, null]);
  });

  it('never leak environment, arguments or output of the program', () => {
    const secret = 'PASSWORD=hunter2';
    const db = pair().row('META_DATA_EXPORT', { name: 'PROCESS_0:ENVIRONMENT_VARIABLE[0]', value: secret });
    db.string(secret);
    expect(JSON.stringify(recordsOf(db.write(), { ranges: true }))).not.to.include('hunter2');
  });
});
