import { expect } from 'chai';
import { DIAGNOSTICS } from '../../../src/record/diagnostics.js';
import { diagnosticTexts } from '../../../src/prof/html/page-sums.js';
import { kernel } from '../../support/kernels.js';
import { overviewOf } from '../../support/overviews.js';

describe('diagnostics in words', () => {
  const overview = overviewOf([kernel()]);

  it('are those of all readers', () => {
    const diagnostics = Object.fromEntries(Object.keys(DIAGNOSTICS).map((name) => [name, 1]));
    const texts = diagnosticTexts({ ...overview, diagnostics });
    expect(Object.keys(texts)).to.deep.equal(Object.keys(DIAGNOSTICS));
    expect(texts['kernel-without-launch']).to.equal('kernels whose launch call is not in the profile');
  });

  it('are those of the summary itself, and none of unknown names', () => {
    const odd = overviewOf([kernel({ start: 2000 }), kernel({ id: 2, start: 1000 }), kernel({ id: 3, dur: null })]);
    const names = Object.keys(odd.diagnostics);
    expect(names).to.include.members(['record-out-of-order', 'record-without-time']);
    expect(Object.keys(diagnosticTexts(odd))).to.deep.equal(names);
    expect(diagnosticTexts({ ...overview, diagnostics: { constructor: 1, later: 1 } })).to.deep.equal({});
  });
});
