import { expect } from 'chai';
import { largestEntry } from '../../src/containers/map-entry.js';

describe('the largest entry of a map', () => {
  it('is the first of equal ones, and there is none of an empty map', () => {
    const map = new Map([
      ['a', 1],
      ['b', 3],
      ['c', 3],
    ]);
    expect(largestEntry(map)).to.deep.equal(['b', 3]);
    expect(largestEntry(new Map())).to.equal(null);
  });

  it('may be 0 or less', () => {
    expect(largestEntry(new Map([['a', -2]]))).to.deep.equal(['a', -2]);
  });
});
