import { expect } from 'chai';
import type { EndRecord, ProfileRecord } from '../../../../src/record/record.js';
import { any, kernel, launch, MAIN, op, read } from '../../../support/kineto-trace.js';

const ON_DEVICE = { pid: 2, tid: 5 };

describe('Kineto: categories of events', () => {
  it('work of an MTIA device is a kernel, launched by its runtime', () => {
    const [profile, work] = read([
      any('mtia_runtime', 'launch', 10, 12, { tid: MAIN }, { correlation: 4 }),
      any('mtia_ccp_events', 'gemm', 20, 50, ON_DEVICE, { correlation: 4 }),
    ]);
    expect(work).to.deep.include({ type: 'kernel', name: 'gemm', start: 10_000, dur: 30_000, device: 2, stream: 5 });
    expect(work).to.have.deep.property('launch', { api: 'launch', start: 0, dur: 2000 });
    expect(profile).to.have.deep.nested.property('devices[0].vendor', 'meta');
  });

  it("work of Intel's devices has its launches, directions and vendor", () => {
    const queue = { pid: 0, tid: 7 };
    const records = read([
      op('aten::mm', 0, 9),
      any('xpu_runtime', 'urEnqueueKernelLaunch', 1, 3, { tid: MAIN }, { correlation: 4131 }),
      any('kernel', 'gemm_kernel', 20, 50, queue, { correlation: 4131, device: 0, 'sycl queue': 7 }),
      any('gpu_memcpy', 'Memcpy M2D (MEMORY(Unknown) -> DEVICE)', 50, 55, queue, {
        correlation: 9,
        device: 0,
        bytes: 64,
      }),
      any('gpu_memcpy', 'Memcpy D2H (DEVICE -> HOST)', 55, 60, queue, { correlation: 10, device: 0, bytes: 32 }),
      any('gpu_memcpy', 'Memcpy D2D (DEVICE -> DEVICE)', 60, 65, queue, { correlation: 11, device: 0, bytes: 16 }),
      any('gpu_memcpy', 'Memcpy S2D (SHARED -> DEVICE)', 65, 70, queue, { correlation: 12, device: 0, bytes: 8 }),
      any('gpu_memset', 'Memset (0 -> DEVICE)', 70, 75, queue, { correlation: 13, device: 0, bytes: 4 }),
      any('xpu_driver', 'zeEventHostSynchronize', 21, 80, { tid: MAIN }, { correlation: 14 }),
      any(
        'xpu_sync',
        'zeEventHostSynchronize',
        21,
        80,
        { pid: -1, tid: MAIN },
        { correlation: 14, Type: 'HOST_EVENT' },
      ),
    ]);
    const [profile, kernelRecord] = records;
    expect(profile).to.have.deep.nested.property('devices[0].vendor', 'intel');
    expect(profile).to.not.have.property('facts');
    expect(kernelRecord).to.deep.include({ type: 'kernel', start: 20_000, dur: 30_000, device: 0, stream: 7 });
    expect(kernelRecord).to.have.deep.property('launch', { api: 'urEnqueueKernelLaunch', start: 1000, dur: 2000 });
    const copies = records.filter((record) => record.type === 'copy');
    expect(copies.map((copy) => [copy.kind, copy.bytes, copy.hostMemory ?? null])).to.deep.equal([
      ['HtoD', 64, 'pageable'],
      ['DtoH', 32, 'pinned'],
      ['DtoD', 16, null],
      [null, 8, null],
    ]);
    expect(records.filter(({ type }) => type === 'set' || type === 'sync')).to.have.lengthOf(1);
  });

  it("a launch by Glow's runtime is one", () => {
    const [, work] = read([any('glow_runtime', 'run', 10, 12, { tid: MAIN }, { correlation: 1 }), kernel('k', 1, 20)]);
    expect(work).to.have.deep.property('launch', { api: 'run', start: 0, dur: 2000 });
  });

  it('categories that are not known are counted and named', () => {
    const records = read([
      op('aten::mm', 0, 9),
      any('hpu_op', 'gemm', 1, 5, ON_DEVICE),
      any('mtia_workloadd', 'x', 1, 5, {}),
      any('mtia_insight', 'x', 1, 5, ON_DEVICE),
      any('collective_comm', 'all_reduce', 1, 5, ON_DEVICE),
      any('hpu_op', 'gemm', 6, 8, ON_DEVICE),
      any('overhead', 'Buffer Flush', 1, 5, {}),
    ]);
    expect((records[0] as ProfileRecord).facts).to.deep.equal({
      not_read: 'collective_comm: 1, hpu_op: 2, mtia_insight: 1, mtia_workloadd: 1',
    });
    const { counts, diagnostics } = records.at(-1) as EndRecord;
    expect(counts).to.deep.equal({});
    expect(diagnostics).to.deep.equal({ 'event-not-read': 5, 'no-device-activity': 1 });
  });

  it('phases that are not read are counted, and named with the category', () => {
    const pair = (ts: number, more: string): string => `{"pid": 1, "tid": 2, "ts": ${ts}, ${more}}`;
    const begin = '"ph": "B", "cat": "kernel", "name": "gemm"';
    const records = read([launch(1, 0), kernel('k', 1, 5), pair(1, begin), pair(2, '"ph": "E"'), pair(3, begin)]);
    expect(records[0]).to.have.deep.property('facts', { not_read: 'kernel (phase B): 2, no category (phase E): 1' });
    expect(records.at(-1)).to.have.deep.property('diagnostics', { 'event-not-read': 3 });
  }); // prettier-ignore

  it('of accelerators that have one for all they do, copies and waits are told by their names', () => {
    const names = ['dma_request', 'event_wait', 'gemm', 'dma_requests_kernel'];
    const records = read(names.map((name, n) => any('mtia_ccp_events', name, 10 * n, 10 * n + 5, ON_DEVICE)));
    expect(records.slice(1, -1).map(({ type }) => type)).to.deep.equal(['copy', 'sync', 'kernel', 'kernel']);
  });

  it('marks are counted but for those of the profiler, and so are events without a category', () => {
    const records = read([
      ...[launch(1, 0), kernel('k', 1, 5)],
      ...['Iteration Start: PyTorch Profiler', 'Record Window End', 'epoch 3'].map(
        (name) => `{"ph": "i", "s": "g", "pid": 1, "tid": 1, "ts": 4, "name": "${name}"}`,
      ),
      '{"ph": "X", "pid": 1, "tid": 1, "ts": 4, "dur": 1, "name": "x"}',
    ]);
    expect(records[0]).to.have.deep.property('facts', { not_read: 'no category: 1, no category (phase i): 1' });
  });

  it('a trace of known categories states nothing', () => {
    expect(read([launch(1, 0), kernel('k', 1, 5)])[0]).not.to.have.property('facts');
  });

  it('names a few of a thousand categories', () => {
    const events = Array.from({ length: 1000 }, (_, i) => any(`c${i}`, 'x', 0, 1, {}));
    const [header] = read([kernel('k', 1, 5), ...events]);
    expect(String((header as ProfileRecord).facts?.['not_read'])).to.match(/^c0: 1, (c\d+: 1, ){19}other kinds: 980$/);
  });
});

describe('Kineto: counters', () => {
  const counter = (name: string, ts: number, pid: number, args: object): string =>
    JSON.stringify({ ph: 'C', name, ts, pid, args });

  it('are samples at their time, of the device that is their process', () => {
    const samples = read([
      launch(1, 100),
      kernel('k', 1, 120),
      counter('dram__throughput', 110, 0, { value: 12.5 }),
      counter('dram__throughput', 105, 0, { value: 7 }),
      counter('load', 120, 10, { user: 1, system: 2, text: 'x' }),
    ]).filter(({ type }) => type === 'sample');
    const common = { type: 'sample', profile: 0, unit: null };
    expect(samples).to.deep.equal([
      { ...common, start: 5000, device: 0, metric: 'dram__throughput', value: 7 },
      { ...common, start: 10_000, device: 0, metric: 'dram__throughput', value: 12.5 },
      { ...common, start: 20_000, device: null, metric: 'load user', value: 1 },
      { ...common, start: 20_000, device: null, metric: 'load system', value: 2 },
    ]);
  });

  it('are of the device, or of the process, that their arguments name: neither is a value', () => {
    const samples = read([
      ...[kernel('k', 1, 120), kernel('k', 2, 120, { device: 1 })],
      counter('power', 121, 10, { device: 1, value: 50 }),
      counter('power', 122, 10, { 'Device Id': 3, value: 60 }),
      counter('power', 123, 10, { pid: 0, value: 70 }),
      counter('memory', 124, 10, { host: 4096, device: 8192 }),
      counter('device', 125, 10, { device: 2 }),
    ]).flatMap((record) => (record.type === 'sample' ? [[record.metric, record.device, record.value]] : []));
    expect(samples).to.deep.equal([
      ...[['power', 1, 50], ['power', 3, 60], ['power', 0, 70]],
      ...[['memory host', null, 4096], ['memory device', null, 8192], ['device', null, 2]],
    ]);
  }); // prettier-ignore

  it('begin the profile where they come first, and are counted where they have no time or value', () => {
    const records = read([kernel('k', 1, 120), counter('a', 100, 0, { value: 1 }), counter('b', 130, 0, { text: 'x' })]);
    expect(records.filter((record) => 'start' in record).map(({ start }) => start)).to.deep.equal([0, 20_000]);
    const { diagnostics } = read([kernel('k', 1, 120), '{"ph": "C", "name": "a", "args": {"v": 1}}', counter('b', 130, 0, {})]).at(-1) as EndRecord;
    expect(diagnostics).to.include({ 'event-without-time': 1, 'event-not-read': 1 });
  }); // prettier-ignore
});

describe('Kineto: overhead of profiler and driver', () => {
  const loading = any('overhead', 'Lazy Function Loading', 5, 45, { pid: -1, tid: 0 });

  it('is a range of its own kind, in the context of no kernel', () => {
    const [range, kernelRecord] = read([loading, launch(1, 20), kernel('k', 1, 50)], { ranges: true }).filter(
      (record) => record.type === 'kernel' || (record.type === 'range' && record.kind !== 'api'),
    );
    expect(range).to.include({ kind: 'overhead', start: 0, dur: 40_000, text: 'Lazy Function Loading', pid: -1 });
    expect(kernelRecord).to.deep.include({ ranges: [], layer: [], op: [] });
  });
});

describe("Kineto: CUPTI's range profiler", () => {
  const metrics = (sum: number) => ({
    'smsp__inst_executed.sum': sum,
    'dram__bytes_read.sum': 2 * sum,
    'External id': 7,
    'Trace name': 'PyTorch Profiler',
    'Trace iteration': 3,
  });
  const records = read([
    op('aten::mm', 0, 9),
    any('cuda_profiler_range', 'gemm', 0, 500, { pid: 1, tid: 0 }, metrics(10)),
    any('cuda_profiler_range', 'gemm', 500, 1000, { pid: 1, tid: 0 }, metrics(30)),
  ]);

  it('counters are samples without a time, a metric each; they take no time of the device', () => {
    const common = { type: 'sample', profile: 0, start: null, device: 1, unit: null };
    const [first, second] = [
      { name: 'gemm', range: 1 },
      { name: 'gemm', range: 2 },
    ];
    expect(records.slice(1, -1)).to.deep.equal([
      { ...common, metric: 'smsp__inst_executed.sum', value: 10, labels: first },
      { ...common, metric: 'dram__bytes_read.sum', value: 20, labels: first },
      { ...common, metric: 'smsp__inst_executed.sum', value: 30, labels: second },
      { ...common, metric: 'dram__bytes_read.sum', value: 60, labels: second },
    ]);
    expect((records.at(-1) as EndRecord).diagnostics).to.deep.equal({ 'no-device-activity': 1 });
  });

  it('a trace of them alone is one of PyTorch', () => {
    const alone = read([any('cuda_profiler_range', 'gemm', 0, 5, { pid: 1, tid: 0 }, { a__b: 1 })]);
    expect(alone.map(({ type }) => type)).to.deep.equal(['profile', 'sample', 'end']);
  });
});
