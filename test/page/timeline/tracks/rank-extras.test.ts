/** Tracks and marks of ranks on the axis of one of them. */
import { expect } from 'chai';
import { NO_EXTRAS } from '../../../../src/page/timeline/tracks/load-tracks.js';
import { extrasOnAxis, type RankExtras } from '../../../../src/page/timeline/tracks/rank-extras.js';
import { readingOf, SampleTrack } from '../../../../src/page/timeline/tracks/track.js';
import type { TimelineMark } from '../../../../src/prof/html/timeline/timeline-data.js';

const mark = (kind: TimelineMark['kind'], start: number): TimelineMark => ({
  ...{ kind, start, end: start + 10, device: 0, text: `${kind} ${start}` },
});

/** A rank whose piece begins 1000 ns after its profile's start, and whose clock is `shift` behind. */
const rank = (name: string, shift: number): RankExtras => ({
  ...{ rank: { name, profile: 0, clock: { shift, rate: 1 } }, origin: 1000 },
  extras: {
    ...NO_EXTRAS,
    tracks: [
      new SampleTrack(
        { kind: 'device', group: 'device 0', name: 'memory', unit: 'memory', about: '' },
        Float64Array.of(100, 200),
        Float64Array.of(512, NaN),
      ),
    ],
    marks: [mark('step', 0), mark('gap', 50)],
    untimed: ['a warning'],
  },
});

describe('tracks and marks of ranks', () => {
  const { tracks, marks, untimed } = extrasOnAxis([rank('rank 0', 0), rank('rank 1', 300)], 900, 'rank 0');

  it('are at their times on the axis, under the groups of their ranks', () => {
    expect(tracks.map(({ group }) => group)).to.deep.equal(['rank 0 · device 0', 'rank 1 · device 0']);
    // The axis begins at 900, each piece at 1000 of its own clock.
    expect(tracks.map(({ rangeOf }) => rangeOf(250, 260))).to.deep.equal([{ low: 512, high: 512 }, null]);
    expect(tracks.map(({ rangeOf }) => rangeOf(550, 550))).to.deep.equal([null, { low: 512, high: 512 }]);
    const [, other] = tracks;
    expect(other === undefined ? null : readingOf(other, 550, 10, 900)).to.deep.equal({
      value: '512 B',
      of: 'since 1.40 us, up to 1.50 us',
    });
  });

  it('have the steps of one rank, and whose each other mark is', () => {
    expect(marks.map(({ start, text }) => [start, text])).to.deep.equal([
      [100, 'rank 0: step 0'],
      [150, 'rank 0: gap 50'],
      [450, 'rank 1: gap 50'],
    ]);
    expect(untimed).to.deep.equal(['rank 0: a warning', 'rank 1: a warning']);
  });
});
