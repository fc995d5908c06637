import { expect } from 'chai';
import { MOST_ARROWS, shownArrows } from '../../../../src/page/timeline/model/scene.js';
import { eventsOf, type FixtureEvent } from '../fixture.js';

describe('arrows of a timeline', () => {
  it('are none without a selected event', () => {
    const events = eventsOf([
      { start: 0, dur: 1, lane: 0, kind: 'launch' },
      { start: 1, dur: 1, lane: 1, launcher: 0 },
    ]);
    expect(shownArrows(events, null)).to.deep.equal({ arrows: [], remark: '' });
    expect(shownArrows(events, 1).arrows).to.deep.equal([[0, 1]]);
  });

  it('lead from the forward kernels of an op to its backward ones, whichever is selected', () => {
    const dirs = ['fprop', 'bprop', 'fprop', 'bprop'] as const;
    const events = eventsOf([
      ...dirs.map((dir, i) => ({ start: i, dur: 1, lane: 1, dir, seq: 5 })),
      { start: 9, dur: 1, lane: 1, dir: 'bprop', seq: 6 },
      { start: 10, dur: 1, lane: 0, seq: 5 },
    ]);
    const arrowsOf = (event: number) => shownArrows(events, event).arrows;
    expect(arrowsOf(0)).to.deep.equal([
      [0, 1],
      [0, 3],
    ]);
    expect(arrowsOf(3)).to.deep.equal([
      [0, 3],
      [2, 3],
    ]);
    expect([arrowsOf(4), arrowsOf(5)]).to.deep.equal([[], []]);
  });

  it('lead to an instruction from what it waited for, and on to what waited for it', () => {
    const list = [0, 1, 2].map((i) => ({ start: i, dur: 1, lane: 1, id: i + 1 }));
    const dependencies = { later: [1, 2], earlier: [0, 1], what: [0, 0] };
    const { arrows } = shownArrows({ ...eventsOf(list), dependencies }, 1);
    expect(arrows).to.deep.equal([
      [0, 1],
      [1, 2],
    ]);
  });

  it('of an event with too many are as many as can be drawn, and the remark says so', () => {
    const graph: FixtureEvent[] = Array.from({ length: MOST_ARROWS + 5 }, (_, i) => ({
      ...{ start: i + 1, dur: 1, lane: 1, launcher: 0 },
    }));
    const { arrows, remark } = shownArrows(eventsOf([{ start: 0, dur: 1, lane: 0, kind: 'launch' }, ...graph]), 0);
    expect(arrows).to.have.length(MOST_ARROWS);
    expect(remark).to.equal('The selected event has 25 arrows, 20 of them are drawn.');
  });
});
