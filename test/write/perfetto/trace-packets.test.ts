import { expect } from 'chai';
import { InternedTexts, PerfettoPackets, type EventParts } from '../../../src/write/perfetto/trace-packets.js';
import { packetsOf, shownTrace } from '../../support/perfetto-trace.js';

const event = (fields: Partial<EventParts> = {}): EventParts => ({
  ...{
    zero: { ns: 0n },
    start: 7,
    name: 'gemm',
    category: 'kernel',
    args: [],
    flows: [],
    endsFlows: [],
    launchFlow: null,
  },
  ...fields,
});

function place(packets: PerfettoPackets): PerfettoPackets {
  packets.process(1, 42, 'host', 0);
  packets.track({ uuid: 2, parent: 1, name: 'stream 7' });
  return packets;
}

describe('packets', () => {
  it('are the published bytes', () => {
    const packets = new PerfettoPackets();
    packets.process(1, 42, 'p', 9);
    // trace.packet { trusted_packet_sequence_id: 1 sequence_flags: 1 first_packet_on_sequence: true
    //   track_descriptor { uuid: 1 process { pid: 42 legacy_sort_index: 9 process_name: "p" } } }
    expect(Buffer.from(packets.take()).toString('hex')).to.equal(
      '0a15' + '5001' + '6801' + 'b80501' + 'e2030b' + '0801' + '1a07082a1809320170',
    );
    packets.counter(3, { zero: { ns: 2n ** 62n }, start: 1 }, -2);
    // Varints of 64 bits: 2^62 + 1 in nine bytes, −2 in ten.
    expect(Buffer.from(packets.take()).toString('hex')).to.equal(
      '0a1e' + '5001' + '408180808080808080' + '40' + '5a10' + '4804' + '5803' + 'f001feffffffffffffffff01',
    );
    expect(packets.size).to.equal(0);
  });

  it('have times that are exact beyond 32 and 53 bits', () => {
    const times: [zero: bigint, ns: number][] = [
      [2n ** 32n - 1n, 1],
      [5n, 2 ** 33 + 7],
      [2n ** 62n + 2n ** 32n - 1n, 2 ** 40 + 1],
    ];
    const packets = new PerfettoPackets();
    for (const [ns, start] of times) packets.counter(3, { zero: { ns }, start }, 1);
    const found = packetsOf(packets.take()).map(({ timestamp }) => String(timestamp));
    expect(found).to.deep.equal(times.map(([zero, ns]) => String(zero + BigInt(ns))));
  });

  it('hold each text once, until there are too many', () => {
    const packets = place(new PerfettoPackets(new InternedTexts(6)));
    for (let i = 0; i < 20; i++) packets.slice(2, event({ start: i, name: `k${i % 4}`, args: [['op', 'mm']] }), 0);
    const bytes = packets.take();
    const decoded = packetsOf(bytes);
    // Category, name of the argument, its value; four names: interned again whenever they were dropped.
    const interned = decoded.flatMap(({ internedData = {} }) =>
      Object.values(internedData)
        .flat()
        .map(({ iid }) => iid),
    );
    const cleared = decoded.filter(({ sequenceFlags = 0 }) => (sequenceFlags & 1) !== 0);
    expect(interned).to.have.length.above(7);
    expect(new Set(interned).size).to.equal(interned.length);
    expect(cleared).to.have.length.within(2, 20);
    const { events } = shownTrace(bytes);
    expect(events.map(({ name, category, args }) => [name, category, args['op']])).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => [`k${i % 4}`, 'kernel', 'mm']),
    );
  });

  it('keep numbers exact, integers and others', () => {
    const numbers = [0, -1, 2 ** 53 - 1, -(2 ** 53 - 1), 0.1, 1e300, 2 ** 60];
    const packets = place(new PerfettoPackets());
    packets.instant(2, event({ args: numbers.map((value, i) => [`a${i}`, value]), flows: [1, 2 ** 40] }));
    const bytes = packets.take();
    expect(Object.values(shownTraceWithoutFlows(bytes))).to.deep.equal(numbers);
    const flows = packetsOf(bytes).flatMap(({ trackEvent }) => trackEvent?.flowIds ?? []);
    expect(flows).to.deep.equal(['1', String(2 ** 40)]);
  });

  it('come in pieces of whole packets', () => {
    const packets = place(new PerfettoPackets());
    const pieces = [packets.take()];
    for (let i = 0; i < 3; i++) {
      packets.slice(2, event({ name: `k${i}`.repeat(100 * i) }), 2);
      pieces.push(packets.take());
    }
    for (const piece of pieces) expect(() => packetsOf(piece)).to.not.throw();
    expect(shownTrace(Buffer.concat(pieces)).events).to.have.length(3);
  });
});

function shownTraceWithoutFlows(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const values = packetsOf(bytes).flatMap(({ trackEvent }) => trackEvent?.debugAnnotations ?? []);
  return Object.fromEntries(
    values.map(({ nameIid, intValue, doubleValue }) => [nameIid, doubleValue ?? Number(intValue)]),
  );
}
