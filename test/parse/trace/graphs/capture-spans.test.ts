import { expect } from 'chai';
import fc from 'fast-check';
import { ENGINE, kernel, launch, read, runtime, type EventText } from '../../../support/kineto-trace.js';
import type { ProfileRecord } from '../../../../src/record/record.js';
import { OpenCaptures, type CaptureSpan } from '../../../../src/parse/trace/graphs/graph-launches.js';

/** Captures of threads 0 to 3, the threads of one process two each; those of a thread nested, some without an end. */
const captures = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { maxLength: 30 }).map((calls) => {
  const spans: (CaptureSpan & { end: number })[] = [];
  for (const [time, [thread, begins]] of calls.entries()) {
    const open = spans.findLast((span) => span.thread === thread && span.end === Infinity);
    if (begins || open === undefined) spans.push({ thread, start: time, end: Infinity });
    else open.end = time;
  }
  return spans;
});

const processOf = (thread: number): number => thread >> 1;

describe('the capture that a launch belongs to', () => {
  it('is the last of its thread that is open, else of its process', () => {
    fc.assert(
      fc.property(captures, fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 31 }))), (spans, launches) => {
        const open = new OpenCaptures(spans, processOf);
        for (const [thread, at] of launches.toSorted(([, a], [, b]) => a - b)) {
          const around = spans.filter(({ start, end }) => start <= at && at <= end);
          const expected =
            around.findLast((span) => span.thread === thread) ??
            around.findLast((span) => processOf(span.thread) === processOf(thread)) ??
            null;
          expect(open.around(thread, at)).to.equal(expected);
        }
      }),
    ); // prettier-ignore
  });

  it('takes no longer where captures do not end', () => {
    // In quadratic time it would not end before the tests give up.
    const count = 1_000_000;
    const spans = Array.from({ length: count }, (_, start) => ({ thread: 0, start, end: Infinity }));
    const open = new OpenCaptures(spans, processOf);
    const found = spans.filter((span, at) => open.around(0, at) === span);
    expect(found.length).to.equal(count);
  });
});

describe('the time of captures in a profile', () => {
  const headerOf = (...events: readonly EventText[]): ProfileRecord => {
    const [first] = read(events);
    if (first?.type !== 'profile') throw new Error('no header');
    return first;
  };
  const factsOf = (...events: readonly EventText[]): unknown => headerOf(...events).facts;
  const work = [launch(1, 0), kernel('eager', 1, 20)];
  const captured = (corr: number, from: number, to: number | null, tid?: number) => [
    runtime('hipStreamBeginCapture', corr, from, from + 2, tid),
    ...(to === null ? [] : [runtime('hipStreamEndCapture', corr + 1, to - 2, to, tid)]),
  ];

  it('is a fact of it: the union over threads, to the end of the profile where one does not end', () => {
    expect(factsOf(...work, ...captured(2, 40, 60))).to.deep.equal({ graph_capture_ns: 20_000 });
    const both = [...captured(2, 40, 60), ...captured(4, 50, 70, ENGINE), ...captured(6, 90, 95)];
    expect(factsOf(...work, ...both)).to.deep.equal({ graph_capture_ns: 35_000 });
    const open = headerOf(...work, ...captured(2, 40, null), launch(9, 100));
    expect(open.facts).to.deep.equal({ graph_capture_ns: (open.dur ?? NaN) - 40_000 });
  });

  it('is none where nothing was captured', () => {
    expect(factsOf(...work)).to.equal(undefined);
  });
});
