import { expect } from 'chai';
import fc from 'fast-check';
import type { KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { AnnotationTotals, ThinnedSample } from '../../../src/prof/html/annotations/annotation-times.js';
import { RegionTotals } from '../../../src/prof/html/annotations/page-regions.js';
import { pageKernelOf, type PageKernel } from '../../../src/prof/html/page-kernel.js';
import { CategoryTotals, KernelTotals, RooflineGroups } from '../../../src/prof/html/kernels/kernel-totals.js';
import { LayerTotals } from '../../../src/prof/html/layers/layer-totals.js';
import { kernel, mm } from '../../support/kernels.js';
import { pageOf } from '../../support/pages.js';
import { annotate } from '../../support/rows.js';

const HALF_GEMM = { name: 'ampere_fp16_s16816gemm_fp16_128x64_ldg8_stages_64x3_tn', short: 'gemm16' };
const FLOAT_GEMM = { name: 'ampere_sgemm_128x64_tn', short: 'sgemm' };

/** The sums of kernels in their order, each of which adds its duration. */
function summed<T extends { add: (kernel: PageKernel, time: number) => void }>(
  sums: T,
  kernels: readonly Partial<KernelRecord>[],
  before: readonly ProfileLine[] = [],
): T {
  for (const row of annotate([...before, ...kernels.map((fields) => kernel(fields))]))
    sums.add(pageKernelOf(row), row.record.dur ?? 0);
  return sums;
}

const A100: ProfileLine = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'nsight', tool: null, file: 'n.sqlite', rank: null },
  ...{ startUnixNs: null, dur: null },
  devices: [
    {
      ...{ id: 0, vendor: 'nvidia', name: 'NVIDIA A100-SXM4-40GB', arch: 'sm80', units: 108, clockHz: 1.41e9 },
      ...{ memBytesPerS: 1.555e12, memBytes: 42e9 },
    },
  ],
};

describe('totals of regions', () => {
  const range = (start: number, text = 'forward'): ProfileLine => ({
    ...{ type: 'range', profile: 0, kind: 'annotation', domain: null, text, pid: 10, tid: 100 },
    ...{ start, dur: 100, self: 100 },
  });

  it('have the figures of their passes, most busy time first, and are the same when read twice', () => {
    const totals = new RegionTotals();
    const launched = (at: number, start: number, dur: number): ProfileLine =>
      kernel({ start, dur, launch: { api: 'cudaLaunchKernel', start: at, dur: 10 } });
    const missing: ProfileLine = {
      ...{ type: 'sample', profile: 0, start: 3000, dur: 50, device: 0, metric: 'missing_work', value: 1 },
      ...{ unit: null, labels: {} },
    };
    const records = [range(0), range(1000), range(2000, 'backward'), range(2950, 'lost')];
    const work = [launched(50, 60, 100), launched(80, 200, 40), launched(1050, 1100, 20), launched(2010, 2020, 300)];
    for (const record of [...records, ...work, launched(2960, 3060, 10), missing]) totals.take(record);
    const shown = totals.totals(3)?.shown ?? [];
    // Passes of forward run from 60 to 240 ns, with 40 ns of idle time, and from 1100 to 1120 ns.
    expect(shown.map(({ region, passes, span, busy, idle }) => [region, passes, span, busy, idle])).to.deep.equal([
      ['backward', 1, 300, 300, 0],
      ['forward', 2, 200, 160, 40],
      ['lost', 1, 10, 10, null],
    ]);
    // Half-way between 20 and 180 ns, and between the 1000 ns from pass to pass and the 100 ns of the last range.
    expect(shown[1]).to.include({ spanP50: 100, iterationP50: 550, kernels: 3, collectives: 0, exposed: 0 });
    expect(totals.totals(2)).to.deep.include({ shown: shown.slice(0, 2), count: 3 });
  });

  it('are left out beyond a number of annotations, also of those without work', () => {
    // The kernel is launched at 900, in the first of the annotations.
    const passesOf = (ranges: number): number | null => {
      const totals = new RegionTotals(2);
      for (let i = 0; i < ranges; i++) totals.take(range(850 + 200 * i));
      totals.take(kernel());
      return totals.totals(10)?.shown.map(({ passes }) => passes)[0] ?? null;
    };
    expect([passesOf(2), passesOf(3)]).to.deep.equal([1, null]);
  });
});

describe('totals of categories', () => {
  it('have the number, time and known work of their kernels, most time first', () => {
    const product = { ...HALF_GEMM, dur: 30, calls: [mm(64, 32, 16)] };
    // Of the second product, no shapes are known.
    const kernels = [
      product,
      { ...FLOAT_GEMM, dur: 10, calls: [] },
      { name: 'unknown', short: 'unknown', dur: 50, calls: [] },
    ];
    const totals = summed(new CategoryTotals(), kernels);
    // 2 · 64 · 32 · 16 FLOP; (64 · 32 + 32 · 16 + 64 · 16) halves of two bytes; 30 ns of 40 on tensor cores.
    expect(totals.totals).to.deep.equal([
      { category: null, count: 1, time: 50, flops: null, bytes: null, tc: null },
      { category: 'gemm', count: 2, time: 40, flops: 65_536, bytes: 7168, tc: 0.75 },
    ]);
  });
});

describe('totals of kernels', () => {
  it('are by short name, most time first, with longest and shortest', () => {
    const { shown, count, restTime } = summed(new KernelTotals(), [
      { short: 'a', dur: 5 },
      { short: 'b', dur: 30 },
      { short: 'a', dur: 7 },
      { short: 'c', dur: 2 },
    ]).totals(2);
    expect(shown.map(({ name, count, time, max, min, tc }) => ({ name, count, time, max, min, tc }))).to.deep.equal([
      { name: 'b', count: 1, time: 30, max: 30, min: 30, tc: null },
      { name: 'a', count: 2, time: 12, max: 7, min: 5, tc: null },
    ]);
    expect({ count, restTime }).to.deep.equal({ count: 3, restTime: 2 });
  });

  it('have the share of time on the matrix unit', () => {
    const { shown } = summed(new KernelTotals(), [
      { ...HALF_GEMM, short: 'gemm', dur: 30, calls: [mm(64, 64, 64)] },
      { ...FLOAT_GEMM, short: 'gemm', dur: 10, calls: [mm(64, 64, 64, 'float32')] },
    ]).totals(10);
    expect(shown[0]).to.include({ count: 2, time: 40, tc: 0.75 });
  });

  it('have what their launches ask of a device: the commonest extents, the least and the most', () => {
    const launch = { block: [256, 1, 1], registers: 64, sharedBytes: 0 } as const;
    const { shown } = summed(
      new KernelTotals(),
      [
        { ...launch, short: 'a', dur: 1, grid: [4, 1, 1] },
        { ...launch, short: 'a', dur: 1, grid: [8, 2, 1], registers: 128 },
        { ...launch, short: 'a', dur: 1, grid: [8, 2, 1] },
        { short: 'b', dur: 1, grid: null, block: null },
      ],
      [A100],
    ).totals(10);
    // 65,536 registers: 1024 threads of 64 each, 512 of 128; a multiprocessor of sm80 can hold 2048.
    expect(shown.map((one) => one.launch)).to.deep.equal([
      {
        ...{ grid: { extent: [8, 2, 1], different: 2 }, block: { extent: [256, 1, 1], different: 1 } },
        ...{ registers: [64, 128], sharedBytes: [0, 0], occupancy: [0.25, 0.5], limit: 'registers' },
      },
      null,
    ]);
  });

  it('are bounded: any further names are in the rest', () => {
    const { shown, count, restTime } = summed(new KernelTotals(2), [
      { short: 'a', dur: 1 },
      { short: 'b', dur: 2 },
      { short: 'c', dur: 4 },
      { short: 'a', dur: 8 },
    ]).totals(10);
    expect(shown.map(({ name, time }) => [name, time])).to.deep.equal([
      ['a', 9],
      ['b', 2],
    ]);
    expect({ count, restTime }).to.deep.equal({ count: 2, restTime: 4 });
  });
});

describe('annotations', () => {
  const times = (annotations: AnnotationTotals): Record<string, readonly number[]> =>
    Object.fromEntries(annotations.annotations(10, 2000).shown.map(({ text, samples }) => [text, samples]));

  it('have the device time of each occurrence: kernels that follow each other under the text', () => {
    const annotations = summed(new AnnotationTotals(), [
      { layer: ['net', 'a'], dur: 1 },
      { layer: ['net', 'a'], dur: 2 },
      { layer: ['net', 'b'], dur: 4 },
      { layer: ['net', 'a'], dur: 8 },
      { layer: [], dur: 16 },
      { layer: ['net'], dur: 32 },
    ]);
    expect(times(annotations)).to.deep.equal({ net: [15, 32], a: [3, 8], b: [4] });
  });

  it('are kept apart by stream, and a text twice around a kernel counts once', () => {
    const annotations = summed(new AnnotationTotals(), [
      { ranges: ['x'], layer: ['x'], stream: 1, dur: 1 },
      { ranges: [], stream: 2, dur: 2 },
      { ranges: ['x'], stream: 1, dur: 4 },
      { ranges: ['x'], stream: 2, dur: 8 },
    ]);
    expect(times(annotations)).to.deep.equal({ x: [5, 8] });
  });

  it('are one whatever number PyTorch gives them', () => {
    const annotations = summed(new AnnotationTotals(), [
      { ranges: ['ProfilerStep#3', 'aten::mm, seq = 4, op_id = 9'], dur: 1 },
      { ranges: [], dur: 2 },
      { ranges: ['ProfilerStep#4', 'aten::mm, op_id = 12', 'item#4'], dur: 4 },
    ]);
    expect(times(annotations)).to.deep.equal({ 'ProfilerStep#': [1, 4], 'aten::mm': [1, 4], 'item#4': [4] });
  });

  it('are kept apart by step, direction and number where nothing is between them', () => {
    const annotations = summed(new AnnotationTotals(), [
      { layer: ['net'], dir: 'fprop', step: 1, ranges: ['ProfilerStep#1', 'loss'], dur: 1 },
      { layer: ['net'], dir: 'bprop', step: 1, ranges: ['ProfilerStep#1', 'loss'], dur: 2 },
      { layer: ['net'], dir: 'fprop', step: 2, ranges: ['ProfilerStep#2', 'loss'], dur: 4 },
      { ranges: ['ProfilerStep#3'], dur: 8 },
    ]);
    expect(times(annotations)).to.deep.equal({ 'ProfilerStep#': [3, 4, 8], net: [1, 2, 4], loss: [3, 4] });
  });

  it('have the time of the host, also where nothing was launched', () => {
    const range = (text: string, start: number, dur: number, self: number) =>
      ({
        type: 'range',
        kind: 'annotation',
        profile: 0,
        start,
        dur,
        self,
        pid: 1,
        tid: 2,
        domain: null,
        text,
      }) as const;
    const annotations = new AnnotationTotals();
    // Two passes of load, the second with one of its own text and an op in it; pass lasts 100 with load 1 in it.
    annotations.range(range('pass', 0, 100, 80));
    annotations.range(range('load#1', 10, 20, 20));
    annotations.range(range('load#2', 200, 50, 30));
    annotations.range(range('load#2', 210, 10, 10));
    annotations.range({ ...range('aten::mm', 240, 10, 10), kind: 'op' });
    const { shown } = summed(annotations, [{ ranges: ['pass'], dur: 7 }]).annotations(10, 10);
    expect(shown.map(({ hostSamples }) => hostSamples)).to.deep.equal([[100], [50], [20]]);
    const figures = shown.map(({ text, count, time, passes, host, hostSelf }) => [
      text,
      count,
      time,
      passes,
      host,
      hostSelf,
    ]);
    expect(figures).to.deep.equal([
      ['pass', 1, 7, 1, 100, 80],
      ['load#2', 0, 0, 2, 50, 40],
      ['load#1', 0, 0, 1, 20, 20],
    ]);
  });

  it('are kept apart by the range of the launch, whatever runs between', () => {
    const range = (text: string, start: number, dur: number) =>
      ({ type: 'range', profile: 0, start, dur, pid: 1, tid: 2, domain: null, text }) as const;
    const launched = (start: number, dur: number, fields: Partial<KernelRecord> = {}): Partial<KernelRecord> => ({
      ...{ pid: 1, tid: 2, ranges: ['pass'], layer: ['fc'], dur, launch: { api: null, start, dur: 1 }, ...fields },
    });
    const annotations = new AnnotationTotals();
    // Two passes, the first with one of the same text in it, and the module of the second.
    for (const one of [range('pass', 0, 10), range('pass', 2, 3), range('pass', 10, 10), range('nn.Module: fc', 11, 5)])
      annotations.range(one);
    const kernels = [
      launched(3, 1),
      launched(12, 2, { stream: 1 }),
      launched(7, 4, { layer: [] }),
      launched(13, 8, { stream: 2 }),
      // Launched by another thread; its layer is that of the op at 14.
      launched(30, 16, { tid: 3, ranges: [], dir: 'bprop', forward: { mod: 'aten', op: 'mm', tid: 2, start: 14 } }),
      // Of no range, as a queue launches; of a layer, whose latest pass is its own.
      launched(40, 32),
    ];
    const { shown } = summed(annotations, kernels).annotations(10, 10);
    expect(shown.map(({ text, samples, count, guessed }) => [text, samples.toSorted((a, b) => a - b), count, guessed])).to.deep.equal([
      // The kernel at 3 is under a layer that begins later.
      ['fc', [1, 58], 2, 1],
      ['pass', [5, 10, 32], 3, 1],
    ]); // prettier-ignore
  });

  it('count each range once, whatever threads, streams and directions launched its kernels', () => {
    const launch = fc.record({
      pass: fc.nat({ max: 4 }),
      thread: fc.constantFrom(2, 3, 4),
      stream: fc.nat({ max: 2 }),
      dur: fc.integer({ min: 1, max: 50 }),
      dir: fc.constantFrom('fprop' as const, 'bprop' as const),
    });
    fc.assert(
      fc.property(fc.array(launch, { minLength: 1 }), (launches) => {
        const annotations = new AnnotationTotals();
        for (let pass = 0; pass < 5; pass++) {
          const about = { type: 'range', profile: 0, dur: 90, self: 90, pid: 1, tid: 2, domain: null } as const;
          annotations.range({ ...about, kind: 'annotation', start: 100 * pass, text: 'step' });
          annotations.range({ ...about, kind: 'layer', start: 100 * pass, text: 'nn.Module: net' });
        }
        const kernels = launches
          .toSorted((a, b) => a.pass - b.pass)
          .map(({ pass, thread, stream, dur, dir }, i) => ({
            ...{ pid: 1, tid: thread, stream, dur, dir, layer: ['net'], start: i },
            ...(thread === 2 ? { ranges: ['step'] } : { ranges: [], callerRanges: ['step'] }),
            launch: { api: null, start: 100 * pass + 50, dur: 1 },
          }));
        const passes = new Set(launches.map(({ pass }) => pass)).size;
        const time = launches.reduce((sum, { dur }) => sum + dur, 0);
        const { shown } = summed(annotations, kernels).annotations(10, 10);
        expect(shown.map(({ text, count, guessed, time: own, passes: hosts }) => ({ text, count, guessed, time: own, passes: hosts }))).to.have.deep.members([
          { text: 'step', count: passes, guessed: 0, time, passes: 5 },
          { text: 'net', count: passes, guessed: 0, time, passes: 5 },
        ]); // prettier-ignore
      }),
    );
  });

  it('are bounded in texts and in samples', () => {
    const kernels = Array.from({ length: 10 }, (_, i) => ({ ranges: [`t${i % 4}`], dur: 1 }));
    const { shown, count, restTime } = summed(new AnnotationTotals(3), kernels).annotations(2, 2);
    // t0 and t1 three times, t2 and t3 twice: t3 finds no place, t2 is not shown.
    expect({ count, restTime }).to.deep.equal({ count: 3, restTime: 4 });
    const host = { passes: null, host: null, hostSelf: null, hostSamples: [] };
    const thrice = { count: 3, guessed: 3, time: 3, own: 3, samples: [1, 1], ...host };
    expect(shown).to.deep.equal([
      { text: 't0', ...thrice },
      { text: 't1', ...thrice },
    ]);
  });
});

describe('thinned samples', () => {
  it('are all numbers while these are few, then every second, every fourth', () => {
    const samples = new ThinnedSample(4);
    for (let i = 0; i < 4; i++) samples.add(i);
    expect(samples.upTo(10)).to.deep.equal([0, 1, 2, 3]);
    for (let i = 4; i < 16; i++) samples.add(i);
    expect(samples.upTo(10)).to.deep.equal([0, 4, 8, 12]);
    expect(samples.upTo(2)).to.deep.equal([0, 8]);
    expect(samples.count).to.equal(16);
  });
});

describe('points under the roofline', () => {
  it('add up kernels of one op, name, type and unit; without arithmetic there is no point', () => {
    const { points, pointCount } = summed(
      new RooflineGroups(),
      [
        { ...HALF_GEMM, dur: 30, calls: [mm(64, 32, 16)], op: ['mm'] },
        { ...HALF_GEMM, dur: 10, calls: [mm(64, 32, 16)], op: ['mm'] },
        { short: 'copy', dur: 50, calls: [] },
      ],
      [A100],
    ).roofline(10);
    // 2 * 64 * 32 * 16 FLOP; (64 * 32 + 32 * 16 + 64 * 16) halves
    expect(points).to.deep.equal([
      {
        ...{ device: 0, op: 'mm', kernel: 'gemm16', dtype: 'fp16', tc: '1' },
        ...{ count: 2, time: 40, flops: 2 * 65_536, bytes: 2 * 2 * (2048 + 512 + 1024) },
      },
    ]);
    expect(pointCount).to.equal(1);
  });

  it('have the roofs of their device', () => {
    const { roofs } = summed(new RooflineGroups(), [{ dur: 1 }], [A100]).roofline(10);
    // NVIDIA A100 data sheet: 312 TFLOP/s FP16, 19.5 TFLOP/s FP32; 1555 GB/s
    expect(roofs).to.have.length(1);
    expect(roofs[0]?.bytesPerS).to.equal(1.555e12);
    expect(roofs[0]?.units).to.deep.include({ name: 'fp16 matrix unit', flopsPerS: 312e12 });
    expect(roofs[0]?.units).to.deep.include({ name: 'fp32 vector units', flopsPerS: 19.5e12 });
  });
});

describe('layers', () => {
  it('have the FLOPs and bytes of all kernels in them', () => {
    const product = { ...HALF_GEMM, calls: [mm(64, 32, 16)] };
    const { shown } = summed(new LayerTotals(), [
      { layer: ['net', 'a'], ...product },
      { layer: ['net', 'b'], ...product },
    ]).rows(10);
    // 64 x 32 sums of 16 products; (64 x 16 + 16 x 32 + 64 x 32) elements of two bytes.
    expect(shown.map(({ path, flops, bytes }) => [path.join('/'), flops, bytes])).to.deep.equal([
      ['net', 2 * 65_536, 2 * 7168],
      ['net/a', 65_536, 7168],
      ['net/b', 65_536, 7168],
    ]);
  });

  it('add up all layers beneath, and have the time of their own kernels', () => {
    const { shown, count, restTime } = summed(new LayerTotals(), [
      { layer: ['net', 'conv'], dur: 1, dir: 'fprop' },
      { layer: ['net'], dur: 2, dir: 'fprop' },
      { layer: ['net', 'fc', 'mm'], dur: 4, dir: 'bprop', ...HALF_GEMM, calls: [mm(64, 32, 16)] },
      { layer: ['net', 'conv'], dur: 8, dir: null },
      { layer: [], dur: 100 },
    ]).rows(10);
    expect(shown.map(({ path, count: kernels, time, own, forward, backward }) => [path.join('/'), kernels, time, own, forward, backward])).to.deep.equal([
      ['net', 4, 15, 2, 3, 4],
      ['net/conv', 2, 9, 9, 1, 0],
      ['net/fc', 1, 4, 0, 0, 4],
      ['net/fc/mm', 1, 4, 4, 0, 4],
    ]); // prettier-ignore
    expect(shown[1]).to.include({ flops: null, bytes: null });
    expect(shown[1]?.why.all?.tc).to.equal(null);
    expect(shown[3]).to.include({ flops: shown[0]?.flops });
    expect(shown[3]?.why.backward?.tc).to.equal(1);
    expect(shown.map(({ ownBackward }) => ownBackward)).to.deep.equal([0, 0, 0, 4]);
    expect({ count, restTime }).to.deep.equal({ count: 4, restTime: 0 });
  });

  it('say why each part takes its time: most of it is bound by one thing, and one kernel is the slowest', () => {
    // Of these, the FLOPs of the product alone are known: far below either peak.
    const { shown } = summed(
      new LayerTotals(),
      [
        { id: 1, layer: ['net', 'a'], dur: 10, dir: 'fprop', short: 'f' },
        { id: 2, layer: ['net', 'a'], dur: 30, dir: 'bprop', ...HALF_GEMM, calls: [mm(16, 16, 16)] },
        { id: 3, layer: ['net', 'a'], dur: 20, dir: 'bprop', short: 'c' },
        { id: 4, layer: ['net'], dur: 30, dir: 'bprop', short: 'd' },
      ],
      [A100],
    ).rows(10);
    expect(shown[1]?.why).to.deep.equal({
      all: { bound: 'latency', boundShare: 0.5, tc: 0.5, slowest: { id: 2, name: 'gemm16', start: 1000, time: 30 } },
      forward: { bound: null, boundShare: null, tc: null, slowest: { id: 1, name: 'f', start: 1000, time: 10 } },
      backward: {
        bound: 'latency',
        boundShare: 0.6,
        tc: 0.6,
        slowest: { id: 2, name: 'gemm16', start: 1000, time: 30 },
      },
    });
    // The first of equals.
    expect(shown[0]?.why.backward?.slowest.id).to.equal(2);
  });

  it('are shown with all their ancestors', () => {
    const { shown, count, restTime } = summed(new LayerTotals(), [
      { layer: ['small', 'x'], dur: 1 },
      { layer: ['big', 'inner'], dur: 10 },
    ]).rows(2);
    expect(shown.map(({ path }) => path.join('/'))).to.deep.equal(['big', 'big/inner']);
    expect({ count, restTime }).to.deep.equal({ count: 4, restTime: 1 });
  });

  it('are bounded: deeper layers are added to the layer above', () => {
    const { shown } = summed(new LayerTotals(2), [
      { layer: ['a', 'b', 'c'], dur: 1 },
      { layer: ['d'], dur: 2 },
    ]).rows(10);
    expect(shown.map(({ path, time, own }) => [path.join('/'), time, own])).to.deep.equal([
      ['a', 1, 0],
      ['a/b', 1, 1],
    ]);
  });
});

describe('tables of a page', () => {
  it('leave out instructions that only wait, as the key figures do', () => {
    // A TPU computes for 100 ns, waits 300 ns for a copy, and computes for 50 ns.
    const waiting = { name: 'copy-done', short: 'copy-done', op: ['copy-done'], labels: { category: 'copy-done' } };
    const line = { trace: ['train.py:7'] };
    const { ops, lines, stacks, kernels, overview } = pageOf([
      A100,
      kernel({ start: 0, dur: 100, id: 1, op: ['add'], ...line }),
      kernel({ start: 100, dur: 300, id: 2, ...waiting, ...line }),
      kernel({ start: 400, dur: 50, id: 3, op: ['add'], ...line }),
    ]);
    const times = [overview.kernels?.time, ops.time, lines?.time, stacks?.times[0], kernels.shown[0]?.time];
    expect(times).to.deep.equal([150, 150, 150, 150, 150]);
    expect(ops.shown.map(({ op, count }) => [op, count])).to.deep.equal([['add', 2]]);
  });
});
