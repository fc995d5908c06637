import { expect } from 'chai';
import fc from 'fast-check';
import { allMerged, coarser, countedOf, merged, type CountedValues } from '../../src/containers/counted-values.js';
import { propertyRuns } from '../support/property-runs.js';

const listOf = ({ values, counts }: CountedValues): number[] =>
  [...values].flatMap((value, i) => new Array<number>(counts[i] ?? 0).fill(value));
const run = (list: readonly number[]): CountedValues => countedOf(Float64Array.from(list));
const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
const durations = fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 60 });
const many = { numRuns: propertyRuns(200) };

describe('counted values', () => {
  it('stand for the sorted list of all that was merged, in any order', () => {
    fc.assert(
      fc.property(fc.array(durations, { maxLength: 6 }), (lists) => {
        const sorted = lists.flat().sort((a, b) => a - b);
        expect(listOf(allMerged(lists.map(run)))).to.deep.equal(sorted);
        expect(listOf(lists.map(run).reduce((all, one) => merged(one, all), run([])))).to.deep.equal(sorted);
      }),
      many,
    );
  });

  it('have each value once', () => {
    expect(merged(run([3, 1, 3]), run([3, 2]))).to.deep.equal({
      values: Float64Array.of(1, 2, 3),
      counts: Uint32Array.of(1, 1, 3),
    });
  });

  it('made coarser keep number, sum, least and greatest, and move no value by more than a 64th', () => {
    fc.assert(
      fc.property(durations, (list) => {
        const [before, after] = [[...list].sort((a, b) => a - b), listOf(coarser(run(list)))];
        expect(after.length).to.equal(before.length);
        expect(sum(after)).to.equal(sum(before));
        expect([after[0], after.at(-1)]).to.deep.equal([before[0], before.at(-1)]);
        before.forEach((value, i) =>
          expect(Math.abs((after[i] ?? NaN) - value)).to.be.at.most(Math.max(1, value / 64)),
        );
      }),
      many,
    );
  });

  it('are the same whether made coarser before or after merging', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 5 }), (lists) => {
        const once = coarser(run(lists.flat()));
        const early = lists.map((list) => coarser(run(list))).reduce((all, one) => coarser(merged(all, one)));
        expect(listOf(early)).to.deep.equal(listOf(once));
      }),
      many,
    );
  });
});
