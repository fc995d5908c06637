import { expect } from 'chai';
import fc from 'fast-check';
import {
  around,
  centred,
  fitted,
  panned,
  showing,
  timeAt,
  within,
  zoomed,
} from '../../../../src/page/timeline/model/view.js';

const SPAN = 1_000_000;

describe('view of a timeline', () => {
  it('fits all with a margin of 2 %', () => {
    expect(fitted(1000)).to.deep.equal({ from: -20, to: 1020 });
  });

  it('zooms around a time that stays where it is', () => {
    // 100..300 around 150, four times larger: 50 ns wide, 150 at a quarter.
    expect(zoomed({ from: 100, to: 300 }, 4, 150, SPAN)).to.deep.equal({ from: 137.5, to: 187.5 });
    expect(zoomed({ from: 137.5, to: 187.5 }, 1 / 4, 150, SPAN)).to.deep.equal({ from: 100, to: 300 });
  });

  it('stays within the timeline', () => {
    const inside = fc.double({ min: 0, max: SPAN, noNaN: true });
    fc.assert(
      fc.property(inside, inside, fc.double({ min: 0.01, max: 100, noNaN: true }), inside, (a, b, factor, at) => {
        const view = within({ from: Math.min(a, b), to: Math.max(a, b) }, SPAN);
        for (const { from, to } of [zoomed(view, factor, at, SPAN), panned(view, a - b, SPAN), around(a, b, SPAN)]) {
          expect(from).to.be.at.least(fitted(SPAN).from - 1e-6);
          expect(to).to.be.at.most(fitted(SPAN).to + 1e-6);
          expect(to - from).to.be.at.least(20 - 1e-6);
        }
      }),
    );
  });

  it('pans no further than the ends', () => {
    expect(panned({ from: 100, to: 200 }, 50, SPAN)).to.deep.equal({ from: 150, to: 250 });
    expect(panned({ from: 100, to: 200 }, -1e9, SPAN)).to.deep.equal({ from: -20_000, to: -19_900 });
  });

  it('of invalid numbers is the whole timeline', () => {
    expect(within({ from: NaN, to: 5 }, 1000)).to.deep.equal(fitted(1000));
  });

  it('moves so that a span is visible', () => {
    const view = { from: 100, to: 200 };
    expect(showing(view, 120, 130, SPAN)).to.equal(view);
    expect(showing(view, 500, 520, SPAN)).to.deep.equal({ from: 460, to: 560 });
    // 400 ns wide and a tenth on both sides.
    expect(showing(view, 500, 900, SPAN)).to.deep.equal({ from: 460, to: 940 });
  });

  it('has an event that is found in its middle, and wide enough to be seen', () => {
    fc.assert(
      fc.property(fc.nat(SPAN), fc.nat(SPAN / 10), (start, dur) => {
        const end = Math.min(SPAN, start + dur);
        const { from, to } = centred(fitted(SPAN), start, end, SPAN);
        expect(from).to.be.at.most(start);
        expect(to).to.be.at.least(end);
        expect((end - start) / (to - from)).to.be.at.least(Math.min(0.04, (end - start) / 10_000) - 1e-9);
        // At the ends of the timeline the middle is out of reach.
        const isInside = from > fitted(SPAN).from && to < fitted(SPAN).to;
        if (isInside) expect((from + to) / 2).to.be.closeTo((start + end) / 2, 1e-6);
      }),
    );
  });

  it('turns pixels into times', () => {
    const view = { from: 100, to: 300 };
    expect(timeAt(view, 200, 800)).to.equal(150);
  });
});
