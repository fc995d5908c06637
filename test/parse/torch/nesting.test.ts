import { expect } from 'chai';
import fc from 'fast-check';
import { HostCalls, Ranges } from '../../../src/parse/trace/trace-columns.js';
import {
  MAX_OPEN_RANGES,
  MAX_SIMULTANEOUS_OPS,
  nest,
  nestEvents,
  OUTSIDE,
  type Nesting,
} from '../../../src/parse/torch/nesting.js';
import { HostEvents } from '../../../src/parse/torch/host-events.js';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { propertyRuns } from '../../support/property-runs.js';

interface Span {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
}

const THREADS = 3;
const byRow = (a: number, b: number): number => a - b;

function nested(
  ranges: readonly Span[],
  calls: readonly Span[],
  slack = 0,
  isFrame = (_row: number): boolean => false,
  callers?: readonly (number | null)[],
): Nesting & { readonly ends: readonly number[] } {
  const [rangeColumns, callColumns] = [new Ranges(), new HostCalls()];
  for (const [columns, spans] of [[rangeColumns, ranges] as const, [callColumns, calls] as const]) {
    for (const { thread, start, end } of spans) {
      columns.thread.push(thread);
      columns.start.push(start);
      columns.end.push(end);
    }
  }
  const stated = callers && {
    idOf: (frame: number): number => frame,
    callerOf: (called: number): number => callers[called] ?? NaN,
  };
  const facts = { compareTies: byRow, slack, isFrame, isRepeat: () => false, ...(stated && { callers: stated }) };
  const nesting = nest(rangeColumns, callColumns, THREADS, facts);
  return { ...nesting, ends: [...rangeColumns.end] };
}

const span = (start: number, end: number, thread = 0): Span => ({ start, end, thread });

type Step = readonly [does: 'open' | 'close' | 'call', gap: number];
const steps = fc.array(fc.tuple(fc.constantFrom<Step[0]>('open', 'open', 'close', 'close', 'call'), fc.nat()), {
  maxLength: 60,
});

/** A program that opens and closes ranges and makes calls: what it does, and where each stands by its own account. */
function run(
  thread: number,
  program: readonly Step[],
  gapOf: (gap: number) => number,
): { ranges: Span[]; parents: Span[]; calls: Span[]; around: Span[] } {
  const spans = { ranges: [] as Span[], parents: [] as Span[], calls: [] as Span[], around: [] as Span[] };
  const NOWHERE = span(-1, -1);
  const open: { start: number; end: number; thread: number }[] = [];
  let time = 1_000_000;
  const all = [...program, ...program.map((): Step => ['close', 5])];
  for (const [does, gap] of all) {
    time += gapOf(gap);
    if (does === 'open') {
      const range = { start: time, end: NaN, thread };
      spans.ranges.push(range);
      spans.parents.push(open.at(-1) ?? NOWHERE);
      open.push(range);
    } else if (does === 'close') {
      const range = open.pop();
      if (range !== undefined) range.end = time;
    } else {
      spans.calls.push(span(time, time + gapOf(gap), thread));
      spans.around.push(open.at(-1) ?? NOWHERE);
      time += gapOf(gap);
    }
  }
  return spans;
}

/** Checks that nesting finds what the programs of all threads did, with rows in another order and times changed. */
function check(programs: readonly (readonly Step[])[], seed: number, gapOf: (gap: number) => number, round: (one: Span) => Span, slack: number): void {
  const spans = programs.map((program, thread) => run(thread, program, gapOf));
  const order = <T>(list: readonly T[]): T[] =>
    list.map((item, i) => [Math.imul(i + seed, 2654435761) >>> 0, item] as const).sort(([a], [b]) => a - b).map(([, item]) => item);
  const ranges = order(spans.flatMap((one) => one.ranges.map((range, i) => [range, one.parents[i]] as const)));
  const calls = order(spans.flatMap((one) => one.calls.map((call, i) => [call, one.around[i]] as const)));
  const { parent, innermost } = nested(ranges.map(([range]) => round(range)), calls.map(([call]) => round(call)), slack);
  const rowOf = new Map(ranges.map(([range], row) => [range, row]));
  expect([...parent]).to.deep.equal(ranges.map(([, around]) => (around === undefined ? OUTSIDE : (rowOf.get(around) ?? OUTSIDE))));
  expect([...innermost]).to.deep.equal(calls.map(([, around]) => (around === undefined ? OUTSIDE : (rowOf.get(around) ?? OUTSIDE))));
} // prettier-ignore

const microseconds = (ns: number): number => Math.floor(ns / 1000) * 1000;

describe('Kineto: how events nest', () => {
  it('follows the program, on any threads and in any order of rows', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: THREADS }), fc.nat(), (programs, seed) => {
        check(
          programs,
          seed,
          (gap) => 1 + (gap % 50),
          (one) => one,
          0,
        );
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it('is the same where times are whole microseconds, as long as events are not shorter', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: THREADS }), fc.nat(), (programs, seed) => {
        const rounded = ({ start, end, thread }: Span): Span =>
          span(microseconds(start), microseconds(start) + microseconds(end - start), thread);
        check(programs, seed, (gap) => 2000 + (gap % 5000), rounded, 1000);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it('a range that rounding lets end after its parent is inside, one that ends later is not', () => {
    expect([...nested([span(0, 5000), span(1000, 6000)], [], 1000).parent]).to.deep.equal([OUTSIDE, 0]);
    expect([...nested([span(0, 5000), span(1000, 7000)], [], 1000).parent]).to.deep.equal([OUTSIDE, OUTSIDE]);
    expect([...nested([span(0, 5000), span(1000, 6000)], [], 0).parent]).to.deep.equal([OUTSIDE, OUTSIDE]);
  });

  it('a frame whose return was missed ends with its caller, and changes nothing of the frames around it', () => {
    const program = fc.array(fc.tuple(fc.constantFrom<Step[0]>('open', 'close', 'call'), fc.nat()), { maxLength: 60 });
    fc.assert(
      fc.property(program, fc.func(fc.boolean()), fc.boolean(), (steps, missed, isRecorded) => {
        const { ranges, parents, calls, around } = run(0, steps, (gap) => 1 + (gap % 50));
        const stop = Math.max(...ranges.map(({ end }) => end), 0);
        const isMissed = ranges.map((_, row) => missed(row));
        const written = ranges.map(({ start, end }, row) => span(start, isMissed[row] === true ? stop : end));
        const callers = parents.map((one) => ranges.indexOf(one));
        const { parent, innermost } = nested(written, calls, 0, () => true, isRecorded ? callers : undefined);
        const known = (row: number): number => {
          while (isMissed[row] === true) row = parent[row] ?? OUTSIDE;
          return row;
        };
        const right = (range: Span | undefined): number => {
          let row = range === undefined ? OUTSIDE : ranges.indexOf(range);
          while (isMissed[row] === true) row = ranges.indexOf(parents[row] ?? span(-1, -1));
          return row;
        };
        expect([...parent].map(known)).to.deep.equal(parents.map(right));
        expect([...innermost].map(known)).to.deep.equal(around.map(right));
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it('of frames alone: an op may end after the frame around it', () => {
    const isFrame = (row: number): boolean => row < 2;
    // main [0, 10] calls f [1, 20], whose return was missed; the op [2, 20] is outside of both.
    const { parent, cut } = nested([span(0, 10), span(1, 20), span(2, 20)], [], 0, isFrame);
    expect([...parent, cut]).to.deep.equal([OUTSIDE, 0, OUTSIDE, 1]);
  });

  describe('of frames whose callers are recorded', () => {
    const main = span(0, 100);
    const nestedFrames = (ranges: readonly Span[], callers?: readonly (number | null)[]): unknown[] => {
      const { parent, ends, cut } = nested(ranges, [], 0, () => true, callers);
      return [[...parent], ends, cut];
    };

    it('one whose return was missed ends where its caller calls the next', () => {
      // main calls f [10, 120], whose return was missed, and g [30, 40] and h [50, 60] after it.
      const ranges = [main, span(10, 120), span(30, 40), span(50, 60)];
      expect(nestedFrames(ranges, [null, 0, 0, 0])).to.deep.equal([[OUTSIDE, 0, 0, 0], [100, 30, 40, 60], 1]);
      // What f calls does not end it; without callers its own caller does.
      expect(nestedFrames(ranges, [null, 0, 1, 0])).to.deep.equal([[OUTSIDE, 0, 1, 0], [100, 50, 40, 60], 1]);
      expect(nestedFrames(ranges)).to.deep.equal([[OUTSIDE, 0, 1, 1], [100, 100, 40, 60], 1]);
    });

    it('of two that cross, the earlier has a wrong end where both have one caller', () => {
      const ranges = [main, span(10, 50), span(40, 60)];
      expect(nestedFrames(ranges, [null, 0, 0])).to.deep.equal([[OUTSIDE, 0, 0], [100, 40, 60], 1]);
      expect(nestedFrames(ranges, [null, 0, 1])).to.deep.equal([[OUTSIDE, 0, 1], [100, 50, 50], 1]);
    });

    it('one that none of the open frames called, as of another greenlet, ends as recorded', () => {
      const ranges = [span(0, 40), span(20, 60), span(50, 55)];
      for (const caller of [null, 9])
        expect(nestedFrames(ranges, [null, caller, 1])).to.deep.equal([[OUTSIDE, OUTSIDE, 1], [40, 60, 55], 0]);
      // Called by the first, or where no callers are recorded, it ends with that.
      expect(nestedFrames(ranges, [null, 0, 1])).to.deep.equal([[OUTSIDE, 0, OUTSIDE], [40, 40, 55], 1]);
      expect(nestedFrames(ranges)).to.deep.equal([[OUTSIDE, 0, OUTSIDE], [40, 40, 55], 1]);
    });

    it('callers decide nothing where times nest, nor where the caller is of another thread', () => {
      // The profiler left out that 2 was called by 1.
      expect(nestedFrames([main, span(10, 50), span(20, 40)], [null, 0, 0])).to.deep.equal([[OUTSIDE, 0, 1], [100, 50, 40], 0]); // prettier-ignore
      // 2 is of another thread than its caller 1, and outlives it.
      expect(nestedFrames([main, span(10, 50), span(20, 90, 1)], [null, 0, 1])).to.deep.equal([[OUTSIDE, 0, OUTSIDE], [100, 50, 90], 0]); // prettier-ignore
    });
  });

  it('a range that starts where another ends is its sibling', () => {
    expect([...nested([span(0, 5), span(5, 9), span(0, 9)], []).parent]).to.deep.equal([2, 2, OUTSIDE]);
  });

  it('of ranges of the same times the order given decides, whichever row comes first', () => {
    expect([...nested([span(0, 5), span(0, 5), span(0, 5)], [span(1, 2)]).parent]).to.deep.equal([OUTSIDE, 0, 1]);
    expect([...nested([span(0, 5), span(0, 5), span(0, 5)], [span(1, 2)]).innermost]).to.deep.equal([2]);
  });

  it('a call that outlasts the innermost range belongs to the next one that does not', () => {
    expect([...nested([span(0, 20), span(0, 10)], [span(5, 15)]).innermost]).to.deep.equal([0]);
    expect([...nested([span(0, 20), span(0, 10)], [span(5, 25)]).innermost]).to.deep.equal([OUTSIDE]);
  });

  it('keeps threads apart', () => {
    const { parent, innermost } = nested([span(0, 9), span(1, 5, 1)], [span(2, 3), span(2, 3, 1), span(2, 3, 2)]);
    expect([...parent]).to.deep.equal([OUTSIDE, OUTSIDE]);
    expect([...innermost]).to.deep.equal([0, 1, OUTSIDE]);
  });

  it('ranges that overlap in a long chain are each known as long as they last', () => {
    // Each begins before the one before it ends; launches stand where only one is open.
    const chain = Array.from({ length: 3 * MAX_OPEN_RANGES }, (_, i) => span(10 * i, 10 * i + 12));
    const calls = chain.map(({ start }) => span(start + 5, start + 6));
    const { parent, innermost, unnested } = nested(chain, calls);
    expect(new Set(parent)).to.deep.equal(new Set([OUTSIDE]));
    expect([...innermost]).to.deep.equal(chain.map((_, i) => i));
    expect(unnested).to.equal(0);
  });

  it('ranges that never end nest up to a limit; what is inside belongs to the deepest', () => {
    const deep = Array.from({ length: MAX_OPEN_RANGES + 3 }, (_, i) => span(i, 1_000_000));
    const { parent, innermost, unnested } = nested(deep, [span(500_000, 500_001)]);
    expect([...parent]).to.deep.equal([OUTSIDE, ...deep.slice(1).map((_, i) => Math.min(i, MAX_OPEN_RANGES - 1))]);
    expect([...innermost]).to.deep.equal([MAX_OPEN_RANGES - 1]);
    expect(unnested).to.equal(3);
  });

  it('more ops at one instant than can nest are siblings without children', () => {
    const ops = Array.from({ length: MAX_SIMULTANEOUS_OPS + 1 }, (_, i) => span(5, 100 - (i % 7)));
    const around = span(0, 200);
    const found = nested([around, ...ops], [span(5, 6)]);
    expect(found.unnested).to.equal(ops.length);
    expect([...found.parent]).to.deep.equal([OUTSIDE, ...ops.map(() => 0)]);
    expect([...found.innermost]).to.deep.equal([0]);
    // One less is a chain.
    const chain = nested([around, ...ops.slice(1)], [span(5, 6)]);
    expect([chain.unnested, new Set(chain.parent).size]).to.deep.equal([0, ops.length]);
  });

  it('frames that are open when a profile begins all begin there, and nest', () => {
    const frames = Array.from({ length: 3 * MAX_SIMULTANEOUS_OPS }, (_, i) => span(0, 1000 - i));
    const found = nested(frames, [span(5, 6)], 0, () => true);
    expect([...found.parent]).to.deep.equal(frames.map((_, i) => i - 1));
    expect([found.unnested, [...found.innermost]]).to.deep.equal([0, [frames.length - 1]]);
  });
});

describe('host events of the same times', () => {
  it('are outside in an annotation, inside it in an op, of ops in the one with the lower id', () => {
    const names = ['annotation', 'op'];
    const events = new HostEvents({ text: (name) => names[name] ?? '', readArguments: () => null, readExtents: () => null });
    const add = (id: number): void => {
      events.addOp(0, 10, 0, { name: 1, externalId: id });
    };
    add(8);
    events.add('annotation', 0, 10, 0, 0);
    add(7);
    const { parent } = nestEvents(events, new HostCalls(), 1, 0, new Diagnostics());
    expect([...parent]).to.deep.equal([2, OUTSIDE, 1]);
  }); // prettier-ignore
});
