/** Values of tracks: of any time what brute force finds. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { EventKind } from '../../../../src/prof/html/timeline/timeline-data.js';
import { busyTracks, marksAt } from '../../../../src/page/timeline/tracks/load-tracks.js';
import {
  SampleTrack,
  readingOf,
  scaleText,
  valueText,
  type Track,
} from '../../../../src/page/timeline/tracks/track.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { eventsOf, LANES, type FixtureEvent } from '../fixture.js';

const NAMES = { kind: 'device', group: 'device 0', name: 'memory', unit: 'memory', about: 'each sample' } as const;

const trackOf = (points: readonly (readonly [at: number, value: number])[], slot = 0): SampleTrack =>
  new SampleTrack(NAMES, Float64Array.from(points, ([at]) => at), Float64Array.from(points, ([, value]) => value), slot); // prettier-ignore

const WORK: readonly EventKind[] = ['kernel', 'graph', 'communication', 'copy', 'set', 'wait'];
const KINDS_OF: Readonly<Record<string, readonly EventKind[]>> = {
  busy: ['kernel', 'graph', 'communication', 'copy', 'set'],
  computing: ['kernel', 'graph'],
  communicating: ['communication'],
  'copies and memsets': ['copy', 'set'],
  'in launch calls': ['launch'],
};

const EVENTS = fc.array(
  fc.record({
    start: fc.integer({ min: -10, max: 90 }),
    dur: fc.integer({ min: 0, max: 30 }),
    lane: fc.integer({ min: 0, max: 2 }),
    kind: fc.constantFrom(...WORK),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('tracks of samples in a timeline', () => {
  it('have the lowest and the highest of any time, and the value that holds at an instant', () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.option(fc.integer({ min: -5, max: 90 }), { nil: NaN, freq: 6 })), { maxLength: 40 }); // prettier-ignore
    fc.assert(
      fc.property(points, fc.integer({ min: -5, max: 150 }), fc.integer({ min: 1, max: 60 }), (steps, from, length) => {
        let now = 0;
        const at = steps.map(([step, value]) => [(now += step), value] as const);
        const track = trackOf(at);
        // By halves of ns: what holds at each, and all samples at it.
        const seen: number[] = [];
        for (let time = from; time < from + length; time += 0.5) {
          const held = at.findLast(([one]) => one <= time)?.[1];
          seen.push(held ?? NaN, ...at.filter(([one]) => one === time).map(([, value]) => value));
        }
        const known = seen.filter((value) => !Number.isNaN(value));
        const expected = known.length === 0 ? null : { low: Math.min(...known), high: Math.max(...known) };
        expect(track.rangeOf(from, from + length)).to.deep.equal(expected);
        const held = at.findLast(([one]) => one <= from)?.[1] ?? NaN;
        const instant = track.rangeOf(from, from);
        if (!Number.isNaN(held)) expect(instant).to.deep.equal({ low: held, high: held });
        else if (!at.some(([one]) => one === from)) expect(instant).to.equal(null);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('tell what a value stands for', () => {
    const exact = trackOf([[100, 2 ** 30], [300, NaN], [400, 2 ** 20]]); // prettier-ignore
    expect(readingOf(exact, 200, 10, 1000)).to.deep.equal({ value: '1.00 GiB', of: 'since 1.10 us, up to 1.30 us' });
    expect(readingOf(exact, 350, 10, 1000).value).to.equal('unknown');
    expect(readingOf(exact, 50, 10, 1000)).to.deep.equal({
      value: 'unknown',
      of: 'before the first sample, up to 1.10 us',
    });
    expect(scaleText(exact)).to.equal('0 to 1.00 GiB');
    const reduced = trackOf([[100, 2 ** 10], [120, 2 ** 12], [127, 2 ** 11]], 64); // prettier-ignore
    expect(readingOf(reduced, 100, 1, 0)).to.deep.equal({
      value: '1.00 KiB to 4.00 KiB',
      of: 'within 64 ns to 128 ns',
    });
    expect(readingOf(reduced, 140, 1, 0).value).to.equal('2.00 KiB');
  });

  it('are written in the units of records', () => {
    const texts = [
      valueText(0.5, 'fraction'),
      valueText(91.3, '%'),
      valueText(1.8e9, 'Hz'),
      valueText(310, 'W'),
      valueText(0.001, 's'),
      valueText(39, 'count'),
      valueText(7, null),
      valueText(2.5e10, 'bytes/s'),
    ];
    expect(texts).to.deep.equal(['50.0 %', '91.3 %', '1.8 GHz', '310 W', '1.000 ms', '39', '7', '25.00 GB/s']);
  });
});

describe('how busy a timeline says a device is', () => {
  const shareOf = (events: readonly FixtureEvent[], kinds: readonly EventKind[], isHost: boolean, from: number, to: number): number => {
    let busy = 0;
    for (let time = from; time < to; time++) {
      const runs = ({ start, dur, lane, kind = 'kernel' }: FixtureEvent): boolean =>
        (LANES[lane]?.kind === 'host') === isHost && kinds.includes(kind) && start <= time && time < start + dur;
      if (events.some(runs)) busy++;
    }
    return busy / (to - from);
  }; // prettier-ignore

  it('is the share of any time, in whatever order times are asked for, in which an event of its kind ran', () => {
    const time = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(EVENTS, fc.array(time, { minLength: 1, maxLength: 6 }), (given, times) => {
        const all = given.map(({ lane, kind, ...time }) => ({ ...time, lane, kind: lane > 0 ? kind : kind === 'wait' ? kind : ('launch' as const) }));
        const events = all.sort((a, b) => a.start - b.start);
        const loaded = eventsOf(events);
        const tracks = busyTracks(loaded, null);
        for (const [from, length] of times) {
          const to = Math.min(loaded.span, from + length);
          if (to <= from) continue;
          for (const track of tracks) {
            const expected = shareOf(events, KINDS_OF[track.name] ?? [], track.kind === 'host', from, to);
            expect(track.rangeOf(from, to)?.low, track.name).to.be.closeTo(expected, 1e-9);
          }
        }
        const names = (kind: Track['kind']): string[] => tracks.filter((track) => track.kind === kind).map(({ name }) => name);
        for (const [name, kinds] of Object.entries(KINDS_OF)) {
          const has = events.some(({ kind, lane }) => kinds.includes(kind) && LANES[lane]?.kind === (kind === 'launch' ? 'host' : 'device'));
          expect(names(name === 'in launch calls' ? 'host' : 'device').includes(name), name).to.equal(has);
        }
      }),
      { numRuns: propertyRuns(100) },
    ); // prettier-ignore
  });

  it('is that of the whole profile where neighbours are one bar, and unknown outside of it', () => {
    const events = {
      ...eventsOf([{ start: 0, dur: 400, lane: 1 }]),
      merged: { count: Float64Array.of(9), time: Float64Array.of(90) },
    };
    const utilisation = {
      ...{ start: 1100, width: 100, host: null, cpu: null },
      devices: [{ device: 0, busy: [0.5, 1], compute: [0.5, 1], communication: [0, 0], memory: [0, 0] }],
    };
    const [busy, computing, ...others] = busyTracks(events, utilisation);
    expect([busy?.name, computing?.name, others.length]).to.deep.equal(['busy', 'computing', 0]);
    expect(busy?.rangeOf(100, 200)).to.deep.equal({ low: 0.5, high: 0.5 });
    expect(busy?.rangeOf(150, 250)?.low).to.be.closeTo(0.75, 1e-12);
    expect(busy?.rangeOf(0, 90)).to.equal(null);
    expect(busy?.around(130)).to.deep.equal([100, 200]);
  });
});

describe('marks of a timeline at a time', () => {
  it('are those around it, the shortest first', () => {
    const mark = (start: number, end: number) => ({ kind: 'gap', start, end, device: 0, text: `${start}` }) as const;
    const marks = [mark(0, 100), mark(40, 60), mark(70, 70)];
    expect(marksAt(marks, 50, 2).map(({ text }) => text)).to.deep.equal(['40', '0']);
    expect(marksAt(marks, 68, 2).map(({ text }) => text)).to.deep.equal(['70', '0']);
  });
});
