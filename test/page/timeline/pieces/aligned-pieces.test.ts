import { expect } from 'chai';
import { alignedPieces } from '../../../../src/page/timeline/pieces/aligned-pieces.js';
import { elementAt } from '../../../../src/containers/element.js';
import type { PageRank } from '../../../../src/page/timeline/pieces/page-ranks.js';
import { NO_LONGEST } from '../../../../src/prof/html/timeline/longest-texts.js';
import { NOTHING_LACKS } from '../fixture.js';

type Clock = PageRank['clock'];

/** Steps of 1000 ns from 0 on; null where the page does not hold the events. */
function rank(
  profile: number,
  clock: Clock,
  steps: Readonly<Record<number, number | null>> = { 1: 10, 2: 10, 3: 10 },
  isByStart = false,
): PageRank {
  const pieces = Object.entries(steps).map(([step, events]) => {
    return { name: `step ${step}`, start: 1000 * Number(step), end: 1000 * Number(step) + 1000, events };
  });
  const whole = { name: 'whole profile', start: 0, end: 4000, events: 50 };
  const timeline = { pieces: [whole, ...pieces], first: 1, lacks: NOTHING_LACKS, longest: NO_LONGEST };
  return { name: `rank ${profile}`, profile, timeline, clock, isByStart, isLate: false };
}

const at = (shift: number, drift = 0): Clock => ({ shift, drift });
const clocksOf = (ranks: readonly PageRank[], own: number, piece: number) =>
  alignedPieces(ranks, elementAt(ranks, own), piece).pieces.map(({ rank: { clock } }) => clock);

describe('pieces of ranks on one axis', () => {
  it('are those of one step, by its number, at the times of the page’s own rank', () => {
    const ranks = [rank(0, at(500)), rank(1, at(900), { 2: 10, 3: 10 }), rank(2, at(400))];
    const { pieces, time, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 2);
    expect(pieces.map(({ piece, isCut }) => [piece, isCut])).to.deep.equal([[2, false], [1, false], [2, false]]); // prettier-ignore
    expect(pieces.map(({ rank: { clock } }) => clock.shift)).to.deep.equal([0, 400, -100]);
    expect(time).to.deep.equal({ from: 1900, to: 3400 });
    expect(remarks).to.deep.equal([]);
    expect(clocksOf(ranks, 1, 1).map(({ shift }) => shift)).to.deep.equal([-400, 0, -500]);
  });

  it('follow the drift of both clocks', () => {
    const [one, other] = [at(500, 1e-3), at(900, -2e-3)];
    const [, clock] = clocksOf([rank(0, one), rank(1, other)], 0, 1);
    // Both ways from a profile to the job's clock.
    const job = 900 + (1 + 2e-3) * 2345;
    expect((job - 500) / (1 - 1e-3)).to.be.closeTo((clock?.shift ?? NaN) + (clock?.rate ?? NaN) * 2345, 1e-6);
  });

  it('are cut from whole profiles where a rank lacks the step, or the page its events', () => {
    const ranks = [rank(0, at(0)), rank(1, at(10), { 1: 10, 2: null }), rank(2, at(20), { 1: 10 })];
    const { pieces, time, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 2);
    expect(pieces.map(({ piece, isCut }) => [piece, isCut])).to.deep.equal([[2, false], [0, true], [0, true]]); // prettier-ignore
    // The step of rank 1 is known, though not its events.
    expect(time).to.deep.equal({ from: 2000, to: 3010 });
    expect(remarks).to.deep.equal([
      'rank 1: its events of this time are not on the page: drawn from its whole profile.',
      'rank 2: no piece of this name: drawn from its whole profile.',
    ]);
  });

  it('begin with those of the others where a clock is not known, and say so', () => {
    const ranks = [rank(0, at(0)), rank(1, null, { 1: 5, 3: 5 }), rank(2, at(-50)), rank(3, null, { 1: 5 })];
    const { pieces, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 3);
    expect(pieces.map(({ rank: { profile, clock } }) => [profile, clock.shift])).to.deep.equal([[0, 0], [1, -50], [2, -50]]); // prettier-ignore
    expect(remarks).to.deep.equal([
      'rank 1: its clock could not be aligned: shown from its own start.',
      'rank 3: no piece of this name and no common clock: not drawn.',
    ]);
  });

  it('keep the others aligned to each other where the page’s own rank has no clock', () => {
    const ranks = [rank(0, null), rank(1, at(700)), rank(2, at(800))];
    const { pieces, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 2);
    expect(pieces.map(({ rank: { clock } }) => clock.shift)).to.deep.equal([0, 0, 100]);
    expect(remarks).to.deep.equal(['rank 0: its clock could not be aligned: shown from its own start.']);
  });

  it('of another day, known by the start of the profile alone, begin with the others', () => {
    const steps = { 1: 10, 2: 10, 3: 10 };
    const ranks = [rank(0, at(0)), rank(1, at(1e12), steps, true), rank(2, at(300), steps, true)];
    const { pieces, time, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 2);
    expect(pieces.map(({ rank: { clock } }) => clock.shift)).to.deep.equal([0, 0, 300]);
    expect(time).to.deep.equal({ from: 2000, to: 3300 });
    expect(remarks.join(' ')).to.match(/^rank 1: its profile started .* own start\. rank 2: aligned only by the start of its profile\.$/); // prettier-ignore
  });

  it('keep to each other where the page’s own rank is the one of another day', () => {
    const steps = { 1: 10, 2: 10, 3: 10 };
    const ranks = [rank(0, at(1e12), steps, true), rank(1, at(0)), rank(2, at(300))];
    const { pieces, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 2);
    expect(pieces.map(({ rank: { clock } }) => clock.shift)).to.deep.equal([0, 0, 300]);
    expect(remarks).to.have.length(1);
    expect(remarks[0]).to.match(/^rank 0: its profile started at another time/);
  });

  it('are bounded together: further ranks are drawn from their whole profiles', () => {
    const ranks = [0, 1, 2].map((profile) => rank(profile, at(0), { 1: 200_000 }));
    const { pieces, remarks } = alignedPieces(ranks, elementAt(ranks, 0), 1);
    expect(pieces.map(({ piece, isCut }) => [piece, isCut])).to.deep.equal([[1, false], [1, false], [0, true]]); // prettier-ignore
    expect(remarks).to.deep.equal(['rank 2: too many events for all ranks together: drawn from its whole profile.']);
  });

  it('name a few ranks of those that a remark is about', () => {
    const ranks = Array.from({ length: 20 }, (_, profile) => rank(profile, at(0), profile === 0 ? { 1: 1 } : {}));
    const { remarks } = alignedPieces(ranks, elementAt(ranks, 0), 1);
    expect(remarks).to.have.length(1);
    expect(remarks[0]).to.match(/^rank 1, rank 2, .*, rank 8 and 11 more: no piece of this name/);
  });
});
