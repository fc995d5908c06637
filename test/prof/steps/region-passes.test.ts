import { expect } from 'chai';
import { RegionPasses, type Pass } from '../../../src/prof/steps/regions.js';
import type { RangeRecord } from '../../../src/record/record.js';

const THREAD = { profile: 0, pid: 1, tid: 1 } as const;
const range = (start: number, dur: number): RangeRecord => ({
  ...{ ...THREAD, type: 'range', kind: 'annotation', start, dur, domain: null, text: '' },
});

describe('passes of regions', () => {
  it('are those open at a time, innermost first, also where ranges overlap', () => {
    const passes = new RegionPasses();
    passes.add('a', range(0, 10));
    passes.add('b', range(5, 10));
    passes.add('c', range(12, 8));
    const at = (time: number): string => passes.around(THREAD, time).map(({ region }) => region).join(''); // prettier-ignore
    // a until 10, b from 5 to 15, c from 12 to 20.
    expect([4, 7, 11, 13, 17, 21].map(at)).to.deep.equal(['a', 'ba', 'b', 'cb', 'c', '']);
  });

  it('are no part of an ended pass of the same name', () => {
    const passes = new RegionPasses();
    passes.add('a', range(0, 10));
    passes.add('b', range(5, 10));
    expect(passes.add('a', range(12, 2))).to.include({ region: 'a', number: 1 });
    expect(passes.add('b', range(13, 1))).to.equal(null);
  });

  it('hold only those that are open, however many overlapped before', () => {
    const passes = new RegionPasses();
    let last: Pass | null = null;
    for (let i = 0; i < 1000; i++) last = passes.add(`r${i}`, range(10 * i, 15));
    // The one before began at 9980 and lasts until 9995; the last began at 9990.
    expect(last?.outer?.pass).to.include({ region: 'r998', start: 9980, end: 9995 });
    expect(last?.outer?.outer).to.equal(null);
  });
});
