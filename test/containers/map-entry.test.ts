import { expect } from 'chai';
import { groupsOf, largestEntry } from '../../src/containers/map-entry.js';

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

describe('groups of values', () => {
  it('have the values of each key in their order, and keys in the order in which they come first', () => {
    expect([...groupsOf([3, 2, 1, 5], (value) => value % 2)]).to.deep.equal([
      [1, [3, 1, 5]],
      [0, [2]],
    ]);
  });
});
