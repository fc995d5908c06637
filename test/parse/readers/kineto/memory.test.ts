import { expect } from 'chai';
import { STEP_METRIC, type EndRecord, type SampleRecord } from '../../../../src/record/record.js';
import { ENGINE, kernel, MAIN, op, read, type EventText } from '../../../support/kineto-trace.js';
import { itShared } from '../../../support/shared.js';
import { fileOf, recordsOf } from '../../../support/kineto.js';

type Args = Readonly<Record<string, unknown>>;

/** An event as PyTorch writes it: at a µs, on device 0 of type CUDA. */
const memory = (at: number | string, args: Args, tid = MAIN): EventText =>
  `{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 10, "tid": ${tid}, "ts": ${at}, "args": ${JSON.stringify(args)}}`;

const CUDA = { 'Device Id': 0, 'Device Type': 1 };
const CPU = { 'Device Id': -1, 'Device Type': 0 };
const totals = (allocated: number, reserved: number): Args => ({ 'Total Allocated': allocated, 'Total Reserved': reserved }); // prettier-ignore

/** [start, dur where known, device, metric, value, labels] of every sample. */
const samplesOf = (events: readonly EventText[]): unknown[] =>
  read(events)
    .filter((record): record is SampleRecord => record.type === 'sample')
    .map(({ start, dur, device, metric, value, unit, labels }) => {
      expect(unit).to.equal('bytes');
      return [start, ...(dur === undefined ? [] : [dur]), device, metric, value, Object.values(labels ?? {}).join(' ')];
    });
const diagnostics = (events: readonly EventText[]): EndRecord['diagnostics'] => (read(events).at(-1) as EndRecord).diagnostics; // prettier-ignore

// These traces are made by hand; figures are worked out beside them.
describe('Kineto: memory', () => {
  it('gives totals, and allocations with their op and how long they were held', () => {
    const events = [
      op('aten::linear', 10, 40),
      op('aten::addmm', 20, 30),
      memory(22, { ...CUDA, ...totals(1512, 2048), Bytes: 512, Addr: 4096 }),
      memory(35, { ...CUDA, ...totals(1768, 2048), Bytes: 256, Addr: 8192 }),
      memory(50, { ...CUDA, ...totals(1256, 2048), Bytes: -512, Addr: 4096 }),
      kernel('k', 1, 60),
    ];
    // The first event is at 10 µs: 22 − 10 = 12; held from 22 to 50 µs; the second is not released.
    expect(samplesOf(events)).to.deep.equal([
      [12_000, 0, 'memory_allocated', 1512, 'CUDA'],
      [12_000, 0, 'memory_reserved', 2048, 'CUDA'],
      [12_000, 28_000, 0, 'op_memory', 512, 'aten::addmm CUDA'],
      [25_000, 0, 'memory_allocated', 1768, 'CUDA'],
      [25_000, null, 0, 'op_memory', 256, 'aten::linear CUDA'],
      [40_000, 0, 'memory_allocated', 1256, 'CUDA'],
    ]);
    expect(diagnostics(events)).to.deep.equal({ 'kernel-without-launch': 1 });
  });

  it('keeps host and devices apart, whatever their addresses', () => {
    const events = [
      memory(10, { ...CPU, ...totals(8, 0), Bytes: 8, Addr: 64 }),
      memory(11, { 'Device Type': 0, ...totals(24, 0), Bytes: 16, Addr: 128 }),
      memory(12, { 'Device Type': 6, 'Device Id': 1, ...totals(512, 512), Bytes: 512, Addr: 64 }),
      memory(13, { 'Device Type': 77, 'Device Id': 1, ...totals(9, 9), Bytes: 9, Addr: 64 }),
      memory(14, { ...CPU, ...totals(16, 0), Bytes: -8, Addr: 64 }),
    ];
    // Nothing is reserved of the host: its 0 is no value.
    expect(samplesOf(events)).to.deep.equal([
      [0, null, 'memory_allocated', 8, 'CPU'],
      [0, 4000, null, 'op_memory', 8, 'CPU'],
      [1000, null, 'memory_allocated', 24, 'CPU'],
      [1000, null, null, 'op_memory', 16, 'CPU'],
      [2000, 1, 'memory_allocated', 512, 'HIP'],
      [2000, 1, 'memory_reserved', 512, 'HIP'],
      [2000, null, 1, 'op_memory', 512, 'HIP'],
      [3000, 1, 'memory_allocated', 9, 'device type 77'],
      [3000, 1, 'memory_reserved', 9, 'device type 77'],
      [3000, null, 1, 'op_memory', 9, 'device type 77'],
      [4000, null, 'memory_allocated', 16, 'CPU'],
    ]);
  });

  it('takes the op of the same thread', () => {
    const events = [
      op('aten::mm', 10, 40),
      op('aten::add', 20, 30, {}, ENGINE),
      memory(25, { ...CUDA, ...totals(1, 1), Bytes: 1, Addr: 1 }, ENGINE),
      memory(35, { ...CUDA, ...totals(2, 1), Bytes: 1, Addr: 2 }, ENGINE),
    ];
    const ops = read(events).flatMap((record) => (record.type === 'sample' && record.metric === 'op_memory' ? [record.labels] : [])); // prettier-ignore
    expect(ops).to.deep.equal([{ op: 'aten::add', component: 'CUDA' }, { component: 'CUDA' }]);
  });

  it('counts releases of earlier allocations, and addresses allocated twice', () => {
    const events = [
      memory(10, { ...CUDA, ...totals(900, 1000), Bytes: -100, Addr: 1 }),
      memory(11, { ...CUDA, ...totals(910, 1000), Bytes: 10, Addr: 2 }),
      memory(15, { ...CUDA, ...totals(920, 1000), Bytes: 10, Addr: 2 }),
    ];
    expect(samplesOf(events).filter((sample) => JSON.stringify(sample).includes('op_memory'))).to.deep.equal([
      [1000, 4000, 0, 'op_memory', 10, 'CUDA'],
      [5000, null, 0, 'op_memory', 10, 'CUDA'],
    ]);
    expect(diagnostics(events)).to.include({ 'free-without-allocation': 1, 'allocation-without-free': 1 });
  });

  it('orders events of one time as the profiler did', () => {
    const at = (index: number, args: Args): EventText => memory(10, { ...CUDA, ...args, 'Ev Idx': index });
    const events = [
      at(2, { ...totals(0, 512), Bytes: -512, Addr: 1 }),
      at(1, { ...totals(512, 512), Bytes: 512, Addr: 1 }),
    ];
    expect(samplesOf(events)).to.deep.equal([
      [0, 0, 'memory_allocated', 512, 'CUDA'],
      [0, 0, 'memory_reserved', 512, 'CUDA'],
      [0, 0, 0, 'op_memory', 512, 'CUDA'],
      [0, 0, 'memory_allocated', 0, 'CUDA'],
    ]);
  });

  it('gives the sum since the first event where totals are not recorded, and no durations', () => {
    const events = [
      op('aten::empty', 10, 20),
      memory(12, { ...CUDA, Bytes: 512 }),
      memory(14, { ...CUDA, Bytes: 256 }),
      memory(30, { ...CUDA, Bytes: -1024 }),
    ];
    // 512, 512 + 256, 768 − 1024: lower than at the start.
    expect(samplesOf(events)).to.deep.equal([
      [2000, 0, 'memory_allocated_since_first', 512, 'CUDA'],
      [2000, 0, 'op_memory', 512, 'aten::empty CUDA'],
      [4000, 0, 'memory_allocated_since_first', 768, 'CUDA'],
      [4000, 0, 'op_memory', 256, 'aten::empty CUDA'],
      [20_000, 0, 'memory_allocated_since_first', -256, 'CUDA'],
    ]);
    expect(diagnostics(events)).to.include({ 'memory-total-missing': 3 });
  });

  it('passes over events without a size or a time, and other instants', () => {
    const events = [
      op('aten::mm', 10, 20),
      memory(12, CUDA),
      memory(12, { ...CUDA, ...totals(1, 1), Bytes: 'much' }),
      memory('null', { ...CUDA, Bytes: 1 }),
      memory(13, { ...CUDA, ...totals(1, 1), Bytes: 1 }).replace('[memory]', '[memory!'),
      `{"ph": "i", "name": "[memory]", "pid": 10, "tid": 100, "ts": 14}`,
    ];
    expect(samplesOf(events)).to.deep.equal([]);
    expect(diagnostics(events)).to.include({ 'event-without-time': 1 });
  });

  // Events and allocations of each trace, counted by Python over its JSON; reserved memory changes 1 and 4 times.
  const counts: [trace: string, samples: Record<string, number>, odd: object][] = [
    ['h100_owlv2', { memory_allocated: 1204 + 12_270, memory_reserved: 1, op_memory: 602 + 6135 }, {}],
    ['mi300_norm_layers_training', { memory_allocated: 60 + 415, memory_reserved: 4, op_memory: 30 + 213 }, {}],
    ['v100_resnet50_2021', { memory_allocated_since_first: 4618 + 8220, op_memory: 2310 + 4110 }, { 'memory-total-missing': 12_838, 'zero-duration-rounded': 636 }], // prettier-ignore
  ];
  for (const [trace, samples, odd] of counts) {
    itShared(`${trace} has every event`, [fileOf(trace)], async () => {
      const records = await recordsOf(trace);
      const found: Record<string, number> = {};
      for (const record of records)
        if (record.type === 'sample' && record.metric !== STEP_METRIC)
          found[record.metric] = (found[record.metric] ?? 0) + 1;
      expect(found).to.deep.equal(samples);
      expect((records.at(-1) as EndRecord).diagnostics).to.deep.equal(odd);
    });
  }
});
