import { expect } from 'chai';
import type { EndRecord, ProfileRecord } from '../../../../src/record/record.js';
import { any, kernel, launch, MAIN, op, read } from '../../../support/kineto-trace.js';

const ON_DEVICE = { pid: 2, tid: 5 };

describe('Kineto: categories of events', () => {
  it('work of an MTIA device is a kernel, launched by its runtime', () => {
    const [, work] = read([
      any('mtia_runtime', 'launch', 10, 12, { tid: MAIN }, { correlation: 4 }),
      any('mtia_ccp_events', 'gemm', 20, 50, ON_DEVICE, { correlation: 4 }),
    ]);
    expect(work).to.deep.include({ type: 'kernel', name: 'gemm', start: 10_000, dur: 30_000, device: 2, stream: 5 });
    expect(work).to.have.deep.property('launch', { api: 'launch', start: 0, dur: 2000 });
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
      any('hpu_op', 'gemm', 6, 8, ON_DEVICE),
      any('overhead', 'Buffer Flush', 1, 5, {}),
    ]);
    expect((records[0] as ProfileRecord).facts).to.deep.equal({ categories_not_read: 'hpu_op, mtia_workloadd' });
    const { counts, diagnostics } = records.at(-1) as EndRecord;
    expect(counts).to.deep.equal({});
    expect(diagnostics).to.deep.equal({ 'category-not-read': 3, 'no-device-activity': 1 });
  });

  it('a trace of known categories states nothing', () => {
    expect(read([launch(1, 0), kernel('k', 1, 5)])[0]).not.to.have.property('facts');
  });

  it('names a few of a thousand categories', () => {
    const events = Array.from({ length: 1000 }, (_, i) => any(`c${i}`, 'x', 0, 1, {}));
    const [header] = read([kernel('k', 1, 5), ...events]);
    expect(String((header as ProfileRecord).facts?.['categories_not_read']).split(', ')).to.have.length(20);
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
