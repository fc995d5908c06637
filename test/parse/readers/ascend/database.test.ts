import { expect } from 'chai';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foundIn } from '../../../support/found.js';
import { checkProfile } from '../../../../src/parse/profile.js';
import { UserError } from '../../../../src/record/errors.js';
import type { CollectiveRecord } from '../../../../src/record/record.js';
import { AscendDatabase, ASCEND_SCHEMA, EPOCH, training } from '../../../support/ascend-database.js';
import { freshPath } from '../../../support/fresh-path.js';
import type { Schema, Variations } from '../../../support/profile-database.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';

/** All records but the base name of the file. */
function comparable(path: string): unknown[] {
  const [header, ...records] = recordsOf(path);
  return [{ ...header, file: '' }, ...records];
}

/** The columns of a table with others after them, or under other names. */
const withColumns = (table: string, change: (columns: string) => string): Schema => ({
  ...ASCEND_SCHEMA,
  [table]: change(ASCEND_SCHEMA[table] ?? ''),
});

/** The training of `support/ascend-database.ts` in another schema. */
const trainingIn = (schema: Schema, variations?: Variations): string => training(schema).write(variations);

const named = (records: readonly { type: string }[], type: string): unknown[] =>
  records.filter((record) => record.type === type);

describe('Ascend database', () => {
  it('reads all attributes of a kernel', () => {
    const [forward, backward] = kernelsOf(training().write());
    // Times are relative to the first event, the step at 90 ns.
    expect(forward).to.deep.include({
      name: 'aclnnMm_MatMulV2',
      start: 2500 - 100,
      dur: 200,
      device: 1,
      stream: 2,
      block: [20, 1, 1],
      grid: null,
      pid: 3136495,
      tid: 102,
      corr: 500,
      launch: { api: 'launch', start: 800, dur: 10, domain: 'node' },
      dir: 'fprop',
      layer: ['Net_0', 'Linear_3'],
      trace: ['train.py:3', 'net.py:12'],
      mod: ['aten', 'aten'],
      op: ['linear', 'mm'],
      ranges: ['ProfilerStep#7', 'aclnnMm'],
      seq: [5],
      step: 7,
      engine: 'AI_CORE',
      labels: {
        opType: 'MatMulV2',
        taskType: 'KERNEL_AICORE',
        inputShapes: '32,64;64,128',
        inputTypes: 'FLOAT16;FLOAT16',
        inputFormats: 'ND;ND',
        outputShapes: '32,128',
        outputTypes: 'FLOAT16',
        outputFormats: 'ND',
        blockDim: 20,
        taskId: 1,
      },
    });
    expect(forward?.calls[0]).to.deep.equal({
      mod: 'aten',
      op: 'linear',
      args: [
        { name: '', type: 'tensor', shape: [32, 64], dtype: 'float16' },
        { name: '', type: 'tensor', shape: [64, 128], dtype: 'float16' },
        { name: '', type: 'NoneType', value: null },
        { name: '', type: 'unknown' },
      ],
      from: 'dispatcher',
    });
    expect(backward).to.deep.include({
      dir: 'bprop',
      layer: ['Net_0', 'Linear_3'],
      trace: ['train.py:3', 'net.py:12'],
      op: ['mm'],
      seq: [5],
      step: 7,
      forward: { mod: 'aten', op: 'mm', tid: 100, start: 310 - 100 },
    });
  });

  it('describes the profile, and nothing of the environment', () => {
    const path = training().write();
    const header = headerOf(path);
    expect(header).to.deep.include({
      format: 'ascend-db',
      rank: 3,
      startUnixNs: String(EPOCH + 100n),
      facts: { schema_version: '1.0.0' },
    });
    expect(header.devices).to.deep.equal([
      { id: 1, vendor: 'huawei', name: 'Ascend910B', arch: 'ascend910b', units: 20, clockHz: null, memBytesPerS: null, memBytes: null },
    ]); // prettier-ignore
    expect(JSON.stringify(recordsOf(path))).not.to.match(/hunter2|SECRET/);
  });

  it('gives the same records whatever the schema', () => {
    const expected = comparable(training().write());
    const asIntegers = withColumns('PYTORCH_API', (columns) => columns.replaceAll('$', ''));
    expect(comparable(trainingIn(asIntegers)), 'times as integers').to.deep.equal(expected);
    const swapped = training().reordered((rows) =>
      rows.map(({ inputShapes = null, inputDtypes = null, ...row }) =>
        'sequenceNumber' in row
          ? { ...row, inputShapes: inputDtypes, inputDtypes: inputShapes }
          : { inputShapes, inputDtypes, ...row },
      ),
    );
    expect(comparable(swapped.write()), 'swapped columns').to.deep.equal(expected);
    expect(
      comparable(
        training()
          .reordered((rows) => rows.toReversed())
          .write(),
      ),
      'other order',
    ).to.deep.equal(expected);
    const insight = withColumns('TASK', (columns) => `depth ${columns}`);
    expect(comparable(trainingIn({ ...insight, OVERLAP_ANALYSIS: 'id deviceId' }, { empty: ['OVERLAP_ANALYSIS'] })), 'of Insight').to.deep.equal(expected); // prettier-ignore
    const now = withColumns('COMPUTE_TASK_INFO', (columns) => `${columns.replace('blockDim mixBlockDim', 'blockNum mixBlockNum')} gridDim blockDim`); // prettier-ignore
    const renamed = training(now).reordered((rows) =>
      rows.map((row) =>
        'blockDim' in row
          ? { ...row, blockNum: row['blockDim'] ?? null, mixBlockNum: 0, gridDim: 3, blockDim: 99 }
          : row,
      ),
    );
    expect(comparable(renamed.write()), 'schema 1.2').to.deep.equal(expected);
  });

  it('reads the rest when tables or columns are missing', () => {
    for (const table of [
      'PYTORCH_API',
      'CONNECTION_IDS',
      'PYTORCH_CALLCHAINS',
      'STEP_TIME',
      'CANN_API',
      'NPU_INFO',
      'META_DATA',
    ]) {
      expect(kernelsOf(training().write({ renamed: { [table]: 'gone' } })).length, table).to.equal(2);
    }
    const columns = ['globalPid', 'contextId', 'streamId', 'connectionId', 'taskType', 'deviceId', 'endNs', 'startNs'];
    for (const column of columns) {
      expect(kernelsOf(training().write({ without: { TASK: [column] } })).length, column).to.equal(2);
    }
    const half = kernelsOf(training().write({ renamed: { PYTORCH_API: 'gone' } }));
    expect(half[0]).to.deep.include({ calls: [], layer: [], dir: null, step: 7 });
    expect(kernelsOf(training().write({ without: { PYTORCH_API: ['type'] } }))[0]).to.deep.include({
      op: ['linear', 'mm'],
    });
  });

  it('skips invalid times', () => {
    const database = training().op('aten::far', [0, 0]).timed('CANN_API', [0, 1], { startNs: 12, globalTid: 1 });
    database.row('PYTORCH_API', { startNs: 'soon', endNs: null, globalTid: 1, type: 50001, name: 1 });
    const path = database.write();
    expect(diagnosticsOf(path)).to.deep.equal({ 'event-without-time': 1, 'time-of-another-epoch': 1 });
    expect(headerOf(path).startUnixNs).to.equal(String(EPOCH));
  });

  it('counts neither the tasks around kernels nor those of collectives', () => {
    const database = new AscendDatabase();
    database.kernel('mixed', [100, 200], 7, { taskType: database.string('MIX_AIV') }, { contextId: 0 });
    database.task('KERNEL_AICORE', [95, 205], 7);
    database.task('PROFILING_ENABLE', [1, 2], -1);
    database.task('AI_CORE', [300, 400], 8, { streamId: 4 });
    const [memcpy, notify] = [database.task('SDMA', [310, 390], 8, { streamId: 9, contextId: 3 }), database.task('Notify Wait', [320, 330], 8, { contextId: 2 })]; // prettier-ignore
    const group = database.string('group_name_1');
    for (const [task, size, link] of [[memcpy, 64, 1], [notify, 0, 65535]] as const) {
      database.row('COMMUNICATION_TASK_INFO', { globalTaskId: task, opId: 1, size, linkType: link });
    } // prettier-ignore
    database.timed('COMMUNICATION_OP', [300, 400], {
      opName: database.string('hcom_allReduce__210_0_1'), connectionId: 8, groupName: group, opId: 1, dataType: 3, count: 100,
      algType: database.string('MESH-RING'), opType: database.string('hcom_allReduce_'),
    }); // prettier-ignore
    database.row('META_DATA', {
      name: 'parallel_group_info',
      value: '{"group_name_1": {"group_name": "dp", "global_ranks": [0, 2]}}',
    });
    database.launch(7, 50).launch(8, 60);
    const path = database.write();
    expect(onlyKernelOf(path).name).to.equal('mixed');
    const [collective, ...others] = named(recordsOf(path), 'collective') as CollectiveRecord[];
    expect(others).to.deep.equal([]);
    expect(collective).to.deep.include({
      name: 'hcom_allReduce__210_0_1',
      kind: 'allReduce',
      bytes: 200,
      dtype: 'float16',
      group: 'group_name_1',
      groupSize: 2,
      ranks: [0, 2],
      algorithm: 'MESH-RING',
      link: 'HCCS',
      dur: 100,
      device: 1,
      stream: 4,
      tid: 102,
    });
    expect(diagnosticsOf(path)).to.deep.equal({ 'event-not-read': 1, 'task-passed-over': 2 });
    expect(headerOf(path).facts).to.deep.include({ not_read: 'PROFILING_ENABLE: 1' });
  });

  it('reads copies, memsets and waits', () => {
    const database = new AscendDatabase();
    const copy = database.task('MEMCPY_ASYNC', [100, 200], 7);
    database.row('MEMCPY_INFO', { globalTaskId: copy, size: 4096, memcpyOperation: 1 });
    database.task('MEMCPY_ASYNC', [210, 220], 8);
    database.task('EVENT_RECORD', [230, 240], -1);
    database.task('EVENT_WAIT', [250, 260], 4294967295);
    const records = recordsOf(database.write());
    expect(named(records, 'copy')).to.have.length(2);
    expect(named(records, 'copy')[0]).to.include({ kind: 'HtoD', bytes: 4096, start: 0, dur: 100 });
    expect(named(records, 'copy')[1]).to.include({ kind: null, bytes: null });
    expect(named(records, 'sync').map((record) => (record as { kind: string }).kind)).to.deep.equal(['event-record', 'stream-wait-event']); // prettier-ignore
  });

  it('distinguishes a call of the driver from a pair of ops with the same connection id', () => {
    // 500 is the forward op's tie to its node as well.
    const database = training()
      .op('aten::relu', [1700, 1750], { id: 60, seq: 9 })
      .op('ReluBackward0', [850, 880], { thread: 'backward', id: 61, seq: 9, forwardThread: 1 })
      .connect(60, 500)
      .connect(61, 500);
    expect(kernelsOf(database.write()).map(({ op }) => op)).to.deep.equal([['linear', 'mm'], ['mm']]);
    // Ops that nothing ties to each other: the one that began last before the call.
    const later = training().op('aten::late', [950, 960], { id: 62 }).connect(62, 500);
    expect(kernelsOf(later.write())[0]?.op).to.deep.equal(['linear', 'mm']);
  });

  it('takes ranges of the program and collections of garbage for ranges', () => {
    const database = training();
    const tid = (3136495n << 32n) | 100n;
    database.timed('MSTX_EVENTS', [205, 795], {
      message: database.string('epoch'),
      domainId: database.string('default'),
      globalTid: tid,
    });
    database.timed('MSTX_EVENTS', [206, 794], {
      message: database.string('part'),
      domainId: database.string('mine'),
      globalTid: tid,
    });
    database.timed('GC_RECORD', [5, 50], { globalTid: tid });
    const path = database.write();
    expect(kernelsOf(path)[0]?.ranges).to.deep.equal(['ProfilerStep#7', 'epoch', 'mine:part', 'aclnnMm']);
    const ranges = recordsOf(path, { ranges: true }).filter((record) => record.type === 'range');
    const texts = ranges.map(({ text }) => text);
    // From 205 to 795 and from 206 to 794, around a frame from 210 to 790; kernels have the domain before the text.
    expect(ranges.filter(({ text }) => text === 'epoch' || text === 'part')).to.deep.equal([
      { type: 'range', profile: 0, kind: 'annotation', start: 205 - 5, dur: 590, self: 590 - 588, pid: 3136495, tid: 100, domain: null, text: 'epoch' },
      { type: 'range', profile: 0, kind: 'annotation', start: 206 - 5, dur: 588, self: 588 - 580, pid: 3136495, tid: 100, domain: 'mine', text: 'part' },
    ]); // prettier-ignore
    expect(texts.slice(0, 2)).to.deep.equal(['GC', 'ProfilerStep#7']);
    expect(texts).to.include('nn.Module: Net_0');
  });

  it('reads user ranges as marked on the device', () => {
    const database = training();
    const mark = { globalTid: (3136495n << 32n) | 100n, domainId: database.string('default') };
    database.timed('MSTX_EVENTS', [205, 795], { ...mark, message: database.string('epoch'), connectionId: 4000000001 });
    database.timed('MSTX_EVENTS', [300, 300], { ...mark, message: database.string('host'), connectionId: 4000000000 });
    database.task('PROFILER_TRACE_EX', [2400, 2400], 4000000001);
    database.task('PROFILER_TRACE_EX', [2750, 2760], 4000000001);
    const path = database.write();
    const ranges = recordsOf(path, { ranges: true }).filter((record) => record.type === 'range');
    expect(ranges.filter(({ text }) => text.startsWith('npu:'))).to.deep.equal([
      {
        type: 'range',
        profile: 0,
        kind: 'annotation',
        start: 2400 - 100,
        dur: 360,
        self: 360,
        pid: 3136495,
        tid: null,
        domain: null,
        text: 'npu:1:epoch',
      },
    ]);
    expect(diagnosticsOf(path)).to.not.have.property('task-passed-over');
  });

  it('reads counters exactly', () => {
    const database = new AscendDatabase();
    const first = database.kernel('first', [10, 20], 1);
    database.kernel('second', [30, 40], 2);
    const counted: [string, number | string][] = [['aic_total_time', 0.1 + 0.2], ['aic_mac_ratio', 1 / 3], ['aic_total_cycles', 8943142], ['text', 'x']]; // prettier-ignore
    for (const [name, value] of counted) database.row('TASK_PMU_INFO', { globalTaskId: first, name: database.string(name), value }); // prettier-ignore
    const [one, two] = kernelsOf(database.write());
    expect(one?.counters).to.deep.equal({ aic_mac_ratio: 1 / 3, aic_total_cycles: 8943142, aic_total_time: 0.1 + 0.2 });
    // From the end of the first, at 20 ns, to 30 ns.
    expect(two?.counters).to.deep.equal({ waitNs: 10 });
  });
});

describe('Ascend metadata in databases', () => {
  it('is a fact a key: text of JSON, or a plain one; of the environment four numbers', () => {
    const database = training()
      .row('META_DATA', { name: 'tuned', value: '{"lr": 0.5, "names": ["a", "b"]}' })
      .row('META_DATA', { name: 'model', value: 'net' })
      .row('META_DATA', { name: 'parallel_group_info', value: '{"g": {"global_ranks": [0, 2]}}' });
    database.row('META_DATA', { name: 'ENV_VARIABLES', value: '{"HCCL_RDMA_TC": "132", "HCCL_ALGO": "secret"}' });
    expect(headerOf(database.write()).facts).to.deep.equal({
      schema_version: '1.0.0',
      'env.HCCL_RDMA_TC': 132,
      'metadata.model': 'net',
      'metadata.tuned.lr': 0.5,
      'metadata.tuned.names': 'a,b',
    });
  });
});

describe('Ascend databases and the files around them', () => {
  /** A folder as the profiler writes it. */
  function output(rank: number): string {
    const folder = freshPath('_ascend_pt');
    mkdirSync(join(folder, 'ASCEND_PROFILER_OUTPUT'), { recursive: true });
    training().row('SESSION_TIME_INFO', { startTimeNs: EPOCH, endTimeNs: EPOCH + 9000n }).write({ renamed: { RANK_DEVICE_MAP: 'gone' } }, join(folder, 'ASCEND_PROFILER_OUTPUT', `ascend_pytorch_profiler_${rank}.db`)); // prettier-ignore
    return folder;
  }
  const databaseOf = (folder: string, rank: number): string =>
    join(folder, 'ASCEND_PROFILER_OUTPUT', `ascend_pytorch_profiler_${rank}.db`);
  const pathsIn = async (folder: string): Promise<string[]> => {
    const { profiles, failures } = await foundIn([folder]);
    expect(failures).to.deep.equal([]);
    return profiles.map(({ source }) => source.path.slice(folder.length + 1));
  };

  it('takes rank and configuration from profiler_info, where the database has none', () => {
    const folder = output(5);
    const database = databaseOf(folder, 5);
    expect(headerOf(database)).to.include({ rank: 5, tool: 'Ascend PyTorch Profiler' });
    const info = {
      rank_id: 5,
      torch_npu_version: '2.6.0',
      cann_version: '8.1',
      config: { common_config: { with_stack: true }, experimental_config: { _profiler_level: 'Level1' } },
      environment: 'hunter2',
    };
    writeFileSync(join(folder, 'profiler_info_5.json'), JSON.stringify(info));
    expect(headerOf(database)).to.deep.include({
      rank: 5,
      tool: 'Ascend PyTorch Profiler (torch_npu 2.6.0, CANN 8.1)',
      facts: { schema_version: '1.0.0', profiler_level: 'Level1', with_stack: 'true' },
    });
    writeFileSync(join(folder, 'profiler_info_5.json'), '{"rank_id": ');
    expect(headerOf(database)).to.include({ rank: 5 });
  });

  it('reads a folder once: neither sums nor the half that was moved', async () => {
    const folder = output(0);
    const parts = join(folder, 'PROF_000001_20260101', 'device_0');
    mkdirSync(parts, { recursive: true });
    const session = { startTimeNs: EPOCH, endTimeNs: EPOCH + 9000n };
    const half = { renamed: { PYTORCH_API: 'gone' } };
    training()
      .row('SESSION_TIME_INFO', session)
      .write(half, join(parts, '..', 'msprof_20260101.db'));
    const analysis = new AscendDatabase({ ...ASCEND_SCHEMA, StepTraceTime: 'deviceId step' });
    analysis.row('StepTraceTime', { deviceId: 1, step: '7' });
    analysis.write({}, join(folder, 'ASCEND_PROFILER_OUTPUT', 'analysis.db'));
    expect(await pathsIn(folder)).to.deep.equal(['ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db']);
    // Alone, and of another session, it is a profile.
    const alone = freshPath('_prof');
    mkdirSync(alone);
    cpSync(join(parts, '..', 'msprof_20260101.db'), join(alone, 'msprof_20260101.db'));
    expect(await pathsIn(alone)).to.deep.equal(['msprof_20260101.db']);
    expect(kernelsOf(join(alone, 'msprof_20260101.db'))).to.have.length(2);
  });

  it('says what to give instead of analysis.db', () => {
    const analysis = new AscendDatabase({ ...ASCEND_SCHEMA, CommAnalyzerTime: 'hccl_op_name$' });
    const path = analysis.row('CommAnalyzerTime', { hccl_op_name: 'a' }).write();
    expect(() => {
      checkProfile(path, 'analysis.db');
    })
      .to.throw(UserError)
      .with.property('line', "analysis.db: is the summary of an Ascend profile (analysis.db), without kernels (give the profile's database (ascend_pytorch_profiler_*.db) or directory)"); // prettier-ignore
  });
});
