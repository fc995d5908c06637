import { expect } from 'chai';
import fc from 'fast-check';
import {
  coverage,
  drawRow,
  LongestEvent,
  matchWeightsOf,
  weightsOf,
  BOX_PIXELS,
} from '../../../../src/page/timeline/model/levels.js';
import { nearestEvent, rowsOf, eventsInRange, type LaneRow } from '../../../../src/page/timeline/model/lane-rows.js';
import { eventsOf } from '../fixture.js';

/** A row of events that do not overlap: gaps and durations by turns. */
function rowOf(parts: readonly (readonly [gap: number, dur: number])[]): LaneRow {
  let at = 0;
  const given = parts.map(([gap, dur]) => {
    const start = at + gap;
    at = start + dur;
    return { start, dur, lane: 1 };
  });
  const row = rowsOf(eventsOf(given))[1]?.[0];
  return (
    row ?? {
      lane: 1,
      depth: 0,
      events: new Uint32Array(0),
      start: new Float64Array(0),
      dur: new Float64Array(0),
      reach: new Float64Array(0),
    }
  );
}

const parts = fc.array(fc.tuple(fc.nat(40), fc.oneof(fc.nat(3), fc.nat(60))), { maxLength: 200 });

describe('rows of a timeline', () => {
  it('are one for each lane and depth', () => {
    const rows = rowsOf(
      eventsOf([
        { start: 0, dur: 9, lane: 0 },
        { start: 1, dur: 2, lane: 0, depth: 1 },
        { start: 1, dur: 2, lane: 2 },
        { start: 4, dur: 2, lane: 0, depth: 1 },
      ]),
    );
    expect(rows.map((lane) => lane.map(({ events }) => [...events]))).to.deep.equal([[[0], [1, 3]], [], [[2]]]);
  });

  it('find the same events of a span as a linear search', () => {
    fc.assert(
      fc.property(parts, fc.nat(3000), fc.nat(500), (list, from, width) => {
        const row = rowOf(list);
        const to = from + width;
        const { from: first, to: last } = eventsInRange(row, from, to);
        const touching = [...row.events.keys()].filter((place) => {
          const start = row.start[place] ?? 0;
          return start <= to && start + (row.dur[place] ?? 0) >= from;
        });
        expect([...row.events.keys()].slice(first, last)).to.deep.equal(touching);
      }),
    );
  });

  it('find a long event under later ones', () => {
    const given = [
      { start: 0, dur: 100, lane: 1 },
      { start: 10, dur: 5, lane: 1 },
      { start: 20, dur: 5, lane: 1 },
    ];
    const row = rowsOf(eventsOf(given))[1]?.[0];
    if (row === undefined) throw new Error('no row');
    expect(eventsInRange(row, 50, 60)).to.deep.equal({ from: 0, to: 3 });
    expect(nearestEvent(row, 50, 0)).to.equal(0);
    expect(nearestEvent(row, 12, 0)).to.equal(1);
    expect(nearestEvent(row, 104, 3)).to.equal(-1);
    expect(nearestEvent(row, 102, 3)).to.equal(0);
  });
});

/** What is drawn, in words. */
function drawn(row: LaneRow, from: number, to: number, perPixel: number): (readonly [string, ...number[]])[] {
  const all: (readonly [string, ...number[]])[] = [];
  drawRow(row, from, to, perPixel, {
    box: (_, place) => all.push(['box', place]),
    column: (_, first, last, column) => all.push(['column', column, first, last]),
  });
  return all;
}

describe('levels of detail', () => {
  it('merge the same events as a linear search', () => {
    fc.assert(
      fc.property(parts, fc.nat(2000), fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 60 }), (list, from, width, perPixel) => {
        const row = rowOf(list);
        const to = from + width;
        const inView = [...row.events.keys()].filter(
          (place) => (row.start[place] ?? 0) <= to && (row.start[place] ?? 0) + (row.dur[place] ?? 0) >= from,
        );
        const isWide = (place: number): boolean => (row.dur[place] ?? 0) >= BOX_PIXELS * perPixel;
        const columns = new Map<number, number[]>();
        for (const place of inView.filter((one) => !isWide(one))) {
          const column = Math.floor((row.start[place] ?? 0) / perPixel);
          columns.set(column, [...(columns.get(column) ?? []), place]);
        }
        const got = drawn(row, from, to, perPixel);
        expect(got.filter(([is]) => is === 'box').map(([, place]) => place)).to.deep.equal(inView.filter(isWide));
        const merged = got.filter(([is]) => is === 'column').map(([, column = 0, first = 0, last = 0]) => [column, first, last]);
        const expected = [...columns].map(([column, places]) => [column, places[0], (places.at(-1) ?? 0) + 1]);
        expect(merged).to.deep.equal(expected);
      }),
    ); // prettier-ignore
  });

  it('weigh a column by what its events cover', () => {
    // Starts 0, 3, 5; durations 1, 2, 4: 7 ns of a pixel of 10, 6 of them by the last two.
    const row = rowOf([
      [0, 1],
      [2, 2],
      [0, 4],
    ]);
    const all = weightsOf(row);
    expect(coverage(all, 0, 3, 10)).to.equal(0.7);
    expect(coverage(all, 1, 3, 10)).to.equal(0.6);
    expect(coverage(all, 0, 3, 5)).to.equal(1);
    expect(all.longest.in(0, 3)).to.equal(2);
    expect(all.longest.in(0, 2)).to.equal(1);
  });

  it('weigh only matching events', () => {
    const row = rowOf([
      [0, 5],
      [1, 0],
      [1, 9],
    ]);
    const { counts, sums, longest } = matchWeightsOf(row, Uint8Array.of(0, 1, 0));
    expect([...counts]).to.deep.equal([0, 0, 1, 1]);
    expect([...sums]).to.deep.equal([0, 0, 0, 0]);
    // It has no duration, and still matches.
    expect(longest.in(0, 3)).to.equal(1);
  });

  it('find the same longest event of any range as a linear search', () => {
    const value = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9000 }), fc.array(value, { minLength: 1, maxLength: 37 }), fc.nat(), fc.nat(), (length, some, a, b) => {
        const values = Float64Array.from({ length }, (_, i) => ((some[i % some.length] ?? 0) * 31 + i * 7) % 997);
        const from = Math.min(a % length, b % length);
        const to = Math.max(a % length, b % length);
        const range = values.subarray(from, to);
        const expected = range.length === 0 ? -1 : from + range.indexOf(Math.max(...range));
        expect(new LongestEvent(values).in(from, to)).to.equal(expected);
      }),
    ); // prettier-ignore
  });
});
