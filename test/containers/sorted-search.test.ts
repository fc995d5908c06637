import { expect } from 'chai';
import fc from 'fast-check';
import { elementAt } from '../../src/containers/element.js';
import { countBelow, countUpTo } from '../../src/containers/row-order.js';
import { propertyRuns } from '../support/property-runs.js';

describe('searching sorted values', () => {
  it('counts as a filter does', () => {
    const numbers = fc.array(fc.integer({ min: -5, max: 5 })).map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(numbers, fc.integer({ min: -6, max: 6 }), (values, limit) => {
        const valueAt = (index: number): number => elementAt(values, index);
        const { length } = values;
        expect(countBelow(length, valueAt, limit)).to.equal(values.filter((value) => value < limit).length);
        expect(countUpTo(length, valueAt, limit)).to.equal(values.filter((value) => value <= limit).length);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
