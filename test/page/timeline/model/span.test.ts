import { expect } from 'chai';
import { spanStatistics } from '../../../../src/page/timeline/model/span.js';
import { eventsOf } from '../fixture.js';

describe('statistics of a span', () => {
  /*
   * Span 100..200. Inside it: of a (60..140, 800 bytes, 80 FLOPs) 40 of 80 ns, so 400 bytes and 40 FLOPs; all of b
   * (150..170, 200 bytes); of c (160..260, no amounts) 40 ns; d ends where the span begins and e begins where it ends.
   * Stream 7 (a, b): 40 + 20 = 60. Stream 9 (c): 40. Device: 100..140 and 150..200 = 90. Thread: 0..300 covers 100.
   */
  const events = eventsOf([
    { start: 0, dur: 300, lane: 0, kind: 'range', name: 'step' },
    { start: 60, dur: 80, lane: 1, name: 'a', op: 'linear', bytes: 800, flops: 80 },
    { start: 90, dur: 10, lane: 2, name: 'd', op: 'add' },
    { start: 110, dur: 10, lane: 0, depth: 1, kind: 'launch', name: 'launch' },
    { start: 150, dur: 20, lane: 1, kind: 'copy', name: 'b', bytes: 200 },
    { start: 160, dur: 100, lane: 2, name: 'c', op: 'linear' },
    { start: 200, dur: 10, lane: 1, name: 'e', op: 'add' },
  ]);
  const span = spanStatistics(events, { from: 100, to: 200 });

  it('count events with the part that lies inside', () => {
    const { length, deviceCount, deviceTime, hostCount, bytes, flops, withoutBytes } = span;
    expect({ length, deviceCount, deviceTime, hostCount, bytes, flops, withoutBytes }).to.deep.equal({
      length: 100,
      deviceCount: 3,
      deviceTime: 100,
      hostCount: 2,
      bytes: 600,
      flops: 40,
      withoutBytes: 1,
    });
  });

  it('have device time by op, kernel and kind', () => {
    expect(span.byOp).to.deep.equal([
      { text: 'linear', count: 2, time: 80 },
      { text: null, count: 1, time: 20 },
    ]);
    expect(span.byKernel.map(({ text, time }) => [text, time])).to.deep.equal([
      ['a', 40],
      ['c', 40],
      ['b', 20],
    ]);
    expect(span.byKind.map(({ text, time }) => [text, time])).to.deep.equal([
      ['kernel', 80],
      ['copy', 20],
    ]);
  });

  it('have the busy time of each lane and device', () => {
    expect(span.lanes.map(({ name, busy, share }) => [name, busy, share])).to.deep.equal([
      ['thread 1', 100, 1],
      ['stream 7', 60, 0.6],
      ['stream 9', 40, 0.4],
    ]);
    expect(span.devices).to.deep.equal([{ name: 'device 0', group: 'device 0', events: 3, busy: 90, share: 0.9 }]);
  });

  it('of an empty span are empty', () => {
    const none = spanStatistics(events, { from: 400, to: 500 });
    expect([none.deviceCount, none.bytes, none.flops, none.lanes]).to.deep.equal([0, null, null, []]);
  });
});
