import { expect } from 'chai';
import type { CopyRecord, KernelRecord, ProfileLine, RangeRecord } from '../../../../src/record/record.js';
import type { Timeline } from '../../../../src/prof/html/page-data.js';
import { pageKernelOf } from '../../../../src/prof/html/page-kernel.js';
import { TimelineBuilder } from '../../../../src/prof/html/timeline/timeline-builder.js';
import { kernel } from '../../../support/kernels.js';
import { annotate } from '../../../support/rows.js';
import { arrowsOf, eventsOf, pageDataOf, pageOf } from '../../../support/pages.js';

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

const timelineOf = (records: readonly ProfileLine[], options: Parameters<typeof pageOf>[1] = {}): Timeline =>
  pageOf(records, options).timeline ?? expect.fail();

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
  const timeline = new TimelineBuilder(choice, { rows, text: 1 << 20, dependencies: rows });
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
    expect(timeline).to.include({ what: 'all', start: 0, end: 100, events: 9, leftOut: 0 });
    expect(timeline.lanes).to.deep.equal([
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

  it('of a profile with steps shows the step of median length, from its first launch', () => {
    const step = (number: number, start: number, dur: number) =>
      at(start, dur, start - 20, { step: number, name: `s${number}` });
    const records = [step(1, 100, 500), step(2, 1000, 30), step(3, 2000, 40), step(4, 3000, 50), step(5, 4000, 20)];
    // Lengths 500, 30, 40, 50, 20: 40 stands in the middle.
    const timeline = timelineOf(records);
    expect(timeline).to.include({ what: 'step 3', start: 1980, end: 2040 });
    expect(drawn(timeline)).to.deep.equal([
      'launch cudaLaunchKernel | thread 100 0 | 0+5',
      'kernel s3 | stream 7 0 | 20+40',
    ]);
  });

  it('has events that began before the step and last into it, at their own time', () => {
    const timeline = timelineOf([range(0, 5000, 'main'), at(100, 10, 90, { step: 1 })]);
    expect(timeline).to.include({ what: 'step 1', start: 90, end: 110 });
    expect(drawn(timeline)[0]).to.equal('range main | thread 100 0 | -90+5000');
  });

  it('shows the chosen step or time', () => {
    const records = [1, 2, 3].map((step) => at(step * 1_000_000, 500_000, step * 1_000_000 - 10, { step }));
    expect(timelineOf(records, { timeline: { of: 'step', step: 1 } }).what).to.equal('step 1');
    const timed = timelineOf(records, { timeline: { of: 'time', from: 1_600_000, to: 2_200_000 } });
    expect(timed).to.include({ what: '1.6 to 2.2 ms', start: 1_600_000, end: 2_200_000 });
    expect(eventsOf(timed).map(({ id }) => id)).to.deep.equal([0, 2]);
    expect(pageOf(records, { timeline: { of: 'step', step: 7 } }).timeline).to.equal(null);
    expect(pageOf(records, { timeline: { of: 'time', from: 9e6, to: 1e7 } }).timeline).to.equal(null);
  });

  it('is bounded: the first events are shown, the others counted', () => {
    const records = Array.from({ length: 2000 }, (_, i) => at(100 * i + 50, 10, 100 * i));
    const timeline = timelineOf(records, { events: 1001 });
    expect(timeline).to.include({ events: 1001, leftOut: 2999, what: 'first 1001 events' });
    // 500 launches with their kernels, and one launch more; the kernel that would come next starts at 50050.
    expect(timeline).to.include({ start: 0, end: 50_050 });
    expect(arrowsOf(timeline)).to.have.length(500);
  });

  it('that is cut ends where the first event is left out, and counts what is missing and what lies outside', () => {
    // The launch of a kernel at 50 that runs at 500 is drawn, the kernel is not; every settling gives the same.
    const records = [at(500, 10, 50), ...Array.from({ length: 8 }, (_, i) => at(100 * i + 60, 10, 100 * i + 55))];
    const timeline = taped(records, 100, { of: 'usual' });
    timeline.settle(9);
    timeline.settle(5);
    // Launches at 50, 55, 155; kernels at 60, 160. The launch at 255 would come next.
    expect(timeline.timeline(5)).to.include({ start: 50, end: 255, events: 5, leftOut: 13 });
    expect(timeline.timeline(5)?.activities).to.deep.equal({ shown: 2, leftOut: 7, outside: 0 });
    const chosen = taped(records, 100, { of: 'time', from: 0, to: 300 }).timeline(5);
    // Kernels that run, or whose launches do, up to 300: those at 60, 160 and 260; five others begin later.
    expect(chosen).to.include({ start: 50, end: 255, leftOut: 2 });
    expect(chosen?.activities).to.deep.equal({ shown: 2, leftOut: 1, outside: 6 });
  });

  it('of a full buffer ends where the first launch is missing', () => {
    // Work that was launched at 10 and runs at 900 comes too late for the buffer of three.
    const records = [range(0, 2000, 'main'), at(100, 10, 20), at(200, 10, 30), at(900, 10, 10), at(950, 10, 940)];
    const cut = taped(records, 3, { of: 'usual' }).timeline(100);
    expect(cut).to.include({ what: 'first 1 events', start: 0, end: 10, leftOut: 8 });
    expect(cut?.activities).to.deep.equal({ shown: 0, leftOut: 4, outside: 0 });
  });

  it('counts what comes after it is settled', () => {
    const timeline = taped([at(100, 10, 90), at(200, 10, 190)], 100, { of: 'usual' });
    timeline.settle(100);
    for (const row of annotate([at(150, 10, 140), at(900, 10, 890)])) timeline.addKernel(pageKernelOf(row));
    expect(timeline.timeline(100)).to.include({ start: 90, end: 140, events: 2, leftOut: 4 });
    expect(timeline.timeline(100)?.activities).to.deep.equal({ shown: 1, leftOut: 2, outside: 1 });
  });

  it('says that it is not known what is left out of a step that grew after the buffer was full', () => {
    const records = [
      ...[0, 1, 2].map((i) => at(10 * i + 5, 2, 10 * i, { step: 1 })),
      at(1000, 5, 990),
      at(2000, 5, 1990, { step: 1 }),
    ];
    const timeline = taped(records, 3, { of: 'step', step: 1 }).timeline(100);
    expect(timeline).to.include({ what: 'first 6 events of step 1', start: 0, end: 990, leftOut: null });
    expect(timeline?.activities).to.deep.equal({ shown: 3, leftOut: null, outside: null });
  });

  it('leaves out activities without a duration', () => {
    expect(timelineOf([at(10, null, 0), at(20, 5, 15)]).events).to.equal(2);
  });

  it('of a full buffer shows a whole step in the buffer, and a chosen step wherever it is', () => {
    const records = [1, 2, 3, 4].flatMap((step) =>
      [0, 1, 2].map((i) => at(1000 * step + 10 * i, 5 * step, 1000 * step + 10 * i - 5, { step })),
    );
    // Lengths 25, 30, 35, 40: the shorter one in the middle is 30, that of step 2, of which the buffer holds all.
    expect(taped(records, 7, { of: 'usual' }).timeline(100)?.what).to.equal('step 2');
    // Of step 2 a kernel is missing.
    expect(taped(records, 5, { of: 'usual' }).timeline(100)?.what).to.equal('step 1');
    const given = taped(records, 4, { of: 'step', step: 4 }).timeline(100) ?? expect.fail();
    expect(given).to.include({ what: 'step 4', events: 6, leftOut: 0 });
  });

  it('of many profiles is shorter, and each has its own', () => {
    const records = [0, 1, 2, 3].flatMap((profile) =>
      Array.from({ length: 2000 }, (_, i) => at(10 * i + 5, 1, 10 * i, { profile, id: i + 1 })),
    );
    const { profiles } = pageDataOf(records, { events: 6000 });
    expect(profiles.map(({ timeline }) => [timeline?.events, timeline?.leftOut])).to.deep.equal(
      new Array(4).fill([1500, 2500]),
    );
  });
});
