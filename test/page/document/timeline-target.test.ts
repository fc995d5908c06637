import { expect } from 'chai';
import {
  fragmentOf,
  targetOfEvent,
  targetOfMoment,
  targetOfRanks,
  targetOfSearch,
  targetOfTime,
  type Linked,
} from '../../../src/page/document/timeline-target.js';
import type { PageProfile } from '../../../src/prof/html/page-data.js';
import type { PageTimeline } from '../../../src/prof/html/timeline/timeline-data.js';
import { readAddress, withAddress } from '../../../src/page/timeline/model/timeline-address.js';
import { FIXTURE } from '../fixture.js';
import { NO_LONGEST } from '../../../src/prof/html/timeline/longest-texts.js';
import { NOTHING_LACKS } from '../timeline/fixture.js';

const [profile] = FIXTURE.profiles as [PageProfile];
const timeline: PageTimeline = {
  pieces: [
    { name: 'whole profile', start: 0, end: 100, events: 9 },
    { name: 'step 1', start: 0, end: 50, events: 4 },
    { name: 'step 2', start: 45, end: 100, events: 5 },
  ],
  first: 1,
  lacks: NOTHING_LACKS,
  longest: NO_LONGEST,
};
const linked: Linked = { at: 1, profile: { ...profile, timeline } };

/** Everything that a timeline may have been left with. */
const LEFT = withAddress('#theme=dark', {
  ...{ profile: 0, piece: 2, view: { from: 1, to: 2 }, event: 7, colour: 'layer', search: 'gemm' },
  ...{ closed: ['device 0'], opened: [], markers: [], span: { from: 3, to: 4, lanes: new Set(['thread 1']) } },
});

describe('targets of links to the timeline', () => {
  const NOTHING = { piece: null, view: null, event: null, search: '', span: null };

  it('leave nothing of what was shown before, and keep the rest of the state', () => {
    const address = readAddress(fragmentOf(LEFT, 1, targetOfSearch('op=="mm"')));
    expect(address).to.include({ ...NOTHING, search: 'op=="mm"', profile: 1, colour: 'layer' });
    expect(address.closed).to.deep.equal(['device 0']);
    expect(fragmentOf(LEFT, 1, {})).to.include('theme=dark');
    expect(readAddress(fragmentOf(LEFT, 0, targetOfRanks(2)))).to.include({ ...NOTHING, piece: 2, closed: null });
  });

  it('are the shortest piece that has all of a time, with room around', () => {
    const of = (from: number, to: number) => readAddress(fragmentOf(LEFT, 1, targetOfTime(linked, { from, to })));
    expect(of(46, 48)).to.deep.include({ piece: 1, view: { from: 45, to: 49 }, event: null, search: '' });
    expect(of(46, 48).span).to.deep.equal({ from: 46, to: 48, lanes: null });
    expect(of(60, 80).piece).to.equal(2);
    expect(of(40, 60).piece).to.equal(0);
  });

  it('are an event among those of a search, in the piece that has it', () => {
    const address = readAddress(fragmentOf(LEFT, 1, targetOfEvent(linked, 'op=="mm"', 60, 5)));
    expect(address).to.include({ ...NOTHING, search: 'op=="mm"', piece: 2, found: 60 });
  });

  it('are a moment that is marked, within the piece', () => {
    for (const time of [0, 1, 49, 60, 99, 100]) {
      const { view, span, piece } = readAddress(fragmentOf(LEFT, 1, targetOfMoment(linked, time)));
      const { start, end } = timeline.pieces[piece ?? 0] ?? expect.fail();
      for (const one of [view, span]) {
        expect(one?.from).to.be.within(start, time);
        expect(one?.to).to.be.within(time, end);
      }
      expect(piece).to.not.equal(0);
    }
  });
});
