/** Traces of Ascend's profiler and their sidecar files, each with one irregularity. */
import { expect } from 'chai';
import { dirname, join } from 'node:path';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import { STEP_METRIC, type CollectiveLine, type KernelRecord, type ProfileLine, type ProfileRecord, type SampleRecord } from '../../../../src/record/record.js'; // prettier-ignore
import { foundIn } from '../../../support/found.js';
import {
  call,
  collective,
  csv,
  ENGINE,
  flow,
  frame,
  LAUNCHER,
  MAIN,
  op,
  part,
  processNames,
  queued,
  task,
  timeText,
  traceText,
  writeProfile,
  type EventText,
} from '../../../support/ascend-trace.js';
import { training } from '../../../support/ascend-database.js';
import * as kineto from '../../../support/kineto-trace.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

const SHAPES = { 'Input Dims': '4,8;\r\n8,2', 'Input type': 'float;\r\nfloat' };

/** `aten::mm` with `aclnnMm` inside, a launch by another thread, a kernel of 10 µs. */
const HOST_SIDE = [
  op('ProfilerStep#7', 0, 50),
  frame('nn.Module: Linear_0', 1, 30),
  op('aten::mm', 2, 20, SHAPES),
  op('aclnnMm', 5, 15),
];
const MM = [...HOST_SIDE, ...queued(900, 6, 21), call('Node@launch', 11, 22), task('MatMul', 'AI_CORE', 11, 30, 40)];
const FLOW = flow(5, 30);

const kernelsOf = (path: string): KernelRecord[] =>
  recordsOf(path).filter((record) => record.type === 'kernel').map(completeKernel); // prettier-ignore
const collectivesOf = (path: string): CollectiveLine[] => recordsOf(path).filter((record) => record.type === 'collective'); // prettier-ignore
const isStep = (record: ProfileLine): boolean => record.type === 'sample' && record.metric === STEP_METRIC;
const samplesOf = (path: string): SampleRecord[] =>
  recordsOf(path).filter((record) => record.type === 'sample' && !isStep(record)) as SampleRecord[];

function only(events: readonly EventText[] | string, beside: Readonly<Record<string, string>> = {}): KernelRecord {
  const kernels = kernelsOf(writeProfile(events, beside));
  expect(kernels).to.have.length(1);
  return kernels[0] as KernelRecord;
}

const HEADER = [
  'Step Id',
  'Task ID',
  'Stream ID',
  'Name',
  'Type',
  'Accelerator Core',
  'Start Time(us)',
  'Duration(us)',
];
const details = (name: string, start: number, ...rest: unknown[]): unknown[] =>
  [7, 11, 2, name, 'MatMulV2', 'AI_CORE', `${timeText(start)}\t`, 10, ...rest]; // prettier-ignore

describe('Ascend text: kernels', () => {
  it('stand where the flow from the op says, launched by the thread of the queue', () => {
    const kernel = only([...MM, ...FLOW]);
    expect(kernel).to.deep.include({ name: 'MatMul', start: 30_000, dur: 10_000, device: 0, stream: 2, corr: 11, step: 7 });
    expect(kernel).to.deep.include({ pid: 3000, tid: LAUNCHER, launch: { api: 'launch', start: 22_000, dur: 1000, domain: 'node' } });
    expect(kernel.layer).to.deep.equal(['Linear_0']);
    expect(kernel.ranges).to.deep.equal(['ProfilerStep#7', 'aclnnMm']);
    expect(kernel.calls.map(({ mod, op: name }) => `${mod}::${name}`)).to.deep.equal(['aten::mm']);
    expect(kernel.calls[0]?.args.map(({ shape, dtype }) => [shape, dtype])).to.deep.equal([[[4, 8], 'float32'], [[8, 2], 'float32']]);
    // `AI_CORE` is either kind of cores.
    expect(kernel.engine).to.equal(undefined);
    expect(kernel.labels).to.deep.equal({ taskType: 'AI_CORE', taskId: 11 });
  }); // prettier-ignore

  it('without flows, where the queue was filled', () => {
    expect(only(MM)).to.deep.equal(only([...MM, ...FLOW]));
  });

  it('have no launch that ends before it begins', () => {
    const backwards = call('Node@launch', 11, 22).replace(/"dur": ?[\d.]+/, '"dur":-2');
    const path = writeProfile([...HOST_SIDE, ...queued(900, 6, 21), backwards, task('MatMul', 'AI_CORE', 11, 30, 40)]);
    expect(recordsOf(path, { ranges: true }).every((record) => !('dur' in record) || (record.dur ?? 0) >= 0)).to.equal(true); // prettier-ignore
    expect(kernelsOf(path).map(({ launch }) => launch)).to.deep.equal([null]);
    expect(diagnosticsOf(path)).to.include({ 'negative-duration': 1 });
  });

  it('without a queue, where the launch was made', () => {
    const events = [...HOST_SIDE, call('Node@launch', 11, 7, MAIN), task('MatMul', 'AI_CORE', 11, 30, 40)];
    expect(only(events).ranges).to.deep.equal(['ProfilerStep#7', 'aclnnMm']);
    expect(only(events).tid).to.equal(MAIN);
  });

  it('whose flows start at one instant are distinguished by their streams', () => {
    const other = [op('aten::add', 60, 70), call('Node@launch', 12, 61), task('Add', 'AI_CORE', 12, 30, 41).replace('"tid":2', '"tid":5')]; // prettier-ignore
    const [start = '', end = ''] = flow(60, 30);
    const moved = end.replace('"tid":2', '"tid":5');
    const again = [start, moved].map((text) => text.replace(/"id": \d+/, '"id": "x"'));
    const kernels = kernelsOf(writeProfile([...MM, ...other, ...FLOW, ...again]));
    expect(kernels.map(({ name, op: ops }) => [name, ops.at(-1)])).to.deep.equal([['MatMul', 'mm'], ['Add', 'add']]);
  }); // prettier-ignore

  it('of the backward pass have the module and the op of the forward pass', () => {
    const seq = (thread: number): Record<string, number> => ({ 'Sequence number': 40, 'Fwd thread id': thread });
    const events = [
      frame('nn.Module: Linear_0', 1, 30),
      op('aten::mm', 2, 20, { ...SHAPES, ...seq(0) }),
      op('MmBackward0', 40, 60, seq(1), ENGINE),
      op('aten::mm', 41, 50, SHAPES, ENGINE),
      call('Node@launch', 12, 45),
      task('MatMul', 'AI_CORE', 12, 70, 80),
      ...flow(41, 70, ENGINE),
    ];
    const kernel = only(events);
    expect(kernel).to.deep.include({ dir: 'bprop', layer: ['Linear_0'], seq: [40] });
    expect(kernel.forward).to.deep.equal({ mod: 'aten', op: 'mm', tid: MAIN, start: 1000 });
  });

  it('have ns of their own although their times exceed 2^53', () => {
    const odd = task('MatMul', 'AI_CORE', 11, 30.123, 40.456);
    const path = writeProfile([op('aten::mm', 2.001, 20), odd]);
    expect(headerOf(path).startUnixNs).to.equal('1736408883000002001');
    expect(kernelsOf(path)[0]).to.include({ start: 28_122, dur: 10_333 });
  });

  it('of traces with times as numbers are read too', () => {
    const events = [...MM, ...FLOW, ...processNames].map((text) => text.replace(/"ts":"([\d.]+)"/, '"ts":$1'));
    expect(only(events)).to.deep.equal(only([...MM, ...FLOW]));
  });

  it('are not the tasks around them', () => {
    const inner = task('ReduceSum', 'MIX_AIV', 12, 50, 60, { 'Subtask Id': 0 });
    const outer = task('ReduceSum', 'AI_CORE', 12, 49, 61);
    const path = writeProfile([...MM, outer, inner]);
    expect(kernelsOf(path).map(({ name, engine, dur }) => [name, engine, dur])).to.deep.equal([
      ['MatMul', undefined, 10_000],
      ['ReduceSum', 'MIX_AIV', 10_000],
    ]);
    expect(diagnosticsOf(path)['task-passed-over']).to.equal(1);
  });

  it('of older traces: other key of the stream, processes with small numbers', () => {
    const old = (text: string): string => text.replace('"Physic Stream Id"', '"Stream Id"').replace(/"pid":3072\d+/, '"pid":9');
    expect(only([...MM, ...FLOW].map(old))).to.deep.equal(only([...MM, ...FLOW]));
  }); // prettier-ignore

  it('of a device that the label of its process names', () => {
    const label = processNames[1]?.replace('"NPU"', '"NPU 3"') ?? '';
    expect(only([...MM, ...FLOW, label]).device).to.equal(3);
  });
});

describe('Ascend text: other work of the device', () => {
  it('copies and waits have kinds of their own; marks of the profiler are skipped', () => {
    const path = writeProfile([
      ...MM,
      task('MEMCPY_ASYNC', 'SDMA_SQE', 21, 50, 51),
      task('EVENT_WAIT', 'EVENT_WAIT_SQE', 22, 52, 53),
      task('EVENT_RECORD', 'PLACE_HOLDER_SQE', 23, 54, 55),
      task('PROFILING_DISABLE', 'PLACE_HOLDER_SQE', 24, 56, 57),
    ]);
    const found = recordsOf(path).flatMap((record) => (record.type === 'copy' || record.type === 'sync' ? [[record.type, record.kind]] : [])); // prettier-ignore
    expect(found).to.deep.equal([['copy', null], ['sync', 'stream-wait-event'], ['sync', 'event-record']]); // prettier-ignore
    expect(headerOf(path).facts).to.deep.include({ not_read: 'PLACE_HOLDER_SQE: 1' });
  });

  const REDUCE = [
    op('HcclAllreduce', 40, 45),
    call('Node@launch', 31, 46),
    collective('hcom_allReduce__586_0_1', 31, 60, 90, { data_type: 'FP16', alg_type: 'MESH-RING', count: 1000 }),
    ...['ON_CHIP', 'HCCS', 'INVALID_TYPE'].map((link, i) => part('Memcpy', i + 1, 61 + i, link)),
    task('SDMA', 'SDMA', 31, 61, 70, { 'Physic Stream Id': 4, 'Subtask Id': 1 }),
    task('SDMA', 'AI_CORE', 31, 60, 90, { 'Physic Stream Id': 4 }),
  ];

  it('collectives are records of their own; their tasks are none', () => {
    const path = writeProfile([...MM, ...REDUCE]);
    expect(collectivesOf(path)).to.have.length(1);
    expect(collectivesOf(path)[0]).to.deep.include({
      name: 'hcom_allReduce__586_0_1',
      ...{ kind: 'allReduce', bytes: 2000, dtype: 'float16', group: '586', link: 'HCCS', algorithm: 'MESH-RING' },
      ...{ start: 60_000, dur: 30_000, stream: 4, corr: 31 },
    });
    const types = recordsOf(path).flatMap((record) => (isStep(record) ? [] : [record.type]));
    expect(types).to.deep.equal(['profile', 'kernel', 'collective', 'end']);
  });

  it('communication.json contains their group', () => {
    const operations = {
      'hcom_allReduce__586_0_1@17522586': { 'Communication Bandwidth Info': {} },
      'Total Op Info': {},
    };
    const beside = { 'communication.json': JSON.stringify({ step7: { p2p: {}, collective: operations } }) };
    const [one] = collectivesOf(writeProfile([...MM, ...REDUCE], beside));
    expect(one).to.include({ group: '17522586', link: 'HCCS' });
  });
});

describe('Ascend text: sidecar files', () => {
  it('kernel_details.csv adds cores, shapes and counters', () => {
    const header = [
      ...HEADER,
      'Block Num',
      'Block Dim',
      'Input Shapes',
      'Input Formats',
      'aic_mac_ratio',
      'Context ID',
    ];
    const row = details('MatMul', 30, 16, 99, '"""4,8;8,2"""', 'ND;N/A', 0.5, 3);
    const kernel = only([...MM, ...FLOW], { 'kernel_details.csv': csv(header, row) });
    expect(kernel).to.deep.include({ engine: 'AI_CORE', counters: { aic_mac_ratio: 0.5 }, block: [16, 1, 1] });
    expect(kernel.labels).to.deep.equal({ opType: 'MatMulV2', taskType: 'AI_CORE', inputShapes: '4,8;8,2', inputFormats: 'ND;N/A', blockDim: 16, taskId: 11, contextId: 3 }); // prettier-ignore
  });

  it('kernel_details.csv has the engine of kernels of unknown type', () => {
    const odd = task('MatMul', 'NEW_KIND', 11, 30, 40);
    const beside = { 'kernel_details.csv': csv(HEADER, details('MatMul', 30)) };
    expect(only([...HOST_SIDE, odd]).engine).to.equal(undefined);
    expect(only([...HOST_SIDE, odd], beside).engine).to.equal('AI_CORE');
    expect(diagnosticsOf(writeProfile([...HOST_SIDE, odd], beside))).to.not.have.property('kernel-of-unknown-type');
  });

  const COUNTED: readonly (readonly [what: string, text: string, counted: object])[] = [
    ['with another header', 'a,b\r\n1,2\r\n', { 'companion-file-not-read': 1 }],
    ['without a byte', '', { 'companion-file-not-read': 1 }],
    ['that was cut', csv(HEADER, details('MatMul', 30)) + '7,11,2,Mat', { 'truncated-input': 1 }],
    ['that was cut in a quoted cell', csv(HEADER, details('MatMul', 30)) + '7,11,2,"Mat', { 'truncated-input': 1 }],
    ['of another trace', csv(HEADER, details('MatMul', 35)), { 'details-without-task': 1 }],
    ['with a cell too few', csv([...HEADER, 'Block Dim'], details('MatMul', 30)), { 'csv-row-short': 1 }],
    ['with a gap before the time', csv(HEADER, details('MatMul', 30).slice(1)), { 'csv-row-short': 1, 'csv-row-passed-over': 1 }], // prettier-ignore
    ['without a time', csv(HEADER, details('MatMul', 30).with(6, 'N/A')), { 'details-without-task': 1 }],
  ];
  for (const [what, text, counted] of COUNTED) {
    it(`a kernel_details.csv ${what} does not stop the trace`, () => {
      const path = writeProfile([...MM, ...FLOW], { 'kernel_details.csv': text });
      expect(kernelsOf(path)).to.have.length(1);
      expect(diagnosticsOf(path)).to.deep.equal({ ...counted, 'profiler-info-not-found': 1 });
    });
  }
  it('l2_cache.csv adds rates, joined in order where a task number comes again', () => {
    const header = ['Task ID', 'Stream ID', 'Name', 'Accelerator Core', 'Start Time(us)', 'Duration(us)'];
    const kernels = csv(
      header,
      [11, 2, 'MatMul', 'AI_CORE', timeText(30), 10],
      [11, 2, 'MatMul', 'AI_CORE', timeText(50), 10],
    );
    const rates = csv(['Stream Id', 'Task Id', 'Hit Rate', 'Victim Rate', 'Op Name'], [2, 11, 'N/A', 0.25, 'MatMul'], [2, 11, 0.5, 0, 'MatMul']); // prettier-ignore
    const events = [...MM, ...FLOW, task('MatMul', 'AI_CORE', 11, 50, 60)];
    const path = writeProfile(events, { 'kernel_details.csv': kernels, 'l2_cache.csv': rates });
    expect(kernelsOf(path).map(({ counters }) => counters)).to.deep.equal([
      { l2_victim_rate: 0.25 },
      { l2_hit_rate: 0.5, l2_victim_rate: 0 },
    ]);
    const other = writeProfile(events, { 'kernel_details.csv': kernels, 'l2_cache.csv': 'Hit Rate\r\n1\r\n' });
    expect(diagnosticsOf(other)).to.include({ 'companion-file-not-read': 1 });
  });

  it('npu_module_mem.csv and memory_record.csv add samples when values change', () => {
    const modules = csv(['Component', 'Timestamp(us)', 'Total Reserved(MB)', 'Device'], ['HCCL', `${timeText(9)}\t`, 2, 'NPU:0'], ['HCCL', `${timeText(10)}\t`, 2, 'NPU:0'], ['HCCL', `${timeText(11)}\t`, 3, 'NPU:0']); // prettier-ignore
    const path = writeProfile([...MM, ...FLOW], { 'npu_module_mem.csv': modules });
    expect(samplesOf(path).map(({ start, value }) => [start, value])).to.deep.equal([
      [9000, 2 * 1024 * 1024],
      [11000, 3 * 1024 * 1024],
    ]);
  });

  it('memory files are samples', () => {
    const records = csv(['Component', 'Timestamp(us)', 'Total Allocated(MB)', 'Total Reserved(MB)', 'Device Type'], ['PTA', `${timeText(9)}\t`, 1.5, '', 'NPU:2']); // prettier-ignore
    const ops = csv(['Name', 'Size(KB)', 'Allocation Time(us)', 'Duration(us)', 'Allocation Total Active(MB)', 'Device Type'], ['aten::empty', 0.5, `${timeText(8)}\t`, '2.500\t', 3, 'NPU:2'], ['aten::mm', 4, `${timeText(10)}\t`, '', '', 'NPU:2']); // prettier-ignore
    const path = writeProfile([...MM, ...FLOW], { 'memory_record.csv': records, 'operator_memory.csv': ops });
    expect(samplesOf(path).map(({ start, dur, device, metric, value, labels }) => [start, dur, device, metric, value, labels])).to.deep.equal([
      [8000, 2500, 2, 'op_memory', 512, { op: 'aten::empty', active: 3 * 2 ** 20 }],
      [9000, undefined, 2, 'memory_allocated', 1.5 * 2 ** 20, { component: 'PTA' }],
      [10_000, null, 2, 'op_memory', 4096, { op: 'aten::mm' }],
    ]);
  }); // prettier-ignore

  it('kernel_details.csv is read alone where there is no trace', () => {
    const path = writeProfile('', { 'kernel_details.csv': csv(HEADER, details('MatMul', 30), [7, 12, 2, 'hcom_allReduce__586_0_1', 'hcom_allReduce_', 'COMMUNICATION', timeText(50), 4]) }); // prettier-ignore
    const records = recordsOf(join(dirname(path), 'kernel_details.csv'));
    expect(records.map(({ type }) => type)).to.deep.equal(['profile', 'kernel', 'collective', 'end']);
    expect((records[0] as ProfileRecord).format).to.equal('ascend-text');
    expect(records[1]).to.deep.include({ name: 'MatMul', start: 0, dur: 10_000, stream: 2, engine: 'AI_CORE', step: 7, launch: null }); // prettier-ignore
    expect(records[2]).to.include({ kind: 'allReduce', start: 20_000, dur: 4000 });
  });
});

describe('Ascend text: kernel_details.csv alone', () => {
  const readAlone = (...rows: readonly (readonly unknown[])[]): string =>
    join(dirname(writeProfile('', { 'kernel_details.csv': csv(HEADER, ...rows) })), 'kernel_details.csv');
  const ALWAYS = { 'profiler-info-not-found': 1 };

  it('keeps a kernel and a collective without a start, at the start of the profile', () => {
    const reduce = [7, 12, 2, 'hcom_allReduce__586_0_1', 'hcom_allReduce_', 'COMMUNICATION', 'N/A', 4];
    const path = readAlone(details('Cast', 30).with(6, 'N/A'), details('MatMul', 30), reduce);
    const kernels = kernelsOf(path).map(({ name, start, dur, stream, engine }) => [name, start, dur, stream, engine]);
    expect(kernels).to.have.deep.members([
      ['Cast', 0, null, 2, 'AI_CORE'],
      ['MatMul', 0, 10_000, 2, 'AI_CORE'],
    ]);
    expect(recordsOf(path).filter(({ type }) => type === 'collective')).to.have.length(1);
    expect(diagnosticsOf(path)).to.deep.equal({
      ...ALWAYS,
      'row-without-time': 2,
      'kernel-without-launch': 2,
      'activity-without-launch': 1,
    });
  });

  it('gives kernels without a name the same one, in any order of rows', () => {
    const rows = [details('', 30), details('MatMul', 40), details('', 50)];
    for (const order of [rows, rows.toReversed()]) {
      const path = readAlone(...order);
      expect(kernelsOf(path).map(({ name, short }) => [name, short])).to.deep.equal([
        ['kernel#na', 'kernel#na'],
        ['MatMul', 'MatMul'],
        ['kernel#na', 'kernel#na'],
      ]);
      expect(diagnosticsOf(path)).to.deep.equal({ ...ALWAYS, 'kernel-without-launch': 3, 'unknown-name': 2 });
    }
  });
});

describe('Ascend text: detection', () => {
  const formatOf = (text: string): string => headerOf(kineto.writeTrace(text)).format;

  it('by what only this profiler writes', () => {
    expect(formatOf(traceText(MM))).to.equal('ascend-text');
    expect(formatOf(traceText([...Array<string>(2000).fill(op('aten::empty', 0, 1)), ...MM]))).to.equal('ascend-text');
    // Times as numbers, no shapes: the device's process is named at the end.
    const numbers = [task('MatMul', 'AI_CORE', 11, 30, 40), ...processNames].map((text) => text.replace(/"ts":"([\d.]+)"/, '"ts":$1')); // prettier-ignore
    expect(formatOf(traceText(numbers))).to.equal('ascend-text');
  });

  it('leaves traces of other devices to their reader', () => {
    const events = [kineto.op('aten::mm', 0, 9), kineto.launch(1, 3), kineto.kernel('k', 1, 10)];
    expect(formatOf(kineto.traceText(events))).to.equal('kineto');
    expect(formatOf(`[${events.join(', ')}]`)).to.equal('kineto');
  });

  it('of a truncated trace: the part before the cut is read', () => {
    const text = traceText([...MM, ...FLOW]);
    for (let length = (HOST_SIDE[0]?.length ?? 0) + 3; length < text.length; length += 37) {
      const path = writeProfile(text.slice(0, length));
      expect([headerOf(path).format, diagnosticsOf(path)['truncated-input']]).to.deep.equal(['ascend-text', 1]);
    }
  });

  it('a folder is read once, whatever of one run it holds', async () => {
    const trace = writeProfile([...MM, ...FLOW], { 'kernel_details.csv': csv(HEADER, details('MatMul', 30)) });
    const { profiles, failures } = await foundIn([dirname(trace)]);
    expect(profiles.map(({ source }) => source.path)).to.deep.equal([trace]);
    expect(failures).to.deep.equal([]);
    const database = training().write({}, join(dirname(trace), 'ascend_pytorch_profiler_0.db'));
    const both = await foundIn([dirname(trace)]);
    expect(both.profiles.map(({ source }) => source.path)).to.deep.equal([database]);
    expect((await foundIn([trace])).profiles).to.have.length(1);
  });
});
