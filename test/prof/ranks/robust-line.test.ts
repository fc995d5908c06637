import { expect } from 'chai';
import fc from 'fast-check';
import { robustLine } from '../../../src/prof/ranks/clocks/robust-line.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a line through points of which some are far off', () => {
  it('is the line of the other points, whatever a fifth of them are', () => {
    const given = fc.record({
      offset: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      slope: fc.double({ min: -5e-5, max: 5e-5, noNaN: true }),
      far: fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 20, maxLength: 20 }),
    });
    fc.assert(
      fc.property(given, ({ offset, slope, far }) => {
        const xs = Float64Array.from({ length: 100 }, (_, i) => (i - 50) * 1e7);
        const ys = xs.map((x, i) => offset + slope * x + (i % 5 === 0 ? (far[i / 5] ?? 0) : 0));
        const line = robustLine(xs, ys);
        expect(line.slope).to.be.closeTo(slope, 1e-5);
        expect(line.offset).to.be.closeTo(offset, 2000);
      }),
      { numRuns: propertyRuns(50), seed: 1 },
    );
  });

  it('is exact through points of one line', () => {
    const xs = Float64Array.of(0, 10, 20, 30, 40, 50, 60);
    expect(
      robustLine(
        xs,
        xs.map((x) => 3 + 2 * x),
      ),
    ).to.deep.equal({ offset: 3, slope: 2 });
  });

  it('is level through few points', () => {
    expect(robustLine(Float64Array.of(0, 10, 20), Float64Array.of(1, 2, 30))).to.deep.equal({ offset: 2, slope: null });
  });
});
