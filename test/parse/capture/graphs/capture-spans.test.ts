import { expect } from 'chai';
import fc from 'fast-check';
import { OpenCaptures, type CaptureSpan } from '../../../../src/parse/capture/graphs/capture-spans.js';

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
    const count = 200_000;
    const spans = Array.from({ length: count }, (_, start) => ({ thread: 0, start, end: Infinity }));
    const open = new OpenCaptures(spans, processOf);
    const found = spans.filter((span, at) => open.around(0, at) === span);
    expect(found.length).to.equal(count);
  }).timeout(2000);
});
