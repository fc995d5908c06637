import { expect } from 'chai';
import fc from 'fast-check';
import { countedOf } from '../../../src/containers/counted-values.js';
import { GroupRuns, spreadOfRuns } from '../../../src/prof/by/group-runs.js';
import { spreadOf } from '../../../src/record/statistics.js';
import { propertyRuns } from '../../support/property-runs.js';

const many = { numRuns: propertyRuns(100) };
const duration = fc.integer({ min: 0, max: 5000 });

describe('durations of groups as runs', () => {
  it('have the spread of their list, to the last digit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(duration, fc.double({ min: 0, max: 100, noNaN: true })), { minLength: 1 }),
        (list) => {
          const runs = countedOf(Float64Array.from(list));
          expect(spreadOfRuns(runs)).to.deep.equal(spreadOf(Float64Array.from(list)));
        },
      ),
      many,
    );
  });

  it('do not depend on the order in which they come, be they too many or not', () => {
    const piece = fc.record({ group: fc.nat(2), list: fc.array(duration, { maxLength: 40 }), counted: fc.boolean() });
    const shuffled = fc
      .array(piece, { maxLength: 20 })
      .chain((pieces) => fc.tuple(fc.constant(pieces), fc.shuffledSubarray(pieces, { minLength: pieces.length })));
    fc.assert(
      fc.property(shuffled, fc.constantFrom(50, 1_000_000), ([pieces, others], most) => {
        const runsOf = (all: typeof pieces): unknown => {
          const runs = new GroupRuns(most);
          for (const { group, list, counted } of all)
            runs.add(group, counted ? countedOf(Float64Array.from(list)) : list);
          return [runs.settle(), runs.of(0), runs.of(1), runs.of(2)];
        };
        expect(runsOf(others)).to.deep.equal(runsOf(pieces));
      }),
      many,
    );
  });
});
