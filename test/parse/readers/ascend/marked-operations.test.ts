/** Operations between ranks that only marks of msprof_tx record, at level none: the strings, databases and traces. */
import { expect } from 'chai';
import { markedCall, markedOperation } from '../../../../src/parse/readers/ascend/marked-operations.js';
import { communicatorHash, ProcessGroups } from '../../../../src/parse/readers/ascend/process-groups.js';
import type { CollectiveRecord, RangeRecord } from '../../../../src/record/record.js';
import * as trace from '../../../support/ascend-trace.js';
import { AscendDatabase } from '../../../support/ascend-database.js';
import { diagnosticsOf, recordsOf } from '../../../support/profile-records.js';

const GROUPS = { group_name_43: { group_name: 'tp', global_ranks: [4, 6] } };
const groups = (hashed = false): ProcessGroups => new ProcessGroups(GROUPS, hashed, 4);
const json = (fields: object): string => JSON.stringify(fields);
const operation = (text: string, hashed = false): unknown => markedOperation(text, groups(hashed));

/** As the framework writes it: what a database keeps has a backslash before each quote. */
const escaped = (fields: object): string => json(fields).replaceAll('"', '\\"');
const SEND = { streamId: '32', count: '7', dataType: 'bfp16', destRank: '1', groupName: 'group_name_43' };

describe('texts that mark operations', () => {
  it('list the call, the communicator, the type and the number of elements', () => {
    // 5 int64 are 40 bytes.
    expect(operation('comm:HcclBroadcast,xxxxxx,int64,5')).to.deep.equal({
      ...{ name: 'HcclBroadcast', kind: 'broadcast', bytes: 40, dtype: 'int64', group: 'xxxxxx' },
      ...{ groupSize: null, ranks: null, algorithm: null, link: null },
    });
    expect(operation('comm:HcclAllreduce,group_name_43,fp32,3')).to.include({ bytes: 12, groupSize: 2 });
    expect(operation('comm:HcclAllreduce,,na,3')).to.include({ bytes: null, dtype: null, group: null });
  });

  it('or are JSON, with the other rank of a message', () => {
    const sent = { ...SEND, opName: 'HcclSend' };
    // Rank 1 of the group is rank 6 of the job; 7 bfloat16 are 14 bytes.
    const expected = { kind: 'send', bytes: 14, dtype: 'bfloat16', group: 'group_name_43', groupSize: 2, peer: 6 };
    expect(operation(json(sent))).to.include(expected);
    expect(operation(escaped(sent))).to.include(expected);
    const hash = communicatorHash('group_name_43');
    expect(operation(json(sent), true)).to.include({ ...expected, group: hash });
  });

  it('state no size where the count is one of ranks, or of a part', () => {
    for (const name of ['HcclAlltoAllV', 'HcclBatchSendRecv'])
      expect(operation(`comm:${name},g,fp16,8`)).to.include({ name, bytes: null, dtype: 'float16' });
  });

  it('are not made of other texts', () => {
    for (const text of ['dataloader', 'comm:HcclBroadcast', 'comm:my,g,fp16,8', '{"opName": 1', json({ opName: 'x' })])
      expect(markedCall(text), text).to.equal(null);
  });
});

const THREAD = (3136495n << 32n) | 100n;
const TEXT = 'comm:HcclBroadcast,xxxxxx,int64,5';

/** A range of the host from 100 to 130, of which tasks from 1000 to 1000 and 1400 to 1400 are start and end on the device. */
function marked(text: string, isOnDevice = true): AscendDatabase {
  const database = new AscendDatabase();
  database.timed('MSTX_EVENTS', [100, 130], {
    ...{ globalTid: THREAD, eventType: 2, domainId: database.string('default') },
    // The connection of all that is marked on the host alone.
    ...{ message: database.string(text), connectionId: isOnDevice ? 4000000001 : 4000000000 },
  });
  database.row('RANK_DEVICE_MAP', { rankId: 3, deviceId: 1 });
  if (!isOnDevice) return database;
  for (const at of [1000, 1400]) database.task('PROFILER_TRACE_EX', [at, at], 4000000001);
  return database;
}

const collectivesOf = (path: string): CollectiveRecord[] =>
  recordsOf(path).filter((record): record is CollectiveRecord => record.type === 'collective');
const rangesOf = (path: string): RangeRecord[] =>
  recordsOf(path, { ranges: true }).filter((record): record is RangeRecord => record.type === 'range');

describe('Ascend databases of level none', () => {
  it('have the operations that ranges mark, for as long as the device was in them', () => {
    const path = marked(TEXT).write();
    const [collective, ...others] = collectivesOf(path);
    expect(others).to.deep.equal([]);
    expect(collective).to.deep.include({
      ...{ name: 'HcclBroadcast', kind: 'broadcast', bytes: 40, dtype: 'int64', group: 'xxxxxx' },
      // From the first event, the range at 100.
      ...{ start: 900, dur: 400, device: 1, stream: 2, pid: 3136495, tid: 100, corr: 4000000001 },
      launch: { api: 'HcclBroadcast', start: 0, dur: 30, domain: 'hccl' },
    });
    const ranges = rangesOf(path).map(({ kind, domain, text, start, dur }) => [kind, domain, text, start, dur]);
    expect(ranges).to.deep.equal([['api', 'hccl', 'HcclBroadcast', 0, 30]]);
    expect(diagnosticsOf(path)).to.not.have.any.keys('row-without-time', 'no-device-activity', 'event-not-read');
  });

  it('have them without a duration where only the host is marked, which is said', () => {
    const path = marked(TEXT, false).write();
    expect(collectivesOf(path)).to.have.lengthOf(1);
    expect(collectivesOf(path)[0]).to.deep.include({ start: 0, dur: null, device: 1, bytes: 40, launch: null });
    expect(diagnosticsOf(path)).to.include({ 'row-without-time': 1 });
  });

  it('leave other ranges as they are', () => {
    const path = marked('dataloader').write();
    expect(collectivesOf(path)).to.deep.equal([]);
    expect(rangesOf(path).map(({ text }) => text)).to.deep.equal(['dataloader', 'npu:1:dataloader']);
  });

  it('have them once where there are rows of operations too', () => {
    const database = marked(TEXT);
    const cells = { opName: database.string('hcom_broadcast__586_0_1'), opId: 1, connectionId: 7 };
    database.timed('COMMUNICATION_OP', [1000, 1400], cells);
    const path = database.write();
    expect(collectivesOf(path).map(({ name }) => name)).to.deep.equal(['hcom_broadcast__586_0_1']);
    expect(rangesOf(path).map(({ text }) => text)).to.include(TEXT);
  });
});

/** The op around the call, whose process is that of the program. */
const CALL = trace.op('c10d::broadcast_', 100, 131);

describe('Ascend traces of level none', () => {
  it('have the operations that ranges mark, for as long as the device was in them', () => {
    const path = trace.writeProfile([CALL, ...trace.marked(TEXT, [100, 130], [1000, 1400], 'default')]);
    const collectives = collectivesOf(path);
    expect(collectives).to.have.lengthOf(1);
    expect(collectives[0]).to.deep.include({
      ...{ name: 'HcclBroadcast', kind: 'broadcast', bytes: 40, dtype: 'int64', group: communicatorHash('xxxxxx') },
      ...{ start: 900_000, dur: 400_000, device: 0, stream: 4, pid: 3000, tid: trace.MAIN, corr: 4000000101 },
      launch: { api: 'HcclBroadcast', start: 0, dur: 30_000, domain: 'hccl' },
    });
    expect(rangesOf(path).map(({ kind, domain, text }) => [kind, domain, text])).to.deep.equal([
      ['op', null, 'c10d::broadcast_'],
      ['api', 'hccl', 'HcclBroadcast'],
    ]);
    expect(diagnosticsOf(path)).to.not.have.any.keys('row-without-time', 'no-device-activity', 'event-not-read');
    // Kernels are not recorded: neither busy nor idle is known from the first to the last operation.
    const missing = recordsOf(path).filter((record) => record.type === 'sample' && record.metric === 'missing_work');
    expect(missing).to.have.lengthOf(1);
    expect(missing[0]).to.include({ start: 900_000, dur: 400_000, device: 0, value: null });
  });

  it('have them without a duration where only the host is marked', () => {
    const path = trace.writeProfile(trace.marked(TEXT, [100, 130]));
    expect(collectivesOf(path)[0]).to.deep.include({ start: 0, dur: null, bytes: 40, launch: null });
  });

  it('count ranges of the device that no range of the host leads to', () => {
    const [, ...others] = trace.marked(TEXT, [100, 130], [1000, 1400]);
    const path = trace.writeProfile([CALL, ...others]);
    expect(collectivesOf(path)).to.deep.equal([]);
    expect(diagnosticsOf(path)).to.include({ 'event-not-read': 1 });
    expect(recordsOf(path)[0]).to.deep.nested.include({
      'facts.not_read': 'device ranges without their host range: 1',
    });
  });

  it('have other ranges of the host and of the device', () => {
    const path = trace.writeProfile(trace.marked('epoch', [100, 130], [1000, 1400], 'mine'));
    const ranges = rangesOf(path).map(({ domain, text, start, dur, tid }) => [domain, text, start, dur, tid]);
    expect(ranges).to.deep.equal([
      ['mine', 'epoch', 0, 30_000, trace.MAIN],
      [null, 'npu:0:mine:epoch', 900_000, 400_000, null],
    ]);
  });

  it('have an operation once where the trace has it too', () => {
    const event = trace.collective('hcom_broadcast__586_0_1', 7, 1000, 1400, { data_type: 'INT64', count: 5 });
    const path = trace.writeProfile([event, ...trace.marked(TEXT, [100, 130], [1000, 1400])]);
    expect(collectivesOf(path).map(({ name }) => name)).to.deep.equal(['hcom_broadcast__586_0_1']);
    expect(rangesOf(path).map(({ text }) => text)).to.include(TEXT);
  });
});
