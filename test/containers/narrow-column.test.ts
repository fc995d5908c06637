import { expect } from 'chai';
import fc from 'fast-check';
import { NarrowColumn } from '../../src/containers/numeric-column.js';
import { propertyRuns } from '../support/property-runs.js';

/** What widths end at, and what fits none but the widest. */
const EDGES = [0, 1, 254, 255, 256, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, -1, -(2 ** 31), -(2 ** 31) - 1, 0.5, 2 ** 53, NaN, Infinity, -Infinity]; // prettier-ignore

const COLUMNS = [
  { of: 'counts', make: () => NarrowColumn.counts(), unknown: 0 },
  { of: 'ids', make: () => NarrowColumn.ids(), unknown: NaN },
  { of: 'signed numbers', make: () => NarrowColumn.signed(), unknown: NaN },
] as const;

describe('narrow column', () => {
  for (const { of, make, unknown } of COLUMNS) {
    it(`of ${of} holds what was pushed, whatever came before and after, over any number of growths`, () => {
      const value = fc.oneof({ weight: 20, arbitrary: fc.nat({ max: 260 }) }, fc.constantFrom(...EDGES), fc.integer());
      fc.assert(
        fc.property(fc.array(value, { maxLength: 4000, size: 'max' }), fc.nat({ max: 5000 }), (values, room) => {
          const column = make();
          column.reserve(room);
          for (const one of values) column.push(one);
          const kept = values.map((one) => (Number.isNaN(one) ? unknown : one));
          expect(column.length).to.equal(values.length);
          expect([...column]).to.deep.equal(kept);
          expect(column.at(values.length)).to.be.NaN;
        }),
        { numRuns: propertyRuns(50) },
      );
    });
  }
});
