import { expect } from 'chai';
import fc from 'fast-check';
import { EnclosingSpans, joined, OpenSpans, outermost, SelfTimes, spanAt, SPANS, spanRows } from '../../src/containers/nesting.js'; // prettier-ignore
import { propertyRuns } from '../support/property-runs.js';

interface Span {
  readonly start: number;
  readonly end: number;
  readonly lane: number;
}

// A short axis makes overlaps, equal boundaries and empty spans frequent.
const LAST = 30;
const span: fc.Arbitrary<Span> = fc
  .record({ start: fc.nat(20), length: fc.nat(9), isEndless: fc.nat(6).map((n) => n === 0), lane: fc.nat(1) })
  .map(({ start, length, isEndless, lane }) => ({ start, end: isEndless ? Infinity : start + length, lane }));
const byStart = (a: Span, b: Span): number => a.start - b.start || (a.end === b.end ? 0 : b.end - a.end);
const spans = fc.array(span, { maxLength: 40 }).map((list) => list.sort(byStart));
const on = (start: number, end: number): Span => ({ start, end, lane: 0 });
const runs = { numRuns: propertyRuns(250) };

const columns = (list: readonly Span[]) => ({
  start: { at: (row: number) => list[row]?.start ?? NaN },
  end: { at: (row: number) => list[row]?.end ?? NaN },
  thread: { at: (row: number) => list[row]?.lane ?? NaN },
});

describe('outermost spans', () => {
  it('begin within no other outermost one of their lane', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const expected: Span[] = [];
        for (const each of list)
          if (!expected.some(({ lane, start, end }) => lane === each.lane && start <= each.start && each.start < end))
            expected.push(each);
        const inner: number[] = [];
        const found = outermost(list.keys(), spanRows(columns(list)), (row) => inner.push(row));
        expect(found.map((row) => list[row])).to.deep.equal(expected);
        expect([...found, ...inner].sort((a, b) => a - b)).to.deep.equal([...list.keys()]);
      }),
      runs,
    );
  });

  it('may touch; one of no length is around none', () => {
    const list = [on(0, 5), on(2, 9), on(5, 5), on(5, 8), on(7, 9), on(8, 9)];
    const within: [Span, Span][] = [];
    expect(outermost(list, SPANS, (inner, outer) => within.push([inner, outer]))).to.deep.equal([
      on(0, 5), on(5, 5), on(5, 8), on(8, 9),
    ]); // prettier-ignore
    expect(within).to.deep.equal([[on(2, 9), on(0, 5)], [on(7, 9), on(5, 8)]]); // prettier-ignore
  });
});

describe('joined spans', () => {
  it('are what those that overlap or touch, also by way of others, cover together', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const groups: Span[][] = [];
        for (const each of list) {
          const near = groups.filter((group) => group.some(({ start, end }) => start <= each.end && each.start <= end));
          const rest = groups.filter((group) => !near.includes(group));
          groups.splice(0, groups.length, ...rest, [...near.flat(), each]);
        }
        const expected = groups
          .map((group) => ({
            start: Math.min(...group.map(({ start }) => start)),
            end: Math.max(...group.map(({ end }) => end)),
            count: group.length,
          }))
          .sort((a, b) => a.start - b.start);
        const counted = list.map(({ start, end }) => ({ start, end, count: 1 }));
        const found = joined(counted, (a, b) => ({ count: a.count + b.count }));
        expect(found).to.deep.equal(expected);
        for (let time = 0; time < LAST; time++)
          expect(spanAt(found, time)).to.equal(found.find(({ start, end }) => start <= time && time <= end) ?? null);
      }),
      runs,
    );
  });
});

describe('open spans', () => {
  it('are those that have begun and not ended, at any time', () => {
    fc.assert(
      fc.property(spans, fc.boolean(), fc.nat(3), (list, touching, more) => {
        const open = new OpenSpans<Span>(({ end }) => end, { touching });
        for (const [i, each] of list.entries()) {
          open.close(each.start);
          const begun = list.slice(0, i).filter(({ end }) => end > each.start || (touching && end === each.start));
          expect(open.last).to.equal(begun.at(-1));
          const until = each.start + 1 + more;
          expect(open.lasting(until)).to.equal(begun.findLast(({ end }) => end >= until));
          expect(open.allLasting(until)).to.deep.equal(begun.filter(({ end }) => end >= until));
          expect(open.push(each, each.start)).to.equal(true);
        }
      }),
      runs,
    );
  });

  it('are at most as many as are asked for: those that have ended make room', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 4 }), (list, most) => {
        const open = new OpenSpans<Span>(({ end }) => end, { most });
        let held: Span[] = [];
        for (const each of list) {
          held = held.filter(({ end }) => end > each.start);
          const fits = held.length < most;
          open.close(each.start);
          expect(open.push(each, each.start)).to.equal(fits);
          if (fits) held.push(each);
        }
      }),
      runs,
    );
  });

  it('forget those that have ended, although each overlaps the next, in linear time', () => {
    let ended = 0;
    const open = new OpenSpans<number>((start) => start + 1.5, { ended: () => ended++ });
    for (let start = 0; start < 1_000_000; start++) open.push(start, start);
    expect(open.length).to.be.below(100);
    expect(open.length + ended).to.equal(1_000_000);
  });

  it('take no longer where none of them ends', () => {
    const open = new OpenSpans<number>(() => Infinity, { most: 2048 });
    let added = 0;
    for (let start = 0; start < 1_000_000; start++) if (open.push(start, start)) added++;
    expect(added).to.equal(2048);
  });
});

describe('self times', () => {
  const selfOf = (list: readonly Span[]): number[] => {
    const self = list.map(() => NaN);
    const times = new SelfTimes<number>((row, time) => (self[row] = time));
    for (const [row, { start, end }] of list.entries()) times.begin(row, start, Math.min(end, LAST));
    times.countTo(Infinity);
    return self;
  };

  it('are those of the open span that began last, moment by moment', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const expected = list.map(() => 0);
        for (let time = 0; time < LAST; time++) {
          const last = list.findLastIndex(({ start, end }) => start <= time && Math.min(end, LAST) > time);
          if (last !== -1) expected[last] = (expected[last] ?? 0) + 1;
        }
        expect(selfOf(list)).to.deep.equal(expected);
      }),
      runs,
    );
  });

  it('of two that overlap within a third are nobody else’s', () => {
    // 0 to 10, and within it 2 to 6 and 4 to 8.
    expect(selfOf([on(0, 10), on(2, 6), on(4, 8)])).to.deep.equal([4, 2, 4]);
  });
});

describe('enclosing spans', () => {
  const inner = fc.tuple(fc.nat(25), fc.nat(5)).map(([start, length]) => on(start, start + length));
  const around = (list: readonly Span[], ...within: readonly Span[]): number[][] => {
    const enclosing = new EnclosingSpans<never>(columns(list), Uint32Array.from(list.keys()));
    return within.map(({ start, end }) => enclosing.around(start, end).map(({ row }) => row));
  };

  it('start no later and end no earlier, for any spans: overlapping, empty, endless, ending before they start', () => {
    const any = fc.array(fc.record({ start: fc.nat(25), end: fc.oneof({ weight: 6, arbitrary: fc.nat(25) }, { weight: 1, arbitrary: fc.constant(Infinity) }), lane: fc.constant(0) }), { maxLength: 40 }); // prettier-ignore
    fc.assert(
      fc.property(any, fc.array(inner, { maxLength: 20 }), (unsorted, within) => {
        const [list, launches] = [unsorted.sort(byStart), within.sort(byStart)];
        const expected = launches.map(({ start, end }) =>
          [...list.keys()].filter((row) => (list[row]?.start ?? NaN) <= start && (list[row]?.end ?? NaN) >= end),
        );
        expect(around(list, ...launches)).to.deep.equal(expected);
      }),
      runs,
    );
  });

  it('may begin and end with what they enclose', () => {
    expect(around([on(10, 20)], on(10, 20))).to.deep.equal([[0]]);
    expect(around([on(11, 20)], on(10, 20))).to.deep.equal([[]]);
    expect(around([on(10, 19)], on(10, 20))).to.deep.equal([[]]);
    expect(around([on(10, 20)], on(10, 10), on(20, 20))).to.deep.equal([[0], [0]]);
  });

  it('may overlap without nesting', () => {
    const list = [on(0, 20), on(5, 30), on(8, 12)];
    expect(around(list, on(9, 10), on(15, 16), on(15, 25), on(25, 26))).to.deep.equal([[0, 1, 2], [0, 1], [1], [1]]);
  });
});
