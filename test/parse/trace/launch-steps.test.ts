import { expect } from 'chai';
import fc from 'fast-check';
import { LaunchSteps, type StepRange } from '../../../src/parse/trace/launch-steps.js';
import { ThreadTable } from '../../../src/parse/trace/threads.js';
import { propertyRuns } from '../../support/property-runs.js';

const threads = new ThreadTable();
threads.process(NaN, NaN);
const MAIN = threads.threadOf(10, 100);

/** Step of a thread by its text; its number is that in the text. Times in ns. */
function range(text: string, start: number, end: number, thread = MAIN): StepRange {
  const number = /\d+/.exec(text)?.[0];
  return { start, end, thread, number: number === undefined ? null : Number(number), text };
}

const steps = (...ranges: readonly StepRange[]): unknown[] =>
  new LaunchSteps(ranges, threads).all.map(({ text, start, end }) => [text, start, end]);

describe('steps of a thread', () => {
  it('are all there however little each begins before the last has ended, which ends there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ dur: fc.integer({ min: 100_000, max: 1e9 }), gap: fc.integer({ min: -50_000, max: 50_000 }) })),
        (list) => {
          let time = 1_000_000;
          const ranges = list.map(({ dur, gap }, index) => {
            const start = Math.max(0, time + gap);
            time = start + dur;
            return range(`ProfilerStep#${index}`, start, time);
          });
          const ends = ranges.map(({ end }, index) => Math.min(end, ranges[index + 1]?.start ?? Infinity));
          expect(steps(...ranges)).to.deep.equal(ranges.map(({ text, start }, index) => [text, start, ends[index]]));
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  }); // prettier-ignore

  it('of another name follow where they are not mostly inside the last', () => {
    const train = range('train_step', 0, 100_000);
    expect(steps(train, range('iter', 99_000, 200_000))).to.deep.equal([
      ['train_step', 0, 99_000],
      ['iter', 99_000, 200_000],
    ]);
  });

  it('go on through ranges of another name that lie across their borders', () => {
    const profiler = [0, 1, 2].map((n) => range(`ProfilerStep#${n}`, n * 500_000, (n + 1) * 500_000));
    const own = [0, 1].map((n) => range('train_step', n * 500_000 + 300_000, n * 500_000 + 800_000));
    const all = profiler.map(({ text, start, end }) => [text, start, end]);
    expect(steps(...profiler, ...own)).to.deep.equal(all);
    expect(steps(...profiler, range('train_step', 450_000, 800_000))).to.deep.equal(all);
  });

  it("that a program marks within the profiler's are none, whichever ends first", () => {
    const profiler = [range('ProfilerStep#3', 0, 100_000), range('ProfilerStep#4', 100_000, 200_000)];
    const marked = [range('step 3', 5000, 103_000), range('step 4', 105_000, 203_000)];
    const inner = range('step 7', 50_000, 101_000);
    expect(steps(...marked, ...profiler)).to.deep.equal(profiler.map(({ text, start, end }) => [text, start, end]));
    expect(steps(...profiler, inner)).to.deep.equal(profiler.map(({ text, start, end }) => [text, start, end]));
  });

  it('inside another by less than its times are rounded by are none', () => {
    expect(steps(range('step 3', 0, 100_000), range('step 4', 60_000, 101_000))).to.deep.equal([
      ['step 3', 0, 100_000],
    ]);
  });

  it('that the program did not end go on to the next of their series', () => {
    expect(steps(range('step 1', 0, Infinity), range('step 2', 100, 200))).to.deep.equal([
      ['step 1', 0, 100],
      ['step 2', 100, 200],
    ]);
  });

  it('of no length were not ended', () => {
    const [first, last] = [range('ProfilerStep#1', 0, 500), range('ProfilerStep#3', 1500, 1500)];
    expect(steps(first, range('ProfilerStep#2', 1000, 1000), last)).to.deep.equal([
      ['ProfilerStep#1', 0, 500],
      ['ProfilerStep#2', 1000, 1500],
      ['ProfilerStep#3', 1500, Infinity],
    ]);
  });

  it('are each found at their times', () => {
    const found = new LaunchSteps([range('step 3', 0, 100_050), range('step 4', 100_000, 200_000)], threads);
    expect([99_999, 100_000, 100_050].map((time) => found.at(MAIN, null, time))).to.deep.equal([3, 4, 4]);
  });
});
