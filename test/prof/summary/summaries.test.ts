import { expect } from 'chai';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import { Overlap } from '../../../src/prof/overlap/overlap.js';
import type { ProfileSummary, Tally } from '../../../src/prof/summary/summary-data.js';
import type { CopyRecord, KernelRecord, ProfileLine, SetRecord, SyncRecord } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';
import { instruction, neuronProfile, packet } from '../../support/neuron.js';
import { overviewOf, overviewsOf } from '../../support/overviews.js';
import { takeAll } from '../../support/rows.js';

const launched = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 5 });
const HEADER: ProfileLine = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'nsight', tool: null, file: 'net.sqlite', rank: null },
  ...{ startUnixNs: null, dur: null },
  devices: [
    {
      ...{ id: 0, vendor: 'nvidia', name: 'NVIDIA A100-SXM4-40GB', arch: 'sm80', units: 108, clockHz: 1.41e9 },
      ...{ memBytesPerS: 1.555e12, memBytes: 42e9 },
    },
  ],
};

const at = (start: number, dur: number | null, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ start, dur, launch: launched(0), ...fields });
const nccl = (start: number, dur: number): KernelRecord => at(start, dur, { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)', short: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL' }); // prettier-ignore

const ACTIVITY = { profile: 0, device: 0, stream: 7, pid: 1, tid: 1, corr: 1 };
const copy = (start: number, dur: number | null, fields: Partial<CopyRecord> = {}): CopyRecord =>
  ({ type: 'copy', ...ACTIVITY, start, dur, kind: 'HtoD', bytes: 1000, launch: launched(0), ...fields }); // prettier-ignore
const set = (start: number, dur: number | null): SetRecord =>
  ({ type: 'set', ...ACTIVITY, start, dur, bytes: null, value: 0, launch: null }); // prettier-ignore
const wait = (start: number, dur: number | null): SyncRecord =>
  ({ type: 'sync', ...ACTIVITY, start, dur, kind: 'stream', launch: null }); // prettier-ignore
const end = (diagnostics: Readonly<Record<string, number>>): ProfileLine => ({ type: 'end', profile: 0, counts: {}, diagnostics }); // prettier-ignore

const sum = (tallies: readonly Tally[]): number => tallies.reduce((all, { time }) => all + (time ?? 0), 0);
const only = ({ devices }: ProfileSummary) => devices[0] ?? expect.fail();
const kernelsOf = ({ kernels }: ProfileSummary) => kernels ?? expect.fail();

describe('shares of peaks', () => {
  it('have the share of the bandwidth where only that of FLOP/s is unknown', () => {
    const tpu = { id: 0, vendor: 'google', name: 'TPU v6 Lite', arch: 'tpu-v6e', units: null, clockHz: null };
    const header = { ...HEADER, devices: [{ ...tpu, memBytesPerS: 1.638e12, memBytes: null }] } as ProfileLine;
    // 8.19 MB in 10 us are 819 GB/s, half of 1638. The vector unit's peak FLOP/s is not known.
    const call = { mod: 'hlo', op: 'add', args: [{ name: 'out', type: 'tensor', shape: [64], dtype: 'float32' }] };
    const counters = { flops: 64, bytes_accessed: 8.19e6 };
    const { work } = kernelsOf(overviewOf([header, at(0, 10_000, { calls: [call], counters, labels: {} })]));
    expect([work.computeShare, work.memoryShare, work.rated]).to.deep.equal([null, 0.5, 10_000]);
  });
});

describe('shares of one peak', () => {
  it('are of FLOP/s where only the bandwidth is unknown, and agree with MFU', () => {
    const ascend = { id: 0, vendor: 'huawei', name: 'Ascend910B', arch: 'ascend910b', units: 24, clockHz: 1.8e9 };
    const header = { ...HEADER, devices: [{ ...ascend, memBytesPerS: null, memBytes: null }] } as ProfileLine;
    const product = at(0, 1000, { calls: [mm(64, 64, 64)], engine: 'AI_CORE', labels: { type: 'MatMul' } });
    const { work } = kernelsOf(overviewOf([header, product, at(3000, 1000, { calls: [] })]));
    // 2 · 64³ FLOPs in 1 us; the span is 4 us.
    expect(work.flops).to.equal(2 * 64 ** 3);
    expect([work.memoryShare, work.rated]).to.deep.equal([null, 1000]);
    expect(work.computeShare).to.be.closeTo(4 * (work.mfu ?? NaN), 1e-12);
  });
});

describe('time by matrix unit', () => {
  it('counts communication as not applicable, whether an op describes it or not', () => {
    const kernels = kernelsOf(overviewOf([HEADER, nccl(0, 100), at(200, 50, { name: 'mystery', short: 'mystery' })]));
    expect(kernels.matrixUnit).to.include({ notApplicable: 100, unknown: 50 });
  });
});

/** Work of a core: Tensor 0-10 and 6-16, Scalar 12-30, DMA 0-20 and 10-25; Tensor waits 16-40. */
const ENGINES: readonly ProfileLine[] = [
  instruction('MATMUL', 'Tensor', 0, 10),
  packet('dma', 0, 20, 8),
  instruction('MATMUL', 'Tensor', 6, 10),
  packet('dma', 10, 15, 8, { stream: 65, engine: 'E65' }),
  instruction('ACT', 'Scalar', 12, 18, { stream: 1 }),
  instruction('EVENT_SEMAPHORE', 'Tensor', 16, 24),
];

describe('engines of a core', () => {
  it('are active while any of their work runs, the longest first, as in dprof overlap', () => {
    const device = only(overviewOf([neuronProfile(), ...ENGINES]));
    const active = [['DMA', 25], ['Scalar', 18], ['Tensor', 16]]; // prettier-ignore
    expect(device.engines).to.deep.equal(active.map(([engine, time]) => ({ engine, active: time })));
    const overlap = new Overlap(requireColumn('engine'));
    takeAll([neuronProfile(), ...ENGINES], overlap);
    const kinds = overlap.finish().facts.flatMap((on) => on.kinds);
    const named = kinds.map(({ kind, active: time }) => [kind === 'memcpy' ? 'DMA' : kind, time]);
    expect(named).to.deep.equal(active);
    expect(only(overviewOf([HEADER, at(0, 100)]))).not.to.have.property('engines');
  });
});

describe('overview of devices', () => {
  it('takes what runs at the same time once, and states what of communication is exposed', () => {
    // compute 0-100; communication 50-200; copy 120-150 under communication; idle 200-300; set 300-310
    const device = only(overviewOf([HEADER, at(0, 100), nccl(50, 150), copy(120, 30), set(300, 10)]));
    expect(device).to.include({ device: 0, name: 'NVIDIA A100-SXM4-40GB', start: 0, end: 310 });
    expect(device).to.include({ span: 310, busy: 210, idle: 100, compute: 100, communication: 150, memory: 40 });
    // 100-200: a copy hides no communication.
    expect(device).to.include({ exposed: 100, sync: 0, kernelSum: 250, computeSum: 100, communicationSum: 150 });
    expect(device.counts).to.deep.equal({ kernels: 1, communications: 1, graphs: 0, copies: 1, sets: 1, syncs: 0 });
  });

  it('knows neither busy nor idle time of devices that started copies which the profile lacks', () => {
    const started = (device: number): ProfileLine => at(0, 10, { device, labels: { category: 'copy-start' } });
    // Device 0 copies 5-45 and computes 50-60: 5 ns are idle. Device 1 also started a copy, but only computing is recorded.
    const computing = [0, 1].map((device) => at(50, 10, { device, launch: launched(20) }));
    const { devices } = overviewOf([HEADER, started(0), started(1), copy(5, 40), ...computing]);
    const shown = devices.map(({ span, busy, idle, compute, memory, copiesAlone, idleInWaits, gaps }) => [
      ...[span, busy, idle, compute, memory, copiesAlone, idleInWaits],
      gaps?.count ?? null,
    ]);
    expect(shown).to.deep.equal([
      [60, 55, 5, 20, 40, 35, 0, 1],
      [60, null, null, 20, null, null, null, null],
    ]);
  });

  it('has each moment in one part: copies and memsets alone, and idle time in waits', () => {
    // compute 0-100, 300-400, 500-510; communication 90-120; copies 110-140 and 310-320; sets 130-150 and 350-360;
    // waits before all work, 140-180, 170-220, 290-350, 395-450, 460-480, and behind all work
    const device = only(
      overviewOf([
        ...[HEADER, wait(0, 20), at(0, 100), nccl(90, 30), copy(110, 30), set(130, 20), wait(140, 40), wait(170, 50)],
        ...[wait(290, 60), at(300, 100), copy(310, 10), set(350, 10), wait(395, 55), wait(460, 20), at(500, 10)],
        wait(505, 1000),
      ]),
    );
    expect(device).to.include({ span: 510, busy: 260, compute: 210, exposed: 20, idle: 250 });
    // Copies 120-140; sets 140-150; idle 150-300 with waits 150-220 and 290-300; idle 400-500 with 400-450 and 460-480.
    expect(device).to.include({ copiesAlone: 20, setsAlone: 10, idleInWaits: 80 + 70 });
  });

  it('divides idle time by what ended each gap', () => {
    const device = only(
      overviewOf([
        at(0, 10),
        // launched before the device ran dry at 10: the queue
        at(15, 5, { launch: launched(9) }),
        // launched at the moment it ran dry, and later: the host
        at(40, 10, { launch: launched(20) }),
        at(90, 10, { launch: launched(80) }),
        // no launch
        set(103, 7),
      ]),
    );
    expect(device.gaps).to.deep.equal({ count: 4, longest: 40, host: 60, queue: 5, unknown: 3 });
    expect(device.idle).to.equal(5 + 20 + 40 + 3);
  });

  it('knows no cause of idle time where no launch is known', () => {
    const none = { launch: null };
    const device = only(overviewOf([at(0, 10, none), at(15, 5, none), at(40, 10, none)]));
    expect(device.gaps).to.deep.equal({ count: 2, longest: 20, host: null, queue: null, unknown: 25 });
  });

  it('separates the work whose launch is known; nothing of it where no launch is', () => {
    const device = only(overviewOf([set(0, 50), at(100, 10), at(105, 10), set(500, 5)]));
    expect(device.linked).to.deep.equal({ activities: 2, span: 15, busy: 15 });
    expect(only(overviewOf([set(0, 50)])).linked).to.equal(null);
  });

  it('counts waits as no work', () => {
    const { devices, syncs } = overviewOf([at(0, 10), wait(2, 98), wait(50, 100)]);
    expect(devices[0]).to.include({ span: 10, busy: 10, sync: 148 });
    expect(syncs).to.deep.equal([{ name: 'stream', count: 2, time: 198 }]);
  });

  it('keeps devices and profiles apart', () => {
    const [first, second, ...others] = overviewsOf([at(0, 10), at(5, 10, { device: 1 }), at(7, 20, { profile: 1 })]);
    expect(others).to.deep.equal([]);
    expect(first?.devices.map(({ device, busy }) => [device, busy])).to.deep.equal([[0, 10], [1, 10]]); // prettier-ignore
    expect(second).to.deep.include({ profile: 1, header: null });
    expect(second?.kernels?.time).to.equal(20);
  });

  it('knows picoseconds', () => {
    const { devices, kernels } = overviewOf([at(0, 1, { ps: [500, 250] }), at(1, 1, { ps: [0, 0] })]);
    // 0.5 to 1.75, 1 to 2
    expect(devices[0]).to.include({ span: 1.5, busy: 1.5, kernelSum: 2.25 });
    expect(kernels?.time).to.equal(2.25);
  });
});

describe('overview of kernels', () => {
  const rows = [
    HEADER,
    at(0, 100, { calls: [mm(64, 64, 64)], op: ['mm'], mod: ['torch'], name: 'ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn', short: 'gemm' }),
    at(200, 50, { calls: [mm(64, 64, 64, 'float32')], op: ['mm'], mod: ['torch'], name: 'ampere_sgemm_32x32_sliced1x4_nn', short: 'sgemm' }),
    at(300, 20, { op: ['relu'], mod: ['torch'], short: 'relu' }),
    at(400, 7, { launch: null, short: 'lost' }),
    at(500, 5, { graph: { id: 1, node: 2 }, short: 'graph' }),
    at(600, null, { short: 'lost' }),
  ]; // prettier-ignore

  it('adds up by name, by time and by launches', () => {
    const { count, time, untimed, names, byTime, byCount } = kernelsOf(overviewOf(rows));
    expect({ count, time, untimed, names }).to.deep.equal({ count: 6, time: 182, untimed: 1, names: 5 });
    expect(byTime.map(({ name, time: ns }) => [name, ns])).to.deep.equal([['gemm', 100], ['sgemm', 50], ['relu', 20], ['lost', 7], ['graph', 5]]); // prettier-ignore
    expect(byCount[0]).to.deep.equal({ name: 'lost', count: 2, time: 7, untimed: 1 });
  });

  it('counts trials of a library that chooses an algorithm; the work is done once', () => {
    const names = ['ampere_sgemm_128x64_nn', 'ampere_sgemm_64x64_nn', 'ampere_sgemm_32x32_nn', 'ampere_sgemm_64x64_nn'];
    const tried = names.map((name, sub) =>
      at(100 * sub, 10 + sub, { id: sub + 1, name, short: name, seq: [5], sub, calls: [mm(64, 64, 64)], op: ['mm'], mod: ['torch'] }),
    ); // prettier-ignore
    const { work } = kernelsOf(overviewOf([HEADER, ...tried]));
    expect(work).to.include({ trials: 3, trialTime: 10 + 11 + 12, flops: 2 * 64 ** 3, known: 10 + 11 + 12 + 13 });
  });

  it('parts its time by precision, matrix unit and bound; every part adds up to it', () => {
    const { time, precision, matrixUnit, work } = kernelsOf(overviewOf(rows));
    const { used, unused, notApplicable, undetermined, unknown, eligible, eligibleUsed } = matrixUnit;
    expect(used + unused + notApplicable + undetermined + unknown).to.equal(time);
    expect(matrixUnit).to.include({ used: 100, unused: 50, unknown: 32 });
    // On an A100 FP32 products could run as TF32.
    expect({ eligible, eligibleUsed }).to.deep.equal({ eligible: 150, eligibleUsed: 100 });
    expect(sum(precision)).to.equal(time);
    expect(precision.map(({ name, time: ns }) => [name, ns])).to.deep.equal([['fp16', 100], ['fp32', 50], ['na', 32]]); // prettier-ignore
    expect(sum(work.bounds)).to.equal(time);
    // 2 · 64³ each; 3 matrices of 64 · 64 elements of 2 and of 4 bytes
    expect(work).to.include({ known: 150, flops: 2 * 2 * 64 ** 3, bytes: 3 * 64 * 64 * (2 + 4), impossible: 0 });
  });

  it('does not know what the matrix unit could do where it knows no type of a product', () => {
    const nameless = at(0, 10, { name: 'volta_gemm_nn', short: 'gemm', calls: [] });
    const { eligible, eligibleUsed } = kernelsOf(overviewOf([HEADER, nameless])).matrixUnit;
    expect({ eligible, eligibleUsed }).to.deep.equal({ eligible: null, eligibleUsed: null });
  });

  it('weights shares of the peaks with time', () => {
    const { computeShare } = kernelsOf(overviewOf(rows.slice(0, 3))).work;
    // 312 TFLOP/s of the matrix unit in FP16, 19.5 of the vector units in FP32
    const [half, single] = [(2 * 64 ** 3) / 100e-9 / 312e12, (2 * 64 ** 3) / 50e-9 / 19.5e12];
    expect(computeShare).to.be.closeTo((100 * half + 50 * single) / 150, 1e-9);
  });

  it('give the utilisation of the span, and the time for which FLOPs are known', () => {
    const { mfu, flopsRated, rated } = kernelsOf(overviewOf(rows)).work;
    // FLOPs over 312 TFLOP/s of the matrix unit in FP16 and 19.5 of the vector units in FP32: 1.68 and 26.89 ns of 505.
    expect(mfu).to.be.closeTo(0.05657, 1e-5);
    expect(mfu).to.be.closeTo(((2 * 64 ** 3) / 312e12 + (2 * 64 ** 3) / 19.5e12) / 505e-9, 1e-12);
    // Kernels of 100 and 50 ns, of 182 in all.
    expect({ flopsRated, rated }).to.deep.equal({ flopsRated: 150, rated: 150 });
    // With a second device, whose peaks are not known, the same in twice the span: half, of half of the time.
    const both = [...rows, ...rows.slice(1).map((row) => ({ ...row, device: 1 }))];
    const { time, work } = kernelsOf(overviewOf(both));
    expect(work.mfu).to.be.closeTo((mfu ?? NaN) / 2, 1e-12);
    expect([time, work.flopsRated]).to.deep.equal([364, 150]);
  });

  it('knows no utilisation where no FLOPs are known', () => {
    expect(kernelsOf(overviewOf([at(0, 10)])).work).to.include({ mfu: null, flopsRated: 0, rated: 0 });
  });

  it('states why an op is not known', () => {
    const { unattributed } = kernelsOf(overviewOf(rows));
    expect(unattributed).to.deep.equal({
      count: 3,
      time: 12,
      reasons: [
        { name: 'its launch is not in the profile', count: 1, time: 7 },
        { name: 'no op call around the launch of its graph', count: 1, time: 5 },
        { name: 'no op call around the launch', count: 1, time: null, untimed: 1 },
      ],
    });
    const backward = at(0, 10, { dir: 'bprop', seq: [7] });
    expect(kernelsOf(overviewOf([HEADER, backward])).unattributed.reasons[0]?.name).to.equal(
      'no earlier forward kernel with the same sequence id',
    );
  });

  it('bounds the names that it keeps', () => {
    const many = Array.from({ length: 50_010 }, (_, i) => at(i * 10, 1, { short: `k${i}` }));
    const { count, time, byTime, names } = kernelsOf(overviewOf(many));
    expect({ count, time, names }).to.deep.equal({ count: 50_010, time: 50_010, names: 50_001 });
    expect(byTime[0]).to.deep.equal({ name: '(others)', count: 10, time: 10 });
    expect(byTime.length).to.equal(50);
  });
});

describe('overview of operations and steps', () => {
  it('states the rate of copies by kind, of those with size and time', () => {
    const { memory } = overviewOf([copy(0, 10), copy(10, 30, { bytes: 3000 }), copy(50, null), copy(60, 5, { bytes: null }), copy(70, 1, { kind: null, bytes: null }), set(80, 2)]); // prettier-ignore
    // 4000 bytes in 40 ns
    expect(memory).to.deep.equal([
      { kind: 'HtoD', count: 4, time: 45, bytes: 5000, unsized: 1, bytesPerS: 100e9 },
      { kind: 'set', count: 1, time: 2, bytes: null, bytesPerS: null },
      { kind: 'copy', count: 1, time: 1, bytes: null, bytesPerS: null },
    ]);
  });

  it('divides by the time in which at least one copy of a kind runs on a device', () => {
    // On device 0 0-40 and 50-60, on device 1 0-10: 4000 bytes in 60 ns, which 85 ns of copies fill; the copy from the device has a rate of its own.
    const copies = [copy(0, 30), copy(5, 35), copy(0, 10, { device: 1 }), copy(20, 20, { kind: 'DtoH' }), copy(50, 10)];
    const { memory } = overviewOf(copies.toSorted((a, b) => a.start - b.start));
    expect(memory.map(({ kind, time, bytesPerS }) => [kind, time, bytesPerS])).to.deep.equal([
      ['HtoD', 85, 4000 / 60e-9],
      ['DtoH', 20, 50e9],
    ]);
  });

  it('rates no copy with an implausible end', () => {
    const { memory } = overviewOf([copy(0, 10), copy(10, 30, { cut: true }), copy(50, 10, { kind: 'DtoH', cut: true })]); // prettier-ignore
    expect(memory).to.deep.equal([
      { kind: 'HtoD', count: 2, time: 40, bytes: 2000, bytesPerS: 100e9 },
      { kind: 'DtoH', count: 1, time: 10, bytes: 1000, bytesPerS: null },
    ]);
  });

  it('recognizes collectives by what the profile says, else by the name', () => {
    const collective = { op: 'allreduce', bytesIn: 400, bytesOut: 400, dtype: 'float32', group: '1', groupSize: 8, ranks: null }; // prettier-ignore
    const { collectives, devices } = overviewOf([
      at(0, 10, { name: 'ncclDevKernel_Generic', collective }),
      nccl(20, 5),
      at(30, 2, { short: 'multimem_all_reduce_kernel' }),
      { ...at(40, 3), type: 'collective', name: 'hcom_allGather_', kind: 'allGather', bytes: 8, dtype: null, group: '2', groupSize: 2, ranks: null, algorithm: null, link: null }, // prettier-ignore
    ]);
    expect(collectives).to.deep.equal([
      { name: 'all-reduce', count: 3, time: 17, bytes: 400, groups: ['1'] },
      { name: 'all-gather', count: 1, time: 3, bytes: 8, groups: ['2'] },
    ]);
    expect(devices[0]).to.include({ communication: 20, compute: 0 });
  });

  it('delimits steps by their first and last work', () => {
    const { steps } = overviewOf([
      ...[at(0, 10, { step: 1 }), at(90, 10, { step: 1 }), at(100, 30, { step: 2 }), at(140, 10, { step: 2 })],
      ...[at(200, 60, { step: 3 }), at(500, 5, { step: null }), copy(600, 5)],
    ]);
    expect(steps?.list).to.deep.equal([
      { step: 1, device: 0, iteration: null, span: 100, busy: 20, kernelTime: 20, ownKernelTime: null },
      { step: 2, device: 0, iteration: null, span: 50, busy: 40, kernelTime: 40, ownKernelTime: null },
      { step: 3, device: 0, iteration: null, span: 60, busy: 60, kernelTime: 60, ownKernelTime: null },
    ]);
    expect(steps).to.include({ count: 3, host: null });
    expect(steps?.device).to.include({ median: 60, min: 50, max: 100 });
    // Mean 70; squares 900 + 400 + 100 over 2
    expect(steps?.device.variation).to.be.closeTo(Math.sqrt(700) / 70, 1e-12);
    expect(overviewOf([at(0, 10)]).steps).to.equal(null);
    expect(overviewOf([at(0, 10, { step: 4 })]).steps?.device).to.include({ median: 10, variation: null });
  });

  it('takes the time of iterations from the host, and what is busy from all work of a step, copies too', () => {
    const step = (number: number, start: number): ProfileLine =>
      ({ type: 'sample', profile: 0, start, dur: 100, device: null, metric: 'step', value: number, unit: null, labels: { pid: 10, tid: 100 } }); // prettier-ignore
    const { steps } = overviewOf([
      ...[step(1, 0), at(50, 20, { step: 1 }), step(2, 120)],
      ...[copy(150, 10, { step: 1 }), at(155, 10, { step: 1, tid: 200 }), at(300, 10, { step: 2 }), copy(320, 5)],
    ]);
    // The first lasts until the second begins; the last until its own end. Another thread launched a kernel of the first.
    expect(steps?.list).to.deep.equal([
      { step: 1, device: 0, iteration: 120, span: 115, busy: 35, kernelTime: 30, ownKernelTime: 20 },
      { step: 2, device: 0, iteration: 100, span: 10, busy: 10, kernelTime: 10, ownKernelTime: 10 },
    ]);
    expect(steps?.host).to.include({ median: 110, min: 100, max: 120 });
    expect(steps?.device).to.include({ median: 62.5, min: 10, max: 115 });
  });
});

describe('overview of odd records', () => {
  it('counts what has no time, ends before it starts, or comes late', () => {
    const { devices, kernels, diagnostics } = overviewOf([
      ...[at(100, 10), at(50, 10), at(200, null), at(300, -5), at(NaN, 7), at(400, 10)],
      end({ 'kernel-without-launch': 3 }),
    ]);
    expect(diagnostics).to.deep.equal({
      ...{ 'kernel-without-launch': 3, 'record-ends-before-start': 1, 'record-out-of-order': 1 },
      'record-without-time': 2,
    });
    // From 200 on until the next work of the stream the device may have worked.
    expect(devices[0]).to.include({ span: 360, busy: 30, idle: 130 });
    expect(devices[0]?.missing).to.include({ launches: 0, untimed: 3, time: 200 });
    const { host, queue, unknown = NaN } = devices[0]?.gaps ?? {};
    expect((host ?? NaN) + (queue ?? NaN) + unknown).to.equal(130);
    expect(kernels).to.include({ count: 6, untimed: 2, time: 37 });
  });

  it('knows no sum of times none of which is known', () => {
    const others: ProfileLine[] = [set(0, null), wait(5, 3), wait(6, null)];
    const { kernels, memory, syncs } = overviewOf([HEADER, at(100, 10, { short: 'k' }), at(50, null, { short: 'lost', launch: null }), ...others]);
    const lost = { count: 1, time: null, untimed: 1 };
    expect(kernels?.byTime).to.deep.equal([{ name: 'k', count: 1, time: 10 }, { name: 'lost', ...lost }]);
    expect(kernels?.unattributed).to.deep.include({ count: 2, time: 10 });
    expect(kernels?.unattributed.reasons[1]).to.include(lost);
    expect(kernels?.work.bounds).to.deep.equal([{ name: 'na', count: 2, time: 10, untimed: 1 }]);
    expect(memory).to.deep.equal([{ kind: 'set', count: 1, time: null, bytes: null, bytesPerS: null }]);
    expect(syncs).to.deep.equal([{ name: 'stream', count: 2, time: 3, untimed: 1 }]);
    expect(overviewOf([at(50, null), set(0, 5)]).kernels).to.include({ count: 1, untimed: 1, time: null });
  }); // prettier-ignore

  it('stands a clock that jumps there and back', () => {
    const { devices, diagnostics } = overviewOf([at(0, 10), at(1e15, 10), at(20, 10), at(40, 10)]);
    expect(diagnostics).to.include({ 'record-out-of-order': 2 });
    const { span = NaN, busy = null, idle = null } = devices[0] ?? {};
    expect(span).to.equal(1e15 + 10);
    expect((busy ?? NaN) + (idle ?? NaN)).to.equal(span);
  });

  it('has no sums of an empty input', () => {
    expect(overviewsOf([])).to.deep.equal([]);
    const { devices, kernels, memory, steps } = overviewOf([HEADER, end({})]);
    expect({ devices, kernels, memory, steps }).to.deep.equal({ devices: [], kernels: null, memory: [], steps: null });
  });

  it('knows durations without starts, as a net.dict has them', () => {
    const { devices, kernels } = overviewOf([at(NaN, 7, { device: NaN })]);
    expect(devices).to.deep.equal([]);
    expect(kernels).to.include({ count: 1, untimed: 0, time: 7 });
  });
});
