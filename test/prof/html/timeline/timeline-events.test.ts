import { expect } from 'chai';
import type { CopyRecord, KernelRecord, ProfileLine, RangeRecord, SyncRecord } from '../../../../src/record/record.js';
import type { Timeline } from '../../../../src/prof/html/timeline/timeline-data.js';
import { hash, NO_LONGEST } from '../../../../src/prof/html/timeline/longest-texts.js';
import { pageKernelOf } from '../../../../src/prof/html/page-kernel.js';
import { TimelineBuilder } from '../../../../src/prof/html/timeline/timeline-builder.js';
import { kernel } from '../../../support/kernels.js';
import { annotate } from '../../../support/rows.js';
import { arrowsOf, eventsOf, pageContentsOf, piecesOf, shownFirst } from '../../../support/pages.js';

let ids = 0;
const at = (start: number, dur: number | null, launched: number, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ id: ++ids, start, dur, launch: { api: 'cudaLaunchKernel', start: launched, dur: 5 }, ...fields });
const range = (start: number, dur: number, text: string, tid = 100): RangeRecord => ({
  type: 'range',
  profile: 0,
  start,
  dur,
  pid: 10,
  tid,
  domain: null,
  text,
});
const copy = (start: number, dur: number, launched: number): CopyRecord => ({
  ...{ type: 'copy', profile: 0, device: 0, stream: 13, pid: 10, tid: 100, corr: 9, kind: 'HtoD', bytes: 4096 },
  ...{ start, dur, launch: { api: 'cudaMemcpyAsync', start: launched, dur: 8 } },
});

const timelineOf = (records: readonly ProfileLine[], options: Parameters<typeof pageContentsOf>[1] = {}): Timeline =>
  shownFirst(pageContentsOf(records, options));

const drawn = (timeline: Timeline): string[] =>
  eventsOf(timeline).map(
    ({ kind, name, lane, depth, start, dur }) => `${kind} ${name} | ${lane} ${depth} | ${start}+${dur}`,
  );

/** A timeline filled as a page fills it. */
function taped(
  records: readonly ProfileLine[],
  rows: number,
  choice: ConstructorParameters<typeof TimelineBuilder>[0],
) {
  const timeline = new TimelineBuilder(choice, { bars: 1000 }, { rows, text: 1 << 20, dependencies: rows });
  for (const record of records) {
    timeline.take(record);
    if (record.type === 'kernel') for (const row of annotate([record])) timeline.addKernel(pageKernelOf(row));
  }
  return timeline;
}

describe('timeline', () => {
  beforeEach(() => {
    ids = 0;
  });

  it('has launches and ranges by thread, work by stream, each where it is drawn', () => {
    const timeline = timelineOf([
      range(0, 100, 'forward'),
      range(10, 40, 'conv'),
      range(60, 30, 'fc'),
      at(30, 20, 15, { name: 'void k<float>(int)', layer: ['net', 'conv'] }),
      copy(40, 10, 70),
      at(45, 20, 25, { stream: 7, name: 'k2' }),
    ]);
    expect(timeline).to.include({ what: 'whole profile', start: 0, end: 100, events: 9, merged: null });
    expect(timeline.lanes.map(({ kind, name, group, depth }) => ({ kind, name, group, depth }))).to.deep.equal([
      { kind: 'device', name: 'stream 7', group: 'device 0', depth: 2 },
      { kind: 'device', name: 'stream 13', group: 'device 0', depth: 1 },
      { kind: 'host', name: 'thread 100', group: 'process 10', depth: 3 },
    ]);
    expect(drawn(timeline)).to.deep.equal([
      'range forward | thread 100 0 | 0+100',
      'range conv | thread 100 1 | 10+40',
      'launch cudaLaunchKernel | thread 100 2 | 15+5',
      'launch cudaLaunchKernel | thread 100 2 | 25+5',
      'kernel k<float>(int) | stream 7 0 | 30+20',
      'copy copy HtoD | stream 13 0 | 40+10',
      // It overlaps the kernel before.
      'kernel k2 | stream 7 1 | 45+20',
      'range fc | thread 100 1 | 60+30',
      'launch cudaMemcpyAsync | thread 100 2 | 70+8',
    ]);
    expect(arrowsOf(timeline)).to.deep.equal([
      'cudaLaunchKernel → k<float>(int)',
      'cudaMemcpyAsync → copy HtoD',
      'cudaLaunchKernel → k2',
    ]);
    const [first, second] = eventsOf(timeline).filter(({ kind }) => kind === 'kernel' || kind === 'copy');
    expect(first).to.include({ id: 1, layer: 'net/conv', flops: -1, bytes: -1 });
    expect(second).to.include({ id: 0, layer: '', bytes: 4096 });
  });

  it('has frames in a lane of their own, above the ops and calls within them', () => {
    const ranges = [
      { ...range(0, 100, 'train.py(3): main'), kind: 'frame' as const },
      { ...range(5, 90, 'train.py(9): step'), kind: 'frame' as const },
      { ...range(10, 40, 'aten::mm, seq = 3, op_id = 7, sizes = [[2, 3]]'), kind: 'op' as const },
    ];
    const timeline = timelineOf([...ranges, at(60, 20, 15, { name: 'k' })]);
    expect(drawn(timeline)).to.deep.equal([
      'frame train.py(3): main | thread 100 · frames 0 | 0+100',
      'frame train.py(9): step | thread 100 · frames 1 | 5+90',
      'op aten::mm | thread 100 0 | 10+40',
      'launch cudaLaunchKernel | thread 100 1 | 15+5',
      'kernel k | stream 7 0 | 60+20',
    ]);
    expect(timeline.lanes.map(({ apart = null }) => apart)).to.deep.equal([null, 'frames', null]);
  });

  it('has ranges without an end in a lane below the others, which they take no row of', () => {
    const call = (op: string) => `{'mod': 'torch', 'op': '${op}', 'args': []}`;
    const frames = "['/app/net.py:8', '/lib/pyprof/nvtx/nvmarker.py:40']";
    const marker = (start: number, dur: number, text: string) => ({
      ...range(start, dur, text),
      kind: 'marker' as const,
    });
    const timeline = timelineOf([
      { ...marker(0, 100, call('__getattr__')), open: true },
      { ...marker(1, 99, call('__getattr__')), open: true },
      marker(10, 40, `{'traceMarker': ${frames}}`),
      marker(12, 30, call('mm')),
      marker(60, 9, "{'strRepr': 'Linear()'}"),
    ]);
    expect(drawn(timeline)).to.deep.equal([
      'op torch.__getattr__ | thread 100 · never ended 0 | 0+100',
      'op torch.__getattr__ | thread 100 · never ended 1 | 1+99',
      'range /app/net.py:8 | thread 100 0 | 10+40',
      'op torch.mm | thread 100 1 | 12+30',
      "range {'strRepr': 'Linear()'} | thread 100 0 | 60+9",
    ]);
  });

  it('tells calls that wait from calls that launch', () => {
    const wait: SyncRecord = {
      ...{ type: 'sync', profile: 0, device: 0, stream: 7, pid: 10, tid: 100, corr: 3, kind: 'stream' },
      ...{ start: 50, dur: 20, launch: { api: 'cudaStreamSynchronize', start: 48, dur: 25 } },
    };
    expect(drawn(timelineOf([at(20, 5, 0), wait]))).to.deep.equal([
      'launch cudaLaunchKernel | thread 100 0 | 0+5',
      'kernel k<float>(int) | stream 7 0 | 20+5',
      'wait cudaStreamSynchronize | thread 100 0 | 48+25',
      'wait wait: cudaStreamSynchronize | stream 7 0 | 50+20',
    ]);
  });

  it('has one event for a call that launched several kernels, and an arrow to each', () => {
    const graph = { api: 'cudaGraphLaunch', start: 5, dur: 9 };
    const timeline = timelineOf([
      at(20, 5, 0, { launch: graph, name: 'a' }),
      at(22, 5, 0, { launch: graph, name: 'b', stream: 8 }),
      // The same time on another thread is another call.
      at(30, 5, 0, { launch: graph, name: 'c', tid: 101 }),
    ]);
    expect(eventsOf(timeline).filter(({ kind }) => kind === 'launch')).to.have.length(2);
    expect(arrowsOf(timeline)).to.deep.equal(['cudaGraphLaunch → a', 'cudaGraphLaunch → b', 'cudaGraphLaunch → c']);
  });

  it('shows the whole profile first, and has each step from its first launch', () => {
    const step = (number: number, start: number, dur: number) =>
      at(start, dur, start - 20, { step: number, name: `s${number}` });
    const records = [step(1, 100, 500), step(2, 1000, 30), step(3, 2000, 40), step(4, 3000, 50), step(5, 4000, 20)];
    expect(timelineOf(records)).to.include({ what: 'whole profile', start: 80, end: 4020 });
    const timeline = timelineOf(records, { timeline: { of: 'step', step: 3 } });
    expect(timeline).to.include({ what: 'step 3', start: 1980, end: 2040 });
    expect(drawn(timeline)).to.deep.equal([
      'launch cudaLaunchKernel | thread 100 0 | 0+5',
      'kernel s3 | stream 7 0 | 20+40',
    ]);
  });

  it('has events that began before the step and last into it, at their own time', () => {
    const timeline = timelineOf([range(0, 5000, 'main'), at(100, 10, 90, { step: 1 })], {
      timeline: { of: 'step', step: 1 },
    });
    expect(timeline).to.include({ what: 'step 1', start: 90, end: 110 });
    expect(drawn(timeline)[0]).to.equal('range main | thread 100 0 | -90+5000');
  });

  it('has kernels with names of thousands of characters, so that tables lead to them', () => {
    const name = `k<${'long, '.repeat(500)}float>`;
    const { data } = pageContentsOf([at(100, 10, 90, { name, short: name })]);
    expect(data.profiles[0]?.timeline?.lacks.kernel).to.deep.equal([]);
  });

  it('shows the chosen step or time', () => {
    const records = [1, 2, 3].map((step) => at(step * 1_000_000, 500_000, step * 1_000_000 - 10, { step }));
    expect(timelineOf(records, { timeline: { of: 'step', step: 1 } }).what).to.equal('step 1');
    const timed = timelineOf(records, { timeline: { of: 'time', from: 1_600_000, to: 2_200_000 } });
    expect(timed).to.include({ what: '1.6 to 2.2 ms', start: 1_600_000, end: 2_200_000 });
    expect(eventsOf(timed).map(({ id }) => id)).to.deep.equal([0, 2]);
    // A step that is not there: the whole profile is shown.
    expect(timelineOf(records, { timeline: { of: 'step', step: 7 } }).what).to.equal('whole profile');
    expect(timelineOf(records, { timeline: { of: 'time', from: 9e6, to: 1e7 } }).what).to.equal('whole profile');
  });

  it('has a piece for each step, and for what lies before, between and after them', () => {
    const step = (number: number, start: number) => at(start, 50, start - 20, { step: number });
    const records = [at(10, 5, 5), step(1, 100), step(2, 200), at(300, 5, 295), step(4, 400), range(0, 1000, 'main')];
    const contents = pageContentsOf(records);
    const took = { host: null, device: 50 };
    expect(contents.data.profiles[0]?.timeline).to.deep.equal({
      pieces: [
        { name: 'whole profile', start: 0, end: 1000, events: 11 },
        { name: 'before step 1', start: 0, end: 80, events: 4 },
        { name: 'step 1', start: 80, end: 150, events: 3, steps: [1, 1], took },
        { name: 'step 2', start: 180, end: 250, events: 3, steps: [2, 2], took },
        { name: 'between step 2 and step 4', start: 250, end: 380, events: 5 },
        { name: 'step 4', start: 380, end: 450, events: 3, steps: [4, 4], took },
      ],
      first: 0,
      // Steps are compared by the names of kernels without an op, which are not ops of the timeline.
      lacks: { kernel: [], op: ['k'], category: [], layer: [], range: [] },
      longest: {
        ...NO_LONGEST,
        // Devices first: 5 + 50 + 50 + 5 + 50.
        name: [
          [hash('k<float>(int)'), 160, 0],
          [hash('main'), 0, 1000],
          [hash('cudaLaunchKernel'), 0, 25],
        ],
      },
    });
    const [pieces = []] = piecesOf(contents);
    expect(drawn(pieces[3] ?? expect.fail())).to.deep.equal([
      'range main | thread 100 0 | -180+1000',
      'launch cudaLaunchKernel | thread 100 1 | 0+5',
      'kernel k<float>(int) | stream 7 0 | 20+50',
    ]);
  });

  it('is cut into parts that are small enough, and shows from the whole profile what the page has no room for', () => {
    const records = Array.from({ length: 2000 }, (_, i) => at(100 * i + 50, 10, 100 * i));
    const contents = pageContentsOf(records, { events: 1001 });
    const pieces = contents.data.profiles[0]?.timeline?.pieces ?? [];
    expect(pieces.map(({ name, events }) => [name, events])).to.deep.equal([
      ['whole profile', 4000],
      ['profile, part 1 of 2', 1000],
      ['profile, part 2 of 2', null],
    ]);
    const [[whole, first] = []] = piecesOf(contents);
    expect(whole?.merged).to.include({ resolution: 0 });
    expect(arrowsOf(first ?? expect.fail())).to.have.length(500);
  });

  it('has a part of what a full buffer holds, and all of it in bars', () => {
    // Work that was launched at 10 and runs at 900 comes too late for the buffer of three.
    const records = [range(0, 2000, 'main'), at(100, 10, 20), at(200, 10, 30), at(900, 10, 10), at(950, 10, 940)];
    const { about, pieces } =
      taped(records, 3, { of: 'usual' }).timeline({ events: 100, bars: 1000, trackPoints: 1000 }) ?? expect.fail();
    expect(about.pieces).to.deep.equal([
      { name: 'whole profile', start: 0, end: 2000, events: 9 },
      { name: 'profile, part 1 of 2', start: 0, end: 10, events: 1 },
      { name: 'profile, part 2 of 2', start: 10, end: 2000, events: null },
    ]);
    expect(pieces.map((piece) => piece?.events ?? null)).to.deep.equal([9, 1, null]);
  });

  it('that is settled holds less afterwards, and no piece that is not complete', () => {
    const records = [1, 2, 3].flatMap((step) =>
      [0, 1].map((i) => at(1000 * step + 10 * i, 5, 1000 * step + 10 * i - 5, { step })),
    );
    const held = (timeline: TimelineBuilder, events: number) =>
      timeline
        .timeline({ events, bars: 1000, trackPoints: 1000 })
        ?.about.pieces.map((piece) => `${piece.name}: ${piece.events}`);
    const timeline = taped(records, 100, { of: 'usual' });
    timeline.settle({ events: 8, bars: 100, trackPoints: 1000 });
    expect(held(timeline, 4)).to.deep.equal(['whole profile: 12', 'step 1: 4', 'step 2: null', 'step 3: null']);
    const late = taped(records, 100, { of: 'usual' });
    late.settle({ events: 100, bars: 100, trackPoints: 1000 });
    for (const row of annotate([at(2005, 10, 2004)])) late.addKernel(pageKernelOf(row));
    expect(held(late, 100)).to.deep.equal([
      'whole profile: 14',
      'step 1: 4',
      'step 2, part 1 of 2: 2',
      'step 2, part 2 of 2: null',
      'step 3: null',
    ]);
  });

  it('leaves out activities without a duration', () => {
    expect(timelineOf([at(10, null, 0), at(20, 5, 15)]).events).to.equal(2);
  });

  it('of a full buffer holds whole steps, and a chosen step wherever it is', () => {
    const records = [1, 2, 3, 4].flatMap((step) =>
      [0, 1, 2].map((i) => at(1000 * step + 10 * i, 5 * step, 1000 * step + 10 * i - 5, { step })),
    );
    const shown = (rows: number, choice: Parameters<typeof taped>[2]) => {
      const { about } =
        taped(records, rows, choice).timeline({ events: 100, bars: 1000, trackPoints: 1000 }) ?? expect.fail();
      const held = about.pieces.filter(({ steps, events }) => steps !== undefined && events === 6);
      return { first: about.pieces[about.first]?.name, held: held.map(({ name }) => name) };
    };
    expect(shown(7, { of: 'usual' })).to.deep.equal({ first: 'whole profile', held: ['step 1', 'step 2'] });
    // Of step 2 a kernel is missing.
    expect(shown(5, { of: 'usual' })).to.deep.equal({ first: 'whole profile', held: ['step 1'] });
    expect(shown(4, { of: 'step', step: 4 })).to.deep.include({ first: 'step 4' });
  });

  it('of many profiles is shorter, and each has its own', () => {
    const records = [0, 1, 2, 3].flatMap((profile) =>
      Array.from({ length: 2000 }, (_, i) => at(10 * i + 5, 1, 10 * i, { profile, id: i + 1 })),
    );
    for (const { timeline } of pageContentsOf(records, { events: 6000 }).data.profiles) {
      const [whole, ...parts] = timeline?.pieces ?? [];
      expect(whole).to.include({ name: 'whole profile' });
      const held = parts.reduce((sum, { events }) => sum + (events ?? 0), 0);
      expect(held).to.be.within(750, 1500);
    }
  });
});
