/** What the list of pieces calls them. */
import { expect } from 'chai';
import { pieceLabel } from '../../../../src/page/timeline/pieces/page-ranks.js';

const PIECE = { name: 'step 3', start: 0, end: 51e6, events: 10 };

describe('labels of pieces', () => {
  it('say what a step took by each clock, not how long its events take', () => {
    const took = { host: 16e6, device: 19e6 };
    expect(pieceLabel({ ...PIECE, took })).to.equal('step 3 (host 16.00 ms, device 19.00 ms)');
    expect(pieceLabel({ ...PIECE, took: { host: null, device: 19e6 } })).to.equal('step 3 (device 19.00 ms)');
    expect(pieceLabel({ ...PIECE, took, events: null })).to.equal('step 3 (host 16.00 ms, device 19.00 ms, merged)');
  });

  it('say how long any other piece is', () => {
    expect(pieceLabel({ ...PIECE, name: 'before step 3' })).to.equal('before step 3 (51.00 ms)');
    expect(pieceLabel({ ...PIECE, events: null })).to.equal('step 3 (51.00 ms, merged)');
  });
});
