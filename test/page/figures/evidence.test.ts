/** The numbers behind a finding in words. */
import { expect } from 'chai';
import { evidenceLine } from '../../../src/page/figures/evidence.js';

describe('evidence', () => {
  it('has words for names and units for numbers', () => {
    expect(evidenceLine('idleAfterNs', 492_700_000)).to.deep.equal(['Idle after', '492.7 ms']);
    expect(evidenceLine('bytesPerS', 27.67e9)).to.deep.equal(['Bytes', '27.67 GB/s']);
    expect(evidenceLine('savedBytes', 2e6)).to.deep.equal(['Saved bytes', '2.00 MB']);
    expect(evidenceLine('longLaunches', 12_345)).to.deep.equal(['Long launches', '12,345']);
  });

  it('keeps numbers of unknown units, texts and what is unknown', () => {
    expect(evidenceLine('ratio', 1.25)).to.deep.equal(['Ratio', '1.25']);
    expect(evidenceLine('builtFor', 'sm80, sm86')).to.deep.equal(['Built for', 'sm80, sm86']);
    expect(evidenceLine('shiftNs', 'na')).to.deep.equal(['Shift', 'na']);
  });
});
