/** The reader that traces are held to finds what breaks its rules: a check that finds nothing would be no check. */
import { expect } from 'chai';
import { PerfettoPackets, type EventParts } from '../../../src/write/perfetto/trace-packets.js';
import { shownTrace } from '../../support/perfetto-trace.js';

const event = (start: number, fields: Partial<EventParts> = {}): EventParts => ({
  ...{ zero: { ns: 0n }, start, name: 'k', category: 'kernel', args: [], flows: [], endsFlows: [], launchFlow: null },
  ...fields,
});

/** A process 1 with the tracks 2 and 3. */
function written(
  write: (packets: PerfettoPackets) => void,
  names: readonly [string, string] = ['a', 'b'],
): PerfettoPackets {
  const packets = new PerfettoPackets();
  packets.process(1, 42, 'device', 0);
  names.forEach((name, i) => {
    packets.track({ uuid: 2 + i, parent: 1, name });
  });
  write(packets);
  return packets;
}

const shown = (write: (packets: PerfettoPackets) => void) => shownTrace(written(write).take());

describe('the rules for traces', () => {
  it('nest slices, close them, and let one have no length', () => {
    const { events, arrows } = shown((out) => {
      out.slice(2, event(0, { name: 'outer', flows: [1] }), 100);
      out.slice(2, event(0, { name: 'inner' }), 100);
      out.slice(2, event(100, { name: 'none' }), 0);
      out.slice(2, event(100, { name: 'next' }), 10);
      out.instant(2, event(105, { name: 'mark', endsFlows: [1] }));
    });
    expect(events.map(({ name, start, end, depth }) => `${name} ${start} ${end} ${depth}`)).to.deep.equal([
      'outer 0 100 0',
      'inner 0 100 1',
      'none 100 100 0',
      'next 100 110 0',
      'mark 105 105 1',
    ]);
    expect(arrows.map(([from, to]) => `${from.name} ${to.name}`)).to.deep.equal(['outer mark']);
  });

  it('cut what overlaps on one track: durations are not those written', () => {
    const { events } = shown((out) => {
      out.slice(2, event(0, { name: 'x' }), 100);
      out.slice(2, event(50, { name: 'y' }), 100);
    });
    expect(events.map(({ name, start, end }) => `${name} ${start} ${end}`)).to.deep.equal(['x 0 150', 'y 50 100']);
  });

  const CASES: Readonly<Record<string, readonly [write: (out: PerfettoPackets) => void, error: RegExp]>> = {
    'slices too deep': [(out) => { for (let i = 0; i < 300; i++) out.slice(2, event(i), 1000 - i); }, /^45 that .*too deep/],
    'marks too deep': [(out) => { for (let i = 0; i < 300; i++) out.instant(2, event(5)); }, /^45 that .*too deep/],
    'no track': [(out) => { out.instant(9, event(0)); }, /without a track/],
    'the track of a process': [(out) => { out.instant(1, event(0)); }, /on a process's own track/],
    'a flow without an end': [(out) => { out.instant(2, event(0, { flows: [1] })); }, /flows without an end/],
    'a flow without a start': [(out) => { out.instant(2, event(0, { endsFlows: [1] })); }, /ends before it starts/],
    'a negative time': [(out) => { out.instant(2, event(-1)); }, /a negative time/],
    'arguments of one name': [(out) => { out.instant(2, event(0, { args: [['a.b', 1], ['a_b', 2]] })); }, /arguments of one name/],
    'a process twice': [(out) => { out.process(4, 42, 'again', 0); }, /pid or tid 42 twice/],
    'process 0': [(out) => { out.process(4, 0, 'swapper', 0); }, /reserved/],
    'a thread of another process': [(out) => { out.thread({ uuid: 4, parent: 1, name: 't' }, 43, 7); }, /of another process/],
    'a track without its parent': [(out) => { out.track({ uuid: 4, parent: 8, name: 't' }); }, /without a parent/],
    'a track twice': [(out) => { out.track({ uuid: 2, parent: 1, name: 't' }); }, /track 2 twice/],
    'a value on no counter': [(out) => { out.counter(2, event(0), 1); }, /on no counter/],
    'clocks after events': [(out) => { out.instant(2, event(0)); out.clock(5n); }, /clocks after events/],
  }; // prettier-ignore
  for (const [what, [write, error]] of Object.entries(CASES))
    it(`refuse ${what}`, () => {
      expect(() => shown(write)).to.throw(error);
    });

  it('refuse what needs texts of packets that are not there', () => {
    const packets = written(() => undefined);
    packets.take();
    packets.instant(2, event(0));
    expect(() => shownTrace(packets.take())).to.throw();
  });
});
