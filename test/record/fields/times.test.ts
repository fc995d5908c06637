/** Times with picoseconds add up exactly, one by one and in groups of kernels. */
import { expect } from 'chai';
import fc from 'fast-check';
import { addTimes, durationOf } from '../../../src/record/fields/times.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { kernel } from '../../support/kernels.js';
import { propertyRuns } from '../../support/property-runs.js';

/** Durations as records have them. */
const durations = fc.array(
  fc.record({ dur: fc.integer({ min: 0, max: 5e9 }), ps: fc.option(fc.nat(999), { nil: undefined }) }),
  { minLength: 1, maxLength: 200 },
);
const recordOf = ({ dur, ps }: { readonly dur: number; readonly ps: number | undefined }) =>
  kernel({ dur, ...(ps === undefined ? {} : { ps: [7, ps] as const }) });
const picosecondsOf = ({ dur, ps = 0 }: { readonly dur: number; readonly ps: number | undefined }): bigint =>
  1000n * BigInt(dur) + BigInt(ps);
const many = { numRuns: propertyRuns(200) };

describe('times with picoseconds', () => {
  it('add up exactly, in any order', () => {
    fc.assert(
      fc.property(durations, (all) => {
        const exact = all.map(picosecondsOf).reduce((a, b) => a + b);
        const times = all.map((one) => durationOf(recordOf(one)) ?? NaN);
        for (const list of [times, times.toReversed(), times.toSorted((a, b) => a - b)])
          expect(list.reduce(addTimes, 0)).to.equal(Number(exact) / 1000);
      }),
      many,
    );
  });

  it('are those of groups: the total to the nearest ns, the mean with its picoseconds', () => {
    fc.assert(
      fc.property(durations, (all) => {
        const exact = Number(all.map(picosecondsOf).reduce((a, b) => a + b));
        const [row] = valuesOf(groupsOf(all.map(recordOf), { by: 'kernel', columns: 'count,total,mean,share' }));
        expect(row).to.deep.include({ count: all.length, total: Math.round(exact / 1000), mean: exact / 1000 / all.length }); // prettier-ignore
      }),
      many,
    );
  });

  it('are unknown where the duration is', () => {
    expect(durationOf(kernel({ dur: null, ps: [1, 2] }))).to.equal(null);
    expect(durationOf(kernel({ dur: NaN }))).to.equal(null);
    expect(durationOf(kernel({ dur: 5 }))).to.equal(5);
    expect(durationOf(kernel({ dur: 5, ps: [900, 250] }))).to.equal(5.25);
  });

  it('stay whole numbers where none has picoseconds, however long', () => {
    expect(addTimes(2 ** 52, 2 ** 51 + 1)).to.equal(2 ** 52 + 2 ** 51 + 1);
  });
});
