import { expect } from 'chai';
import fc from 'fast-check';
import { chanceOf, stepPlaces } from '../../../src/prof/ranks/stragglers/rank-sum-test.js';
import { propertyRuns } from '../../support/property-runs.js';

const slowerThanChance = (times: readonly (readonly number[])[]): (number | null)[] =>
  stepPlaces(times).map(({ places, sizes }) => (sizes.length === 0 ? null : chanceOf(places, sizes)));

/** P(sum of places ≥ that of a row) by counting all orders of all steps. */
function counted(rows: number, steps: number, sum: number): number {
  let [all, high] = [0, 0];
  for (let code = 0; code < rows ** steps; code++) {
    let [rest, total] = [code, 0];
    for (let step = 0; step < steps; step++) {
      total += rest % rows;
      rest = Math.floor(rest / rows);
    }
    all++;
    if (total >= sum) high++;
  }
  return high / all;
}

describe('the test of ranks that are slower than chance', () => {
  it('is exact: as by counting all orders', () => {
    const times = fc.integer({ min: 2, max: 4 }).chain((rows) =>
      fc.integer({ min: 1, max: 5 }).chain((steps) =>
        fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: rows, maxLength: rows }), {
          minLength: steps,
          maxLength: steps,
        }),
      ),
    );
    fc.assert(
      fc.property(times, (bySteps) => {
        const rows = bySteps[0]?.length ?? 0;
        const byRow = Array.from({ length: rows }, (_, row) => bySteps.map((step) => step[row] ?? NaN));
        for (const [row, p] of slowerThanChance(byRow).entries()) {
          const sum = bySteps.reduce((all, step) => all + step.filter((other) => other < (step[row] ?? NaN)).length, 0);
          expect(p).to.be.closeTo(counted(rows, bySteps.length, sum), 1e-12);
        }
      }),
      { numRuns: propertyRuns(100), seed: 1 },
    );
  });

  it('says nothing of one rank, and of ranks without steps', () => {
    expect(slowerThanChance([[1, 2, 3]])).to.deep.equal([null]);
    expect(slowerThanChance([[], []])).to.deep.equal([null, null]);
  });

  it('compares each rank in the steps that it shares with others, however many these are', () => {
    // The third is last of three, then of two; the first is first of three, and last of two.
    const places = stepPlaces([
      [1, 5, NaN],
      [2, NaN, NaN],
      [3, NaN, 9],
      [NaN, 4, 8],
    ]);
    expect(places.map((row) => [row.columns, row.places, row.sizes])).to.deep.equal([
      [
        [0, 1],
        [0, 1],
        [3, 2],
      ],
      [[0], [1], [3]],
      [
        [0, 2],
        [2, 1],
        [3, 2],
      ],
      [
        [1, 2],
        [0, 0],
        [2, 2],
      ],
    ]);
    // One of the six pairs of places is as high as that of the third.
    expect(chanceOf([2, 1], [3, 2])).to.be.closeTo(1 / 6, 1e-12);
    // (0, 1), (1, 0), (1, 1), (2, 0), (2, 1): all but (0, 0).
    expect(chanceOf([0, 1], [3, 2])).to.be.closeTo(5 / 6, 1e-12);
  });

  it('finds no rank slower where all are equal', () => {
    const ps = slowerThanChance(Array.from({ length: 8 }, () => [5, 5, 5, 5, 5]));
    for (const p of ps) expect(p).to.be.above(0.4);
  });
});
