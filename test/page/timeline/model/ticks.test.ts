import { expect } from 'chai';
import fc from 'fast-check';
import { tickStep, tickText, ticks } from '../../../../src/page/timeline/model/view.js';

describe('ticks of a time axis', () => {
  it('have steps of 1, 2 or 5 times a power of ten', () => {
    expect([0.2, 1, 1.5, 2, 3, 7, 11, 499, 501, 2e6].map(tickStep)).to.deep.equal([
      1, 1, 2, 2, 5, 10, 20, 500, 1000, 2e6,
    ]);
  });

  it('are at least as far apart as given, and less than two and a half times as far', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e12, noNaN: true }), (least) => {
        expect(tickStep(least)).to.be.within(least * (1 - 1e-9), least * 2.5 + 1e-9);
      }),
    );
  });

  it('are the visible multiples of the step', () => {
    expect(ticks(-30, 105, 50)).to.deep.equal([0, 50, 100]);
    expect(ticks(100, 200, 50)).to.deep.equal([100, 150, 200]);
    expect(ticks(101, 149, 50)).to.deep.equal([]);
  });

  it('are written in the unit of the largest, as exactly as their step', () => {
    expect(tickText(1_500_000, 500_000, 3e6)).to.equal('1.5 ms');
    expect(tickText(2_000_000, 500_000, 3e6)).to.equal('2.0 ms');
    expect(tickText(12_345_678, 1, 2e7)).to.equal('12.345678 ms');
    expect(tickText(200, 50, 900)).to.equal('200 ns');
    expect(tickText(0, 20_000, 90_000)).to.equal('0 us');
  });
});
