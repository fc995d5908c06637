import { expect } from 'chai';
import type { EndRecord, ProfileRecord } from '../../../../src/record/record.js';
import { activity, any, frame, kernel, launch, MAIN, onlyKernel, op, read, runtime, diagnostics, type EventText } from '../../../support/kineto-trace.js'; // prettier-ignore

const only = (events: readonly EventText[]): unknown => {
  const [, record, ...rest] = read(events);
  expect(rest).to.have.length(1);
  return record;
};

describe('Kineto: copies, memsets and waits', () => {
  const copies: [name: string, kind: string | null][] = [
    ['Memcpy HtoD (Pageable -> Device)', 'HtoD'],
    ['Memcpy DtoH (Device -> Pinned)', 'DtoH'],
    ['Memcpy DtoD (Device -> Device)', 'DtoD'],
    ['Memcpy PtoP (Device -> Device)', 'PtoP'],
    ['Memcpy HtoH (Host -> Host)', 'HtoH'],
    ['Memcpy Unknown', null],
  ];
  for (const [name, kind] of copies) {
    it(name, () => {
      const events = [runtime('cudaMemcpyAsync', 3, 5, 9), activity('gpu_memcpy', name, 3, 50, { bytes: 64 })];
      expect(only(events)).to.deep.include({
        type: 'copy',
        kind,
        bytes: 64,
        start: 45_000,
        dur: 10_000,
        device: 0,
        stream: 7,
        corr: 3,
        tid: MAIN,
        launch: { api: 'cudaMemcpyAsync', start: 0, dur: 4000 },
      });
    });
  }

  it("state the host's memory", () => {
    const named = (name: string) => only([activity('gpu_memcpy', name, 3, 50, { bytes: 64 })]);
    expect(named('Memcpy HtoD (Pageable -> Device)')).to.have.property('hostMemory', 'pageable');
    expect(named('Memcpy DtoH (Device -> Pinned)')).to.have.property('hostMemory', 'pinned');
    // AMD's traces do not say which.
    for (const name of ['Memcpy DtoH (Device -> Host)', 'Memcpy DtoD (Device -> Device)'])
      expect(named(name)).not.to.have.property('hostMemory');
  });

  it('Memset (Device)', () => {
    const set = activity('gpu_memset', 'Memset (Device)', 3, 50, { bytes: 4096 });
    expect(only([set])).to.deep.include({ type: 'set', bytes: 4096, value: null, launch: null });
  });

  const waits: [name: string, kind: string][] = [
    ['Stream Sync', 'stream'],
    ['Stream Synchronize', 'stream'],
    ['Event Sync', 'event'],
    ['Stream Wait Event', 'stream-wait-event'],
    ['Context Sync', 'context'],
    ['Something New', 'Something New'],
  ];
  for (const [name, kind] of waits) {
    it(`${name} is no work of the device`, () => {
      expect(only([activity('cuda_sync', name, 3, 50)])).to.deep.include({ type: 'sync', kind });
      expect(diagnostics([activity('cuda_sync', name, 3, 50)])).to.deep.equal({});
    });
  }

  it('a wait for an event names the stream and when its call put the event there', () => {
    const waitFor = (event: Readonly<Record<string, unknown>>): unknown =>
      read([
        runtime('cudaEventRecord', 8, 5, 7),
        runtime('cudaStreamWaitEvent', 9, 20, 22),
        activity('cuda_sync', 'Stream Wait Event', 9, 21, event),
      ]).find(({ type }) => type === 'sync');
    const named = (stream: number, call: number) => ({
      wait_on_stream: stream,
      wait_on_cuda_event_record_corr_id: call,
    });
    expect(waitFor(named(20, 8))).to.deep.include({ event: { stream: 20, recorded: 0 } });
    // A call that is not in the trace, an event that was never recorded, and no event at all.
    for (const unknown of [named(20, 7), named(-1, -1), {}]) expect(waitFor(unknown)).not.to.have.property('event');
  });

  it('events of neither the program nor the device are skipped', () => {
    const others = ['gpu_user_annotation', 'Trace', 'cpu_instant_event', 'fwdbwd', 'ac2g'];
    const records = read([kernel('k', 1, 5), ...others.map((cat) => any(cat, 'x', 0, 90, {}, { correlation: 1 }))]);
    expect(records.map(({ type }) => type)).to.deep.equal(['profile', 'kernel', 'end']);
    expect((records.at(-1) as EndRecord).diagnostics).to.deep.equal({ 'kernel-without-launch': 1 });
  });

  it('only complete events are work: marks, arrows, begins and ends are none', () => {
    const instants = ['i', 'B', 'E', 's', 'f', 'M'].map((ph) => kernel('k', 1, 5).replace('"X"', `"${ph}"`));
    expect(read(instants).map(({ type }) => type)).to.deep.equal(['profile', 'end']);
  });

  it('a kernel at the very start that took no time has one all the same', () => {
    const first = kernel('k', 1, 5).replace(/"dur": [\d.]+/, '"dur": 0');
    expect(onlyKernel([first])).to.deep.include({ start: 0, dur: 0 });
    expect(diagnostics([first])).to.deep.equal({ 'kernel-without-launch': 1, 'zero-duration-rounded': 1 });
  });

  it('events of the host without a time, or that end before they start, are counted', () => {
    const events = [
      op('aten::mm', 5, 3),
      op('aten::mm', 5, 9).replace('"dur": 4', '"dur": "x"'),
      op('aten::mm', 5, 9).replace('"ts": 5, ', ''),
      kernel('k', 1, 5),
    ];
    expect(diagnostics(events)).to.deep.equal({
      'event-without-time': 2,
      'kernel-without-launch': 1,
      'negative-duration': 1,
    });
  });
});

describe('Kineto: dialects', () => {
  it('CUDA of 2021: Operator, Runtime, Kernel; external id; times since 1970 in whole microseconds', () => {
    const T = 1_623_143_093_361_000;
    const old = (
      cat: string,
      name: string,
      at: number,
      dur: number,
      args: object,
      place = '"pid": 3, "tid": "9"',
    ): string =>
      `{"ph": "X", "cat": "${cat}", "name": "${name}", ${place}, "ts": ${T + at}, "dur": ${dur}, "args": ${JSON.stringify(args)}}`;
    const events = [
      old('Operator', 'aten::mm', 0, 90, { 'Device': 9, 'External id': 4, 'Input dims': [[2, 3], [3, 4]], 'Input type': ['float', 'float'] }),
      old('Runtime', 'cudaLaunchKernel', 10, 5, { cbid: 211, correlation: 77, 'external id': '4', 'external ts': '1' }),
      old('Kernel', 'gemm', 50, 7, { device: 0, stream: 7, correlation: 77, 'external id': '4', grid: [1, 2, 1], block: [128, 1, 1] }, '"pid": 0, "tid": "stream 7"'),
      old('Memcpy', 'Memcpy HtoD (Pageable -> Device)', 60, 7, { stream: 7, correlation: 5, bytes: 8 }, '"pid": 1, "tid": "stream 7"'),
      old('Memset', 'Memset (Device)', 70, 7, { device: 0, stream: 7, correlation: 5, bytes: 8 }, '"pid": 0, "tid": "stream 7"'),
    ]; // prettier-ignore
    const [header, found, copy, set] = read(events, { header: '' });
    expect((header as ProfileRecord).startUnixNs).to.equal(`${T}000`);
    expect(found).to.deep.include({ start: 50_000, dur: 7000, op: ['mm'], grid: [1, 2, 1], pid: 3, tid: 9, corr: 77 });
    expect(found).to.have.nested.property('calls[0].args[1].shape').that.deep.equals([3, 4]);
    expect(copy).to.deep.include({ type: 'copy', device: 1, kind: 'HtoD', bytes: 8 });
    expect(set).to.deep.include({ type: 'set', bytes: 8 });
  });

  it('HIP: its own launches, other device numbers, no extents', () => {
    const dispatch = { kind: 'Dispatch Kernel', device: 2, stream: 0, correlation: 7 };
    const [header, found] = read(
      [
        op('aten::mm', 0, 50),
        any('cuda_runtime', 'hipExtModuleLaunchKernel', 10, 20, {}, { cid: 5, correlation: 7 }),
        any('kernel', 'Cijk_Ailk_Bljk_SB', 30, 40, { pid: 2, tid: 0 }, dispatch),
      ],
      { header: '"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}]' },
    );
    expect(found).to.deep.include({ device: 2, stream: 0, grid: null, block: null, op: ['mm'] });
    expect(found).to.have.nested.property('launch.api', 'hipExtModuleLaunchKernel');
    const { devices } = header as ProfileRecord;
    expect(devices.map(({ id, arch }) => [id, arch])).to.deep.equal([[0, 'gfx942'], [2, 'gfx942']]); // prettier-ignore
  });

  it('since 2024: times relative to a base that is named', () => {
    const header = '"baseTimeNanoseconds": 1751410836000000123';
    const [profile, found] = read([kernel('k', 1, '1714.007')], { header });
    // The base, and 1714.007 µs.
    expect((profile as ProfileRecord).startUnixNs).to.equal('1751410836001714130');
    expect(found).to.deep.include({ start: 0, dur: 10_000 });
    const [unnamed] = read([kernel('k', 1, '1714.007')]);
    expect((unnamed as ProfileRecord).startUnixNs).to.equal(null);
  });

  it('the rank is that of the job, else of the file name', () => {
    const rank = (header: string): unknown => (read([], { header })[0] as ProfileRecord).rank;
    expect(rank('"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}')).to.equal(3);
    for (const info of ['{"rank": -1}', '{"rank": "3"}', '{"rank": 1.5}', '{}', 'null', '"x"', '[]'])
      expect(rank(`"distributedInfo": ${info}`), info).to.equal(null);
  });

  it('a missing thread is null', () => {
    const text = launch(1, 5).replace(`"tid": ${MAIN}`, '"tid": "main"');
    expect(onlyKernel([text, kernel('k', 1, 9)])).to.deep.include({ pid: 10, tid: null });
    // Numbers may be negative.
    expect(onlyKernel([launch(1, 5, -1), kernel('k', 1, 9)])).to.deep.include({ pid: 10, tid: -1 });
  });
});

describe('Kineto: the records of a trace', () => {
  const EVENTS: readonly EventText[] = [
    frame('train.py(1): main', 0, 990),
    frame('nn.Module: Net_0', 1, 500),
    ...Array.from({ length: 12 }, (_, i) => [
      op('aten::linear', i * 20 + 2, i * 20 + 20, { 'External id': i * 2, 'Sequence number': i }),
      op('aten::addmm', i * 20 + 3, i * 20 + 19, { 'External id': i * 2 + 1, 'Sequence number': i, 'Input Dims': [[i, 2], []] }),
      launch(i, i * 20 + 5),
      kernel(`gemm${i % 3}`, i, 400 + i * 11, { 'External id': i * 2 + 1 }),
      // Of equal times.
      kernel('second', i, 400 + i * 11, { 'External id': i * 2 + 1 }),
    ]).flat(),
    ...Array.from({ length: 12 }, (_, i) => [
      op('AddmmBackward0', 600 + i * 20, 615 + i * 20, { 'Sequence number': 11 - i, 'Fwd thread id': 1, 'Input Dims': [[i, 5]] }, 200),
      launch(100 + i, 602 + i * 20, 200),
      kernel('grad', 100 + i, 900 + i * 11),
      activity('gpu_memcpy', 'Memcpy DtoD (Device -> Device)', 100 + i, 905 + i * 11, { bytes: i }),
    ]).flat(),
  ]; // prettier-ignore

  const lines = (events: readonly EventText[]): string[] =>
    read(events, { ranges: true, name: 't.json' }).map((record) => JSON.stringify(record));

  it('do not depend on the order of events', () => {
    const expected = lines(EVENTS);
    expect(expected).to.have.length(2 + EVENTS.length);
    expect(lines([...EVENTS].reverse())).to.deep.equal(expected);
    for (let seed = 1; seed <= 5; seed++) {
      const shuffled = EVENTS.map((event, i) => [Math.imul(i + seed, 2654435761 + seed * 2) >>> 0, event] as const)
        .sort(([a], [b]) => a - b)
        .map(([, event]) => event);
      expect(lines(shuffled)).to.deep.equal(expected);
    }
  });

  it('with --ranges hold ops, annotations and frames with their times', () => {
    const ranges = read(EVENTS.slice(0, 4), { ranges: true }).filter((record) => record.type === 'range');
    expect(ranges.map(({ text, start, dur, tid, domain }) => [text, start, dur, tid, domain])).to.deep.equal([
      ['train.py(1): main', 0, 990_000, MAIN, null],
      ['nn.Module: Net_0', 1000, 499_000, MAIN, null],
      ['aten::linear', 2000, 18_000, MAIN, null],
      ['aten::addmm', 3000, 16_000, MAIN, null],
    ]);
    expect(read(EVENTS.slice(0, 4)).filter((record) => record.type === 'range')).to.have.length(0);
  });

  it('end with the last event', () => {
    expect((read(EVENTS)[0] as ProfileRecord).dur).to.equal(1_036_000);
  });
});

describe('Kineto: kernels with the correlation id of another kernel', () => {
  const kernels = [kernel('a', 3, 10), kernel('b', 3, 30)];
  const launched = (events: readonly EventText[]) =>
    read(events).flatMap((record) => (record.type === 'kernel' ? [record.launch?.api ?? null] : []));

  it('have no launch: which of them the call launched is not known', () => {
    // The second was launched by the call that has no kernel.
    const hip = (corr: number, at: number, tid?: number): EventText =>
      runtime('hipLaunchKernel', corr, at, at + 1, tid);
    const events = [hip(3, 5), hip(4, 20, 101), ...kernels, hip(5, 40), kernel('c', 5, 50)];
    expect(launched(events)).to.deep.equal([null, null, 'hipLaunchKernel']);
    expect(diagnostics(events)).to.include({ 'shared-launch': 2 });
  });

  it('have the launch of a graph, or of one kernel on several devices', () => {
    for (const api of ['hipGraphLaunch', 'hipExtLaunchMultiKernelMultiDevice', 'hipLaunchCooperativeKernel'])
      expect(launched([runtime(api, 3, 5, 6), ...kernels])).to.deep.equal([api, api]);
  });
});

describe('Kineto: a call without an id', () => {
  const events = [runtime('cudaLaunchKernel', undefined, 0, 5), launch(2, 10), kernel('k', 2, 20)];

  it('is a range, and lacks work where all kernels have other launches', () => {
    const records = read(events, { ranges: true });
    expect(records.filter(({ type }) => type === 'range')).to.have.length(2);
    expect(records.at(-1)).to.deep.include({ diagnostics: { 'launch-without-work': 1 } });
  });

  it('may be that of a kernel of unknown launch', () => {
    const { diagnostics } = read([...events, kernel('k', 3, 40)], { ranges: true }).at(-1) as EndRecord;
    expect(diagnostics).to.include({ 'kernel-without-launch': 1 }).and.not.have.property('launch-without-work');
  });
});
