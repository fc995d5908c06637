import { expect } from 'chai';
import fc from 'fast-check';
import { Ranges } from '../../../src/parse/trace/trace-columns.js';
import { orderRanges, RangeSweep } from '../../../src/parse/trace/ranges.js';
import { propertyRuns } from '../../support/property-runs.js';

interface Range {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
}

interface Launch {
  readonly start: number;
  readonly end: number;
}

const THREADS = 3;

function columns(list: readonly Range[]): Ranges {
  const ranges = new Ranges();
  for (const [row, { thread, start, end }] of list.entries()) {
    ranges.thread.push(thread);
    ranges.start.push(start);
    ranges.end.push(end);
    ranges.text.push(row);
    ranges.domain.push(0);
  }
  return ranges;
}

/** Ranges around each launch of a thread, by the sweep. */
function swept(list: readonly Range[], thread: number, launches: readonly Launch[]): number[][] {
  const ranges = columns(list);
  const order = orderRanges(ranges, THREADS, (a, b) => a - b);
  const sweep = new RangeSweep<never>(ranges, order, thread);
  return launches.map(({ start, end }) => sweep.enclosing(start, end).map(({ row }) => row));
}

/** The definition: no later start, no earlier end, on that thread; outermost first. */
const enclosing = (list: readonly Range[], thread: number, launch: Launch): number[] =>
  list
    .map((range, row) => ({ ...range, row }))
    .filter((range) => range.thread === thread && range.start <= launch.start && range.end >= launch.end)
    .sort((a, b) => a.start - b.start || (a.end === b.end ? a.row - b.row : b.end - a.end))
    .map(({ row }) => row);

// A short axis makes overlaps, equal boundaries and empty ranges frequent.
const time = fc.integer({ min: 0, max: 25 });
const range: fc.Arbitrary<Range> = fc.record({
  thread: fc.nat({ max: THREADS - 1 }),
  start: time,
  end: fc.oneof({ weight: 6, arbitrary: time }, { weight: 1, arbitrary: fc.constant(Infinity) }),
});
const launch: fc.Arbitrary<Launch> = fc.tuple(time, fc.nat({ max: 5 })).map(([start, dur]) => ({ start, end: start + dur })); // prettier-ignore

describe('ranges around a launch', () => {
  it('are those of the definition, for any ranges: overlapping, empty, open, ending before they start', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), fc.array(launch, { maxLength: 20 }), (list, unsorted) => {
        const launches = [...unsorted].sort((a, b) => a.start - b.start || b.end - a.end);
        for (let thread = 0; thread < THREADS; thread++) {
          expect(swept(list, thread, launches)).to.deep.equal(launches.map((each) => enclosing(list, thread, each)));
        }
      }),
      { numRuns: propertyRuns(250) },
    );
  });

  const on = (start: number, end: number): Range => ({ thread: 0, start, end });
  const around = (list: readonly Range[], ...launches: Launch[]): number[][] => swept(list, 0, launches);

  it('may begin and end with it', () => {
    expect(around([on(10, 20)], { start: 10, end: 20 })).to.deep.equal([[0]]);
    expect(around([on(11, 20)], { start: 10, end: 20 })).to.deep.equal([[]]);
    expect(around([on(10, 19)], { start: 10, end: 20 })).to.deep.equal([[]]);
  });

  it('may overlap without nesting', () => {
    const list = [on(0, 20), on(5, 30), on(8, 12)];
    const launches = [{ start: 9, end: 10 }, { start: 15, end: 16 }, { start: 15, end: 25 }, { start: 25, end: 26 }]; // prettier-ignore
    expect(around(list, ...launches)).to.deep.equal([[0, 1, 2], [0, 1], [1], [1]]);
  });

  it('hold launches of no length at both ends', () => {
    expect(around([on(10, 20)], { start: 10, end: 10 }, { start: 20, end: 20 })).to.deep.equal([[0], [0]]);
  });

  it('that are open hold everything after their start', () => {
    expect(around([on(10, Infinity)], { start: 9, end: 11 }, { start: 10, end: 1e15 })).to.deep.equal([[], [0]]);
  });

  it('of the same times are in order of text', () => {
    const ranges = columns([on(0, 9), on(0, 9), on(0, 9)]);
    const texts = ['b', 'c', 'a'];
    const order = orderRanges(ranges, 1, (a, b) => (texts[a] ?? '').localeCompare(texts[b] ?? ''));
    expect([...order.rows]).to.deep.equal([2, 0, 1]);
  });

  it('of other threads are not among them', () => {
    expect(swept([{ thread: 1, start: 0, end: 99 }], 0, [{ start: 5, end: 6 }])).to.deep.equal([[]]);
  });
});
