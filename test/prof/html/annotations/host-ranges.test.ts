import { expect } from 'chai';
import fc from 'fast-check';
import type { RangeRecord } from '../../../../src/record/record.js';
import { ANY_THREAD, HostRanges } from '../../../../src/prof/html/annotations/host-ranges.js';
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

/** What is asked of ranges that were taken in order of start, found by looking at all of them. */
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

  it('keep the later ones of each text where there are more than a bound', () => {
    const ranges = new HostRanges(8);
    for (let i = 0; i < 20; i++) ranges.take(recordOf({ start: 10 * i, dur: 5, text: i < 18 ? 'a' : 'b' }));
    expect(ranges.around(0, 0, 'a', 2)).to.be.null;
    expect(ranges.around(0, 0, 'a', 172)).to.equal(17);
    expect(ranges.around(0, 0, 'b', 192)).to.equal(19);
  });

  it('of the first 200,000 texts are known, each of them under its thread and under any', () => {
    const ranges = new HostRanges();
    for (let i = 0; i <= 100_000; i++) ranges.take(recordOf({ start: 10 * i, dur: 5, text: `text ${i}` }));
    ranges.take(recordOf({ start: 2e6, dur: 5, text: 'text 99999' }));
    expect(ranges.around(0, 0, 'text 99999', 999_991)).to.equal(99_999);
    expect(ranges.around(0, 0, 'text 100000', 1_000_001)).to.be.null;
    expect(ranges.around(0, ANY_THREAD, 'text 99999', 2e6)).to.equal(100_001);
  });
});
