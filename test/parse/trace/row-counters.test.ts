import { expect } from 'chai';
import { RowCounters } from '../../../src/parse/trace/work-details.js';

describe('RowCounters', () => {
  it('returns the counters of each row, whatever others have', () => {
    const counters = new RowCounters();
    const given = [{ a: 1, b: 2 }, null, { b: 3 }, { a: 4, b: 5 }, {}];
    for (const each of given) counters.push(each);
    expect(given.map((_, row) => counters.of(row))).to.deep.equal(given);
    expect(counters.of(given.length)).to.equal(null);
  });
});
