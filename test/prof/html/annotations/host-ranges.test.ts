import { expect } from 'chai';
import fc from 'fast-check';
import type { RangeRecord } from '../../../../src/record/record.js';
import { ANY_THREAD, HostRanges } from '../../../../src/prof/html/annotations/annotation-times.js';
import { propertyRuns } from '../../../support/property-runs.js';

const id = fc.constantFrom(null, 0, 1);
const range = fc.record({
  ...{ pid: id, tid: id, text: fc.constantFrom('a', 'b', 'layer:a'), domain: fc.constantFrom(null, 'd') },
  ...{ start: fc.nat({ max: 40 }), dur: fc.nat({ max: 10 }) },
});
const recordOf = (fields: Partial<RangeRecord>): RangeRecord => ({
  ...{ type: 'range', profile: 0, start: 0, dur: 1, pid: 0, tid: 0, domain: null, text: 'a' },
  ...fields,
});

/** What is asked of ranges that were taken in order of start time, found by looking at all of them. */
function latest(ranges: readonly RangeRecord[], pid: number | null, tid: unknown, text: string, time: number) {
  const kept: { start: number; end: number; number: number }[] = [];
  for (const [number, one] of ranges.entries()) {
    const of = one.domain === null ? one.text.replace('layer:', '') : `${one.domain}:${one.text}`;
    if (one.pid !== pid || (tid !== ANY_THREAD && one.tid !== tid) || of !== text) continue;
    // A range within another of the same text is part of it.
    if (one.start >= (kept.at(-1)?.end ?? -Infinity)) kept.push({ start: one.start, end: one.start + one.dur, number });
  }
  return kept.findLast(({ start }) => start <= time) ?? null;
}

describe('ranges of the host', () => {
  it('are found by process, thread and text: the one around a time, and the latest that began before it', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 60, size: 'max' }), fc.nat({ max: 60 }), (fields, time) => {
        const records = fields.map(recordOf).sort((a, b) => a.start - b.start);
        const ranges = new HostRanges();
        for (const record of records) ranges.take(record);
        for (const text of ['a', 'b', 'd:a', 'd:layer:a', 'c']) {
          for (const pid of [null, 0, 1]) {
            for (const tid of [null, 0, 1, ANY_THREAD] as const) {
              const found = latest(records, pid, tid, text, time);
              const around = found !== null && time <= found.end ? found.number : null;
              expect(ranges.around(pid, tid, text, time)).to.equal(around);
            }
            expect(ranges.before(pid, text, time)).to.equal(
              latest(records, pid, ANY_THREAD, text, time)?.number ?? null,
            );
          }
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('keep the later ones of each text where there are more than a bound, and then have room again', () => {
    const ranges = new HostRanges(8, 3);
    const take = (times: number, fields: (i: number) => Partial<RangeRecord>): void => {
      for (let i = 0; i < times; i++) ranges.take(recordOf({ dur: 5, ...fields(i) }));
    };
    take(4, (i) => ({ start: 10 * i, text: 'a' }));
    take(1, () => ({ start: 40, tid: 1, text: 'a' }));
    expect(ranges.around(0, 0, 'a', 32)).to.equal(3);
    expect(ranges.around(0, 0, 'a', 2)).to.be.null;
    // Thread 1 lost its only range, so that another string has room; nothing is dropped before the bound is reached again.
    expect(ranges.around(0, 1, 'a', 42)).to.be.null;
    take(1, () => ({ start: 50, text: 'b' }));
    expect(ranges.around(0, 0, 'b', 52)).to.equal(5);
    expect(ranges.around(0, 0, 'a', 32)).to.equal(3);
    take(1, () => ({ start: 55, text: 'c' }));
    expect(ranges.around(0, 0, 'c', 56)).to.be.null;
    take(2, (i) => ({ start: 60 + 10 * i, text: 'a' }));
    expect([ranges.around(0, 0, 'a', 32), ranges.around(0, 0, 'a', 62)]).to.deep.equal([null, 7]);
  });

  it('have texts up to a bound, each of them under its thread and under any', () => {
    const ranges = new HostRanges(100, 4);
    for (const [i, text] of ['a', 'b', 'c', 'b'].entries()) ranges.take(recordOf({ start: 10 * i, dur: 5, text }));
    expect(ranges.around(0, 0, 'b', 12)).to.equal(1);
    expect([ranges.around(0, 0, 'c', 22), ranges.around(0, ANY_THREAD, 'c', 22)]).to.deep.equal([null, null]);
    expect(ranges.around(0, ANY_THREAD, 'b', 32)).to.equal(3);
  });

  it('without a time are left out', () => {
    const ranges = new HostRanges();
    for (const fields of [{ start: NaN }, { dur: NaN }, { dur: -1 }]) ranges.take(recordOf({ start: 1, ...fields }));
    expect(ranges.before(0, 'a', 100)).to.be.null;
  });
});
