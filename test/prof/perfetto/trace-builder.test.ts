import { expect } from 'chai';
import type { CopyRecord, ProfileLine, RangeRecord, SampleRecord, SyncRecord } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';
import type { Shown } from '../../support/perfetto-trace.js';
import { chrome, expectedOf, foundIn, profile, traced } from '../../support/trace-events.js';

const H100 = {
  id: 0,
  vendor: 'nvidia',
  name: 'NVIDIA H100',
  arch: 'sm90',
  units: 132,
  clockHz: null,
  memBytesPerS: null,
  memBytes: null,
};
const range = (text: string, start: number, dur: number, tid = 100): RangeRecord => ({
  ...{ type: 'range', profile: 0, start, dur, pid: 10, tid, domain: null, text },
});
const sample = (fields: Partial<SampleRecord>): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start: 0, device: 0, metric: 'power', value: 1, unit: 'W' },
  ...fields,
});
const noLaunch = { launch: null, pid: null, tid: null, corr: null };

/** `path: name start–end` without marks of profiles. */
const lines = (events: readonly Shown[]): string[] =>
  events
    .filter(({ category }) => category !== 'profile')
    .map(({ track, name, start, end, isMark }) => `${track.path}: ${name} ${start}${isMark ? '' : `–${end}`}`);

describe('a trace', () => {
  it('shows a kernel with the values of its columns, its launch and the range around that', () => {
    const gemm = kernel({
      ...{ name: 'ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_nn', short: 'gemm' },
      ...{ start: 1000, dur: 10, calls: [mm(128, 64, 256)], mod: ['torch'], op: ['mm'] },
      ...{ layer: ['encoder', 'query'], step: 3, trace: ['train.py:7', 'net.py:9'], grid: [4, 1, 1] },
    });
    const { shown } = traced([profile({ devices: [H100] }), range('forward', 800, 300), gemm]);
    expect(lines(shown.events)).to.deep.equal([
      'host 10/thread 100: forward 800–1100',
      'host 10/thread 100: cudaLaunchKernel 900–950',
      'device 0: NVIDIA H100/stream 7: gemm 1000–1010',
    ]);
    expect(shown.events.map(({ depth }) => depth)).to.deep.equal([0, 0, 1, 0]);
    // [128,64] × [64,256]: 2·128·64·256 FLOPs; two operands and the result of 2 bytes an element.
    const flops = 2 * 128 * 64 * 256;
    const bytes = 2 * (128 * 64 + 64 * 256 + 128 * 256);
    expect(shown.events.at(-1)?.args).to.include({ op: 'mm', mod: 'torch', layer: 'encoder:query', dir: 'fprop' });
    expect(shown.events.at(-1)?.args).to.include({ flops, bytes, tc: 1, dtype: 'fp16', step: 3, corr: 5, queue: 50 });
    expect(shown.events.at(-1)?.args).to.include({ grid: '4,1,1', block: '128,1,1', trace: 'train.py:7,net.py:9' });
    // FLOPs over ns, as TFLOP/s; unknown things are not there.
    expect(shown.events.at(-1)?.args['tflops']).to.be.closeTo(flops / 10 / 1000, 1e-9);
    expect(shown.events.at(-1)?.args).to.not.have.any.keys('fwd', 'ranks', 'engine', 'graph.id');
    expect(shown.arrows.map(([from, to]) => [from.name, to.name])).to.deep.equal([['cudaLaunchKernel', 'gemm']]);
  });

  it('shows the ranges of a kernel, and those of the launching thread where another one called', () => {
    const { shown } = traced([
      profile({ devices: [H100] }),
      kernel({ ranges: ['step', 'forward'] }),
      kernel({ id: 2, start: 2000, ranges: ['node'], callerRanges: ['step', 'backward'] }),
    ]);
    const args = shown.events.filter(({ category }) => category === 'kernel').map((event) => event.args);
    expect(args.map(({ ranges, ownranges }) => [ranges, ownranges])).to.deep.equal([
      ['step>forward', undefined],
      ['step>backward>node', 'node'],
    ]);
  });

  it('puts overlapping slices on several lanes, and cuts nothing', () => {
    const times = [
      ...[[0, 100], [50, 100], [60, 10], [100, 5], [150, 0], [150, 20]],
      ...[[150, 20], [171, 1]],
    ] as const; // prettier-ignore
    const records = [profile(), ...times.map(([start = 0, dur = 0], id) => kernel({ start, dur, id, ...noLaunch }))];
    const { shown } = traced(records);
    expect(foundIn(shown, 0n)).to.deep.equal(expectedOf(records));
    // No kernel is within another: device work does not call device work.
    expect(shown.events.map(({ depth }) => depth)).to.deep.equal(shown.events.map(() => 0));
    expect(new Set(lines(shown.events).map((line) => line.split(':')[0]))).to.deep.equal(
      new Set(['device 0/stream 7']),
    );
  });

  it('nests the ranges of a thread, and moves aside those that overlap', () => {
    const records = [
      ...[profile(), range('a', 0, 100), range('b', 0, 100), range('c', 20, 30), range('d', 40, 100)],
      ...[range('e', 50, 10), range('other', 45, 10, 7)],
    ];
    const { shown } = traced(records);
    expect(foundIn(shown, 0n)).to.deep.equal(expectedOf(records));
    expect(lines(shown.events)).to.include('host 10/thread 100/thread 100: d 40–140');
    expect(
      shown.events
        .map(({ name, depth }) => `${name}${depth}`)
        .sort()
        .join(' '),
    ).to.equal('a0 b1 c2 d0 e2 net.json0 other0');
  });

  it('puts ranges and marks that viewers would drop as too deep on a further lane', () => {
    const deep = Array.from({ length: 1000 }, (_, i) => range(`r${i}`, i, 5000 - 2 * i));
    const marks = Array.from({ length: 600 }, (_, i) => kernel({ start: 7, dur: null, id: i, ...noLaunch }));
    const records = [profile(), ...deep, ...marks];
    const { shown, events } = traced(records);
    expect(foundIn(shown, 0n)).to.deep.equal(expectedOf(records));
    expect(events.counts).to.include({ slices: 1000, unended: 600, crowded: 0 });
    expect(Math.max(...shown.events.map(({ depth }) => depth))).to.equal(199);
  });

  it('draws no arrow from a launch that is left out, and counts it', () => {
    const early = kernel({ start: 100, launch: { api: 'cudaLaunchKernel', start: -50, dur: 10 } });
    const { shown, events } = traced([profile(), early, { ...early, id: 2, start: 200 }]);
    expect([shown.arrows.length, shown.events.filter(({ category }) => category === 'kernel').length]).to.deep.equal([
      0, 2,
    ]);
    expect(events.counts).to.include({ arrows: 0, early: 1, untimed: 0 });
    expect([events.launches.late, events.launches.backwards]).to.deep.equal([0, 0]);
  });

  it('keeps timestamps beyond 2^53 exact, and puts ranks at their Unix times', () => {
    const at = (rank: number, startUnixNs: string): ProfileLine[] => [
      profile({ profile: rank, rank, startUnixNs }),
      kernel({ profile: rank, start: 1, dur: 2 ** 40 + 1 }),
    ];
    const records = [...at(0, '1700000000123456789'), ...at(1, '1700000000123456785')];
    const { shown, events } = traced(records);
    expect(lines(shown.events).filter((line) => line.includes('device'))).to.deep.equal([
      'rank 1, device 0/stream 7: k 1700000000123456786–1700001099635084563',
      'rank 0, device 0/stream 7: k 1700000000123456790–1700001099635084567',
    ]);
    expect(shown.clocks).to.deep.equal([
      [6, '1700000000123456789'],
      [1, '1700000000123456789'],
    ]);
    expect(events.clock.assumedStarts).to.equal(0);
    // Midnight of the day before 2023-11-14 22:13:20 UTC; the second rank began 4 ns before the first.
    const { traceEvents, otherData } = chrome(records);
    expect(otherData['timeZeroUnixNs']).to.equal('1699833600000000000');
    expect(traceEvents.filter(({ cat }) => cat === 'kernel').map(({ ts }) => ts)).to.deep.equal([
      166400123456.79, 166400123456.786,
    ]);
    // The same pid on two machines: two processes.
    const pids = shown.events.filter(({ category }) => category === 'launch').map(({ track }) => track.pid);
    expect(new Set(pids).size).to.equal(2);
    expect(lines(traced(records, 'start').shown.events)).to.include('rank 1, device 0/stream 7: k 1–1099511627778');
  });

  it('puts a profile without Unix time at the start of the first, and counts it', () => {
    const second = [profile({ profile: 1 }), kernel({ profile: 1, start: 5, dur: 1, ...noLaunch })];
    const { shown, events } = traced([profile({ startUnixNs: '1700000000000000000' }), ...second]);
    expect(lines(shown.events)).to.deep.equal([
      'profile 1, device 0/stream 7: k 1700000000000000005–1700000000000000006',
    ]);
    expect(events.clock.assumedStarts).to.equal(1);
    for (const startUnixNs of ['', '-5', '99999999999999999999', '1e18']) {
      expect(lines(traced([profile({ startUnixNs }), kernel({ ...noLaunch })]).shown.events)).to.deep.equal([
        'device 0/stream 7: k 1000–1010',
      ]);
    }
  });

  it('draws one launch with an arrow to each activity, also when they come late', () => {
    const launch = { api: 'cudaGraphLaunch', start: 100, dur: 50 };
    const of = (id: number, start: number, stream: number): ProfileLine =>
      kernel({ id, start, stream, dur: 10, launch });
    const copy: CopyRecord = {
      ...{ type: 'copy', kind: 'HtoD', bytes: 4096, profile: 0, start: 500, dur: 5, device: 0, stream: 9 },
      ...{ pid: 10, tid: 100, corr: 5, launch },
    };
    const { shown } = traced([profile(), of(1, 200, 7), of(2, 205, 8), copy, of(3, 600, 7)]);
    expect(shown.events.filter(({ category }) => category === 'launch')).to.have.length(1);
    expect(shown.arrows.map(([from, to]) => `${from.name} ${to.start}`)).to.deep.equal(
      [200, 205, 500, 600].map((start) => `cudaGraphLaunch ${start}`),
    );
    expect(shown.events.find(({ category }) => category === 'copy')).to.deep.include({ name: 'copy HtoD' });
    expect(shown.events.find(({ category }) => category === 'copy')?.args).to.deep.equal({
      kind: 'HtoD',
      bytes: 4096,
      stream: 9,
      corr: 5,
    });
  });

  it('handles a clock that jumps: marks for slices without an end, no arrow back in time', () => {
    const records = [
      profile(),
      kernel({ id: 1, start: 1000, dur: null }),
      kernel({ id: 2, start: 2000, dur: -5, corr: 6 }),
      kernel({ id: 3, start: 100, dur: 7, corr: 7 }),
      kernel({ id: 4, start: NaN, dur: 7, ...noLaunch }),
      kernel({ id: 5, start: -50, dur: 7, ...noLaunch }),
    ];
    const { shown, events } = traced(records);
    expect(lines(shown.events).filter((line) => line.startsWith('device'))).to.deep.equal([
      'device 0/stream 7: k 100–107',
      'device 0/stream 7: k 1000',
      'device 0/stream 7: k 2000',
    ]);
    expect(shown.arrows.map(([, { start }]) => start)).to.deep.equal([1000n, 2000n]);
    expect(events.counts).to.include({ untimed: 1, early: 1, unended: 2 });
    expect(events.launches.backwards).to.equal(1);
  });

  it('shows samples over time as counters, others at the start', () => {
    const labels = { report: 3, core: 1 };
    const { shown, events } = traced([
      profile(),
      sample({ start: null, metric: 'total', value: 7, unit: 'ns' }),
      sample({ start: 5, value: 250 }),
      sample({ start: 9, value: 0.5, metric: 'memory', unit: 'bytes', labels }),
      sample({ start: 12, value: 2 ** 60, metric: 'memory', unit: 'bytes', labels: { ...labels, report: 4 } }),
      sample({ start: 14, value: 512, metric: 'op_memory', unit: 'bytes', labels: { op: 'aten::mm' } }),
      sample({ start: 15, value: null }),
      sample({ start: 16, value: null, text: 'throttled', device: null }),
      kernel({ ...noLaunch }),
    ]);
    expect(shown.counters.map(({ track, at, value }) => [track.path, track.unit, at, value])).to.deep.equal([
      ['device 0/power', 'W', 5n, 250],
      ['device 0/memory core=1', 3, 9n, 0.5],
      ['device 0/memory core=1', 3, 12n, 2 ** 60],
    ]);
    expect(lines(shown.events)).to.include.members([
      'profile/whole profile: whole profile 0',
      'profile/texts: power: throttled 16',
    ]);
    expect(shown.events.find(({ name }) => name === 'whole profile')?.args).to.deep.equal({ 'device 0 total (ns)': 7 });
    expect(events.samples).to.include({ unknown: 1, timeless: 1, beyond: 0, allocations: 1 });
  });

  it('keeps names as they are, and replaces lone surrogates', () => {
    const names = ['</script>', 'say "hi"\\', 'tab\tline\nnul\u0000', 'half \ud800', '=1+1', '', 'Größe 漢字 🙂'];
    const records = [
      profile(),
      ...names.map((short, id) => kernel({ id, start: 100 * id, dur: 1, short, layer: [short], ...noLaunch })),
    ];
    const shownNames = names.map((name) => name.replace('\ud800', '\ufffd'));
    const { shown } = traced(records);
    expect(shown.events.slice(1).map(({ name }) => name)).to.deep.equal(shownNames);
    expect(shown.events.slice(1).map(({ args }) => args['layer'] ?? '')).to.deep.equal(shownNames);
    const { traceEvents } = chrome(records);
    expect(traceEvents.filter(({ ph }) => ph === 'X').map(({ name }) => name)).to.deep.equal(shownNames);
  });

  it('reads edited records', () => {
    const odd = [
      { ...kernel({ ...noLaunch }), launch: { start: 'x' }, counters: { a: null, b: 1 } },
      { type: 'copy', profile: 0, start: 5, dur: 'long', device: 0, stream: null, kind: 7, bytes: {}, launch: 3 },
      { type: 'range', profile: 0, start: 7, dur: 1, pid: 2 ** 40, tid: 3_940_300_608, text: 5 },
      { type: 'sample', profile: 0, start: 1, device: 0, metric: 9, value: 'x' },
      { type: 'collective', profile: 0, start: 3, dur: 2, device: 0, stream: 1, name: null },
      { type: 'copy' },
    ] as unknown as ProfileLine[];
    const { shown } = traced([profile(), ...odd]);
    expect(lines(shown.events)).to.deep.equal([
      'device 0/stream 1 collectives: na 3–5',
      'device 0/no stream: copy 5',
      `host ${2 ** 40}/thread 3940300608: na 7–8`,
      'device 0/stream 7: k 1000–1010',
    ]);
    // Viewers keep 32 bits: names have the real numbers.
    const { pid = 0, tid } = shown.events.find(({ category }) => category === 'range')?.track ?? {};
    expect([pid, tid].every((id) => typeof id === 'number' && id > 0 && id < 2 ** 31)).to.equal(true);
  });

  it('has tracks of their own for activities that overlap with the work of a stream', () => {
    const sync: SyncRecord = {
      type: 'sync',
      kind: 'stream',
      profile: 0,
      start: 1000,
      dur: 20,
      device: 0,
      stream: 7,
      ...noLaunch,
    };
    expect(lines(traced([sync, kernel({ ...noLaunch })]).shown.events)).to.deep.equal([
      'device 0/stream 7: k 1000–1010',
      'device 0/stream 7 syncs: sync stream 1000–1020',
    ]);
  });

  it('shows every slice of records in no order, however many come late', () => {
    // A fixed shuffle: 7919 is prime to 3000.
    const records = Array.from({ length: 3000 }, (_, i) =>
      kernel({ id: i, start: ((i * 7919) % 3000) * 10, dur: 8, ...noLaunch }),
    );
    const { shown, events } = traced(records);
    expect(foundIn(shown, 0n).slices).to.deep.equal(expectedOf(records).slices);
    expect(events.counts.crowded).to.equal(0);
  });
});
