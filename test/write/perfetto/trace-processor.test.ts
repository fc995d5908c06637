/** The reader that traces are held to finds what breaks its rules: a check that finds nothing would be no check. */
import { expect } from 'chai';
import { PerfettoPackets, type EventParts } from '../../../src/write/perfetto/trace-packets.js';
import { imported } from '../../support/trace-processor.js';

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

const errorsOf = (write: (packets: PerfettoPackets) => void): Readonly<Record<string, number>> =>
  imported(written(write).take()).errors;

describe('the trace processor', () => {
  it('nests slices, closes them, and has zero-length ones', () => {
    const packets = written((out) => {
      out.slice(2, event(0, { name: 'outer', flows: [1] }), 100);
      out.slice(2, event(0, { name: 'inner' }), 100);
      out.slice(2, event(100, { name: 'none' }), 0);
      out.slice(2, event(100, { name: 'next' }), 10);
      out.instant(2, event(105, { name: 'mark', endsFlows: [1] }));
    });
    const { slices, flows, errors } = imported(packets.take());
    expect(errors).to.deep.equal({});
    expect(slices.map(({ name, ts, dur, depth }) => `${name} ${ts} ${dur} ${depth}`)).to.deep.equal([
      'outer 0 100 0',
      'inner 0 100 1',
      'none 100 0 0',
      'next 100 10 0',
      'mark 105 0 1',
    ]);
    expect(flows.map(([from, to]) => `${from.name} ${to.name}`)).to.deep.equal(['outer mark']);
  });

  it('merges tracks of one name, and keeps apart what overlaps there', () => {
    const packets = written(
      (out) => {
        out.slice(2, event(0, { name: 'x' }), 100);
        out.slice(3, event(50, { name: 'y' }), 100);
        out.slice(2, event(120, { name: 'z' }), 10);
      },
      ['stream 7', 'stream 7'],
    );
    const { slices, errors } = imported(packets.take());
    expect(errors).to.deep.equal({});
    expect(slices.map(({ name, dur, depth, track }) => `${name} ${dur} ${depth} ${track}`)).to.deep.equal([
      'x 100 0 1/stream 7#0',
      'y 100 0 1/stream 7#1',
      'z 10 0 1/stream 7#0',
    ]);
  });

  it('cuts what overlaps on one track: durations are not those written', () => {
    const packets = written((out) => {
      out.slice(2, event(0, { name: 'x' }), 100);
      out.slice(2, event(50, { name: 'y' }), 100);
    });
    expect(imported(packets.take()).slices.map(({ name, dur }) => `${name} ${dur}`)).to.deep.equal(['x 150', 'y 50']);
  });

  it('finds what breaks a rule', () => {
    const deep = errorsOf((out) => {
      for (let i = 0; i < 300; i++) out.slice(2, event(i), 1000 - i);
    });
    expect(deep).to.deep.equal({ slice_max_depth_exceeded: 45, track_event_thread_invalid_end: 45 });
    const marks = errorsOf((out) => {
      for (let i = 0; i < 300; i++) out.instant(2, event(5));
    });
    expect(marks).to.deep.equal({ slice_max_depth_exceeded: 45 });
    const cases: readonly (readonly [write: (out: PerfettoPackets) => void, error: string])[] = [
      [(out) => { out.instant(9, event(0)); }, 'unable to resolve track'],
      [(out) => { out.instant(1, event(0)); }, "slice on the process's own track"],
      [(out) => { out.instant(2, event(0, { flows: [1] })); }, 'flow that does not end'],
      [(out) => { out.instant(2, event(0, { endsFlows: [1] })); }, 'flow_end_without_start'],
      [(out) => { out.instant(2, event(-1)); }, 'trace_sorter_negative_timestamp_dropped'],
      [(out) => { out.instant(2, event(0, { args: [['a.b', 1], ['a_b', 2]] })); }, 'arguments of one name'],
      [(out) => { out.process(4, 42, 'again', 0); }, 'pid or tid taken for reused'],
      [(out) => { out.process(4, 0, 'swapper', 0); }, 'pid or tid 0 is reserved'],
      [(out) => { out.thread({ uuid: 4, parent: 1, name: 't' }, 43, 7); }, 'thread of another process'],
      [(out) => { out.track({ uuid: 4, parent: 8, name: 't' }); }, 'track_hierarchy_missing_uuid'],
      [(out) => { out.track({ uuid: 2, parent: 1, name: 't' }); }, 'track_descriptor_conflicting_reservation'],
      [(out) => { out.counter(2, event(0), 1); }, 'track_event_counter_invalid_track_uuid'],
      [(out) => { out.instant(2, event(0)); out.clock(5n); }, 'clock_sync_failure'],
    ]; // prettier-ignore
    for (const [write, error] of cases) expect(errorsOf(write), error).to.deep.equal({ [error]: 1 });
  });

  it('skips what comes before the state it needs', () => {
    const packets = written(() => undefined);
    packets.take();
    packets.instant(2, event(0));
    const { slices, errors } = imported(packets.take());
    expect([slices.length, errors]).to.deep.equal([0, { packet_skipped_seq_needs_incremental_state_invalid: 1 }]);
  });
});
