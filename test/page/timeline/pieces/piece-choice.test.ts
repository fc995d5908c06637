/** What the list of pieces calls them, and which one shows a span. */
import { expect } from 'chai';
import { NOTHING_LACKS } from '../fixture.js';
import { NO_LONGEST } from '../../../../src/prof/html/timeline/longest-texts.js';
import type { PageTimeline } from '../../../../src/prof/html/timeline/timeline-data.js';
import { pieceLabel, pieceWith } from '../../../../src/page/timeline/pieces/page-ranks.js';

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

describe('the piece with a span', () => {
  const timeline = (first: number, isMerged: boolean): PageTimeline => ({
    pieces: [
      { name: 'whole profile', start: 0, end: 100, events: 9, ...(isMerged ? { isMerged } : {}) },
      { name: 'step 1', start: 0, end: 60, events: 5 },
      { name: 'step 2', start: 50, end: 100, events: null },
    ],
    ...{ first, longest: NO_LONGEST, lacks: NOTHING_LACKS },
  });

  it('is the first one if that has each event, else one that does', () => {
    expect(pieceWith(timeline(0, false), { from: 10, to: 60 })).to.equal(0);
    expect(pieceWith(timeline(0, true), { from: 10, to: 60 })).to.equal(1);
    expect(pieceWith(timeline(1, false), { from: 50, to: 90 })).to.equal(0);
    // Step 2 has no events on the page.
    expect(pieceWith(timeline(0, true), { from: 60, to: 90 })).to.equal(0);
  });
});
