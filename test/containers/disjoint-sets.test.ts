import { expect } from 'chai';
import fc from 'fast-check';
import { DisjointSets } from '../../src/containers/disjoint-sets.js';

/** Of each number the lowest that joined lists lead to, by repeated search. */
function reached(count: number, joined: readonly (readonly number[])[]): number[] {
  const lowest = Array.from({ length: count }, (_, index) => index);
  for (let changes = true; changes;) {
    changes = false;
    for (const list of joined) {
      const least = Math.min(...list.map((index) => lowest[index] ?? Infinity));
      for (const index of list) {
        changes ||= lowest[index] !== least;
        lowest[index] = least;
      }
    }
  }
  return lowest;
}

describe('disjoint sets', () => {
  it('name each set by its lowest number, in whatever order they were joined', () => {
    const count = 30;
    const list = fc.array(fc.nat(count - 1), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 20 }), (joined) => {
        const sets = new DisjointSets(count);
        for (const numbers of joined) sets.join(numbers);
        expect(sets.all).to.deep.equal(reached(count, joined));
      }),
    );
  });

  it('are the numbers themselves at first', () => {
    expect(new DisjointSets(3).all).to.deep.equal([0, 1, 2]);
    expect(new DisjointSets(0).all).to.deep.equal([]);
  });
});
