import { expect } from 'chai';
import fc from 'fast-check';
import { layoutOf } from '../../../../src/page/timeline/model/layout.js';
import { rowsOf } from '../../../../src/page/timeline/model/lane-rows.js';
import {
  edgeMoved,
  keysOf,
  laneEdgeMoved,
  lanesBetween,
  onlyLanes,
  selectedLanes,
  selectedUnits,
  toggledLanes,
} from '../../../../src/page/timeline/model/selection.js';
import { eventsOf, LANES } from '../fixture.js';

const EVENTS = eventsOf(LANES.map((_, lane) => ({ start: lane, dur: 1, lane, name: 'a' })));
const layout = (...closed: string[]) => layoutOf(LANES, rowsOf(EVENTS), new Set(closed));

/** Of header, stream 7, stream 9, header, thread 1: 22, 24, 24, 22, 24 CSS pixels. */
const BETWEEN = [
  [25, 30, ['device 0/stream 7']],
  [60, 25, ['device 0/*']],
  [60, 100, ['device 0/stream 9', 'process 7/*']],
  [2, 4, ['device 0/*']],
  [72, 73, ['process 7/*']],
  [0, 115, null],
] as const;

describe('lanes of a selection', () => {
  it('are those that a drag covers, and all of a group whose header alone it covers', () => {
    for (const [from, to, keys] of BETWEEN) {
      const found = lanesBetween(layout(), LANES, from, to);
      expect(found === null ? null : [...found].sort(), `${from} to ${to}`).to.deep.equal(keys);
    }
  });

  it('of a collapsed group are all of them', () => {
    expect([...(lanesBetween(layout('device 0'), LANES, 10, 12) ?? [])]).to.deep.equal(['device 0/*']);
    const units = selectedUnits(layout('device 0'), LANES, new Set(['device 0/stream 9']));
    expect(units.map(({ top, lanes }) => [top, lanes])).to.deep.equal([[0, [1, 2]]]);
  });

  it('are chosen and added by name, and all again when chosen twice', () => {
    const one = onlyLanes(LANES, null, [1]);
    expect([...(one ?? [])]).to.deep.equal(['device 0/stream 7']);
    expect(onlyLanes(LANES, one, [1])).to.equal(null);
    const two = toggledLanes(LANES, one, [2]);
    expect([...(two ?? [])]).to.deep.equal(['device 0/*']);
    expect([...(toggledLanes(LANES, two, [1]) ?? [])]).to.deep.equal(['device 0/stream 9']);
    expect(toggledLanes(LANES, two, [0])).to.equal(null);
  });

  it('grow and shrink by a lane', () => {
    const steps = ([1, 1, -1, -1] as const).reduce<(ReadonlySet<string> | null)[]>(
      (all, by) => [...all, laneEdgeMoved(layout(), LANES, all.at(-1) ?? null, by)],
      [],
    );
    expect(steps.map((keys) => (keys === null ? null : [...keys]))).to.deep.equal([
      ['device 0/stream 7'],
      ['device 0/*'],
      ['device 0/stream 7'],
      null,
    ]);
  });

  it('have keys that stand for them, whichever they are', () => {
    const some = fc.uniqueArray(fc.nat(LANES.length - 1), { minLength: 1, maxLength: LANES.length - 1 });
    fc.assert(
      fc.property(some, (places) => {
        expect(selectedLanes(LANES, keysOf(LANES, new Set(places)))).to.deep.equal(new Set(places.toSorted()));
      }),
    );
  });

  it('keep their time in order when an edge crosses the other', () => {
    const span = { from: 10, to: 20, lanes: null };
    expect(edgeMoved(span, 'from', 30, 100)).to.deep.equal({ from: 20, to: 30, lanes: null });
    expect(edgeMoved(span, 'to', -5, 100)).to.deep.equal({ from: 0, to: 10, lanes: null });
    expect(edgeMoved(span, 'to', 500, 100)).to.deep.equal({ from: 10, to: 100, lanes: null });
  });
});
