import { expect } from 'chai';
import { CounterSums } from '../../../src/parse/amd/counter-sums.js';

describe('CounterSums', () => {
  it('adds up parts of amounts, and averages those of percentages, by dispatch', () => {
    const sums = new CounterSums();
    for (const value of [3, 4, 5]) sums.add(7, 'waves', value);
    for (const value of [50, 80, 20]) sums.add(7, 'busy', value, true);
    sums.add(8, 'waves', 1);
    expect(sums.of(7)).to.deep.equal({ busy: 50, waves: 12 });
    expect(sums.of(8)).to.deep.equal({ waves: 1 });
    expect(sums.of(9)).to.equal(undefined);
  });
});
