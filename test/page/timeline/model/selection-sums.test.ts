import { expect } from 'chai';
import fc from 'fast-check';
import type { TimelineEvents } from '../../../../src/page/timeline/events/events.js';
import { selectionSums, type SelectionSums, type WorkSum } from '../../../../src/page/timeline/model/selection-sums.js';
import { selectedLanes, type TimelineSelection } from '../../../../src/page/timeline/model/selection.js';
import { eventsOf, LANES, type FixtureEvent } from '../fixture.js';

describe('sums of a selection', () => {
  /*
   * Span 100..200. Inside it: of a (60..140, 800 bytes, 80 FLOPs) 40 of 80 ns, so 400 bytes and 40 FLOPs; all of b
   * (150..170, 200 bytes); of c (160..260, no amounts) 40 ns; d ends where the span begins and e begins where it ends.
   * Stream 7 (a, b): 40 + 20 = 60. Stream 9 (c): 40. Device: 100..140 and 150..200 = 90. Thread: 0..300 covers 100.
   */
  const events = eventsOf([
    { start: 0, dur: 300, lane: 0, kind: 'range', name: 'step' },
    { start: 60, dur: 80, lane: 1, name: 'a', op: 'linear', layer: 'net/fc', bytes: 800, flops: 80 },
    { start: 90, dur: 10, lane: 2, name: 'd', op: 'add' },
    { start: 110, dur: 10, lane: 0, depth: 1, kind: 'launch', name: 'launch' },
    { start: 150, dur: 20, lane: 1, kind: 'copy', name: 'b', bytes: 200 },
    { start: 160, dur: 100, lane: 2, name: 'c', op: 'linear' },
    { start: 200, dur: 10, lane: 1, name: 'e', op: 'add' },
  ]);
  const sums = selectionSums(events, { from: 100, to: 200, lanes: null });

  it('count events with the part that lies inside', () => {
    const { length, share, deviceCount, deviceTime, busy, hostCount, bars } = sums;
    expect({ length, share, deviceCount, deviceTime, busy, hostCount, bars }).to.deep.equal({
      ...{ length: 100, share: 1 / 3, deviceCount: 3, deviceTime: 100, busy: 90, hostCount: 2, bars: 0 },
    });
  });

  it('leave the critical path out, whose parts are parts of other events', () => {
    const path = eventsOf([
      { start: 0, dur: 50, lane: 0, kind: 'range', name: 'step' },
      { start: 10, dur: 40, lane: 0, kind: 'path', name: 'compute: a' },
    ]);
    const { hostCount, onThreads } = selectionSums(path, { from: 0, to: 50, lanes: null });
    expect([hostCount, onThreads.map(({ text }) => text)]).to.deep.equal([1, ['step']]);
  });

  it('say of how many events work is known', () => {
    // The copy has no FLOPs to have.
    expect(sums.flops).to.deep.equal({ amount: 40, known: 1, count: 2, knownTime: 40, time: 80 });
    expect(sums.bytes).to.deep.equal({ amount: 600, known: 2, count: 3, knownTime: 60, time: 100 });
  });

  it('have device time by op, layer, name and kind, and time of threads by name', () => {
    expect(sums.byOp).to.deep.equal([
      { text: 'linear', count: 2, time: 80, flops: 40, flopsTime: 40, bytes: 400 },
      { text: null, count: 1, time: 20, flops: null, flopsTime: 0, bytes: 200 },
    ]);
    const times = (shares: SelectionSums['byOp']): (readonly [string | null, number])[] =>
      shares.map(({ text, time }) => [text, time]);
    expect(times(sums.byKernel)).to.deep.equal([['a', 40], ['c', 40], ['b', 20]]); // prettier-ignore
    expect(times(sums.byKind)).to.deep.equal([['kernel', 80], ['copy', 20]]); // prettier-ignore
    expect(times(sums.byLayer)).to.deep.equal([[null, 60], ['net/fc', 40]]); // prettier-ignore
    expect(times(sums.onThreads)).to.deep.equal([['step', 100], ['launch', 10]]); // prettier-ignore
  });

  it('have copies by size class, queue and tensor', () => {
    const copy = { dur: 10, lane: 1, kind: 'copy', name: 'DMA' } as const;
    const { byQueue, bySize, byTensor } = selectionSums(
      eventsOf([
        { ...copy, start: 0, bytes: 256, queue: 'q0', facts: [['tensor', 'k'], ['destination', 'sbuf']] }, // prettier-ignore
        { ...copy, start: 10, bytes: 511, queue: 'q1', facts: [['tensor', 'k'], ['destination', 'hbm']] }, // prettier-ignore
        { ...copy, start: 20, bytes: 4096, queue: 'q0' },
        { start: 30, dur: 10, lane: 1, name: 'a', bytes: 800 },
      ]),
      { from: 0, to: 40, lanes: null },
    );
    const rows = (shares: SelectionSums['byOp']): unknown[] => shares.map(({ text, count, bytes }) => [text, count, bytes]); // prettier-ignore
    expect(rows(bySize)).to.deep.equal([['256 B to 512 B', 2, 767], ['4.00 KiB to 8.00 KiB', 1, 4096]]); // prettier-ignore
    expect(rows(byQueue)).to.deep.equal([['q0', 2, 4352], ['q1', 1, 511]]); // prettier-ignore
    expect(rows(byTensor)).to.deep.equal([['k', 2, 767], [null, 1, 4096]]); // prettier-ignore
  });

  it('have the busy time of each lane and device', () => {
    expect(sums.lanes.map(({ name, busy, share }) => [name, busy, share])).to.deep.equal([
      ['thread 1', 100, 1],
      ['stream 7', 60, 0.6],
      ['stream 9', 40, 0.4],
    ]);
    expect(sums.devices).to.deep.equal([{ name: 'device 0', group: 'device 0', events: 3, busy: 90, share: 0.9 }]);
  });

  it('of some lanes are those of these lanes alone', () => {
    const one = selectionSums(events, { from: 100, to: 200, lanes: new Set(['device 0/stream 7']) });
    expect([one.deviceCount, one.busy, one.hostCount, one.laneCount, one.allLanes]).to.deep.equal([2, 60, 0, 1, 3]);
    const group = selectionSums(events, { from: 100, to: 200, lanes: new Set(['device 0/*']) });
    expect([group.deviceCount, group.busy, group.hostCount, group.laneCount]).to.deep.equal([3, 90, 0, 2]);
    const none = selectionSums(events, { from: 100, to: 200, lanes: new Set(['device 1/*']) });
    expect([none.deviceCount, none.lanes]).to.deep.equal([0, []]);
  });

  it('of an empty span are empty', () => {
    const none = selectionSums(events, { from: 400, to: 500, lanes: null });
    expect([none.deviceCount, none.bytes.amount, none.flops.amount, none.lanes]).to.deep.equal([0, null, null, []]);
  });

  it('of merged bars count what they stand for, without the work of their longest', () => {
    const merged = { count: Float64Array.of(1, 4, 1, 1, 1, 1, 1), time: Float64Array.of(300, 40, 10, 10, 20, 100, 10) };
    const bars = selectionSums({ ...events, merged }, { from: 0, to: 300, lanes: null });
    expect([bars.bars, bars.deviceCount, bars.flops.amount, bars.bytes.amount]).to.deep.equal([1, 8, null, 200]);
  });
});

const KEYS = [...LANES.map(({ group, name }) => `${group}/${name}`), 'device 0/*', 'process 7/*', 'nowhere/*'];

const event = fc.record({
  start: fc.nat(60),
  dur: fc.nat(20),
  lane: fc.nat(LANES.length - 1),
  kind: fc.constantFrom('kernel', 'copy', 'wait', 'communication'),
  name: fc.constantFrom('a', 'b', 'c'),
  op: fc.constantFrom('mm', 'add', ''),
  layer: fc.constantFrom('x', 'x/y', ''),
  flops: fc.constantFrom(-1, 0, 60, 1e6),
  bytes: fc.constantFrom(-1, 0, 7, 4096),
}) as fc.Arbitrary<FixtureEvent>;

const timeline = fc
  .array(event, { minLength: 1, maxLength: 30 })
  .map((all) => eventsOf(all.toSorted((a, b) => a.start - b.start)));

const selection: fc.Arbitrary<TimelineSelection> = fc
  .record({
    span: fc.tuple(fc.integer({ min: -5, max: 90 }), fc.integer({ min: -5, max: 90 })),
    lanes: fc.option(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1 }).map((keys) => new Set(keys))),
  })
  .map(({ span: [one, other], lanes }) => ({ from: Math.min(one, other), to: Math.max(one, other), lanes }));

/** The same sums, event by event and nanosecond by nanosecond. */
function counted(all: TimelineEvents, { from, to, lanes }: TimelineSelection) {
  const [first, last] = [Math.max(0, from), Math.min(all.span, to)];
  const chosen = selectedLanes(all.lanes, lanes);
  const working = new Set<number>();
  const sums = { deviceCount: 0, deviceTime: 0, hostCount: 0, flops: 0, knownFlops: 0, bytes: 0, knownBytes: 0 };
  const byName = new Map<string, number>();
  for (let at = 0; at < all.count; at++) {
    const [start = 0, dur = 0, lane = 0] = [all.start[at], all.dur[at], all.lane[at]];
    const ticks = Array.from({ length: dur }, (_, i) => start + i).filter((tick) => tick >= first && tick < last);
    const isInside = dur === 0 ? start >= first && start < last : ticks.length > 0;
    if (!isInside || !chosen.has(lane)) continue;
    if (all.lanes[lane]?.kind === 'host') {
      sums.hostCount++;
      continue;
    }
    sums.deviceCount++;
    sums.deviceTime += ticks.length;
    const name = all.texts[all.text.name[at] ?? 0] ?? '';
    byName.set(name, (byName.get(name) ?? 0) + ticks.length);
    const part = dur === 0 ? 1 : ticks.length / dur;
    const isWait = all.kind[at] === 5;
    if (!isWait) for (const tick of ticks) working.add(tick);
    const [flops = -1, bytes = -1] = [all.flops[at], all.bytes[at]];
    const computes = all.kind[at] === 0 || flops > 0;
    if (flops >= 0 && computes) [sums.flops, sums.knownFlops] = [sums.flops + flops * part, sums.knownFlops + 1];
    if (bytes >= 0 && !isWait) [sums.bytes, sums.knownBytes] = [sums.bytes + bytes * part, sums.knownBytes + 1];
  }
  return { ...sums, busy: working.size, byName };
}

describe('sums of any selection', () => {
  it('equal those that are counted event by event', () => {
    fc.assert(
      fc.property(timeline, selection, (all, selected) => {
        const [found, wanted] = [selectionSums(all, selected), counted(all, selected)];
        const { deviceCount, deviceTime, hostCount, busy } = found;
        expect({ deviceCount, deviceTime, hostCount, busy }).to.deep.equal({
          ...{ deviceCount: wanted.deviceCount, deviceTime: wanted.deviceTime },
          ...{ hostCount: wanted.hostCount, busy: wanted.busy },
        });
        const amount = ({ amount, known }: WorkSum): number[] => [Math.round((amount ?? 0) * 1e3), known];
        expect(amount(found.flops)).to.deep.equal([Math.round(wanted.flops * 1e3), wanted.knownFlops]);
        expect(amount(found.bytes)).to.deep.equal([Math.round(wanted.bytes * 1e3), wanted.knownBytes]);
        expect(Object.fromEntries(found.byKernel.map(({ text, time }) => [text, time]))).to.deep.equal(
          Object.fromEntries(wanted.byName),
        );
      }),
    );
  });
});
