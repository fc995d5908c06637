import { expect } from 'chai';
import fc from 'fast-check';
import { counted, grouped, plural, withThousands } from '../../src/record/plural.js';

describe('counts in words', () => {
  it('are of one, or of many', () => {
    expect([0, 1, 2].map((count) => counted(count, 'kernel'))).to.deep.equal(['0 kernels', '1 kernel', '2 kernels']);
  });

  it('know words whose plural is more than an s', () => {
    expect(['copy', 'HtoD copy', 'graph launch', 'activity', 'display'].map((what) => plural(2, what))).to.deep.equal([
      'copies',
      'HtoD copies',
      'graph launches',
      'activities',
      'displays',
    ]);
    expect(plural(1, 'graph launch')).to.equal('graph launch');
  });

  it('have their thousands apart, as the formats of the language have them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (count) => {
        expect(grouped(count)).to.equal(count.toLocaleString('en-US'));
      }),
    );
    // Eighths are exact in decimals too, so that both round them alike.
    fc.assert(
      fc.property(fc.nat(), fc.nat(4), (eighths, digits) => {
        const value = eighths / 8;
        const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
        expect(withThousands(value.toFixed(digits))).to.equal(format.format(value));
      }),
    );
  });
});
