import { expect } from 'chai';
import { ABOUT_BOUNDS, boundText } from '../../../src/page/figures/shown-names.js';
import { LATENCY_SHARE } from '../../../src/prof/roofline/roofline.js';

describe('bounds in the words of people', () => {
  it('have the value of the column first, and a share where it is not all', () => {
    expect(boundText('memory', 0.54321)).to.equal('memory 54.3 %');
    expect(boundText('compute', 1)).to.equal('compute');
    expect(boundText('latency', 0.5)).to.equal('latency (too small) 50.0 %');
    expect(boundText('latency', null)).to.equal('latency (too small) na');
  });

  it('are explained by the limit of the roofline', () => {
    expect(ABOUT_BOUNDS).to.contain(`below ${LATENCY_SHARE} % of the peaks`);
  });
});
