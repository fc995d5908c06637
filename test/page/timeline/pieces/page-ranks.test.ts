import { expect } from 'chai';
import fc from 'fast-check';
import { FIXTURE } from '../../fixture.js';
import {
  chosenRanks,
  MOST_RANKS,
  pageRanks,
  rankChoiceText,
  readRankChoice,
  type PageRank,
} from '../../../../src/page/timeline/pieces/page-ranks.js';
import { NO_LONGEST } from '../../../../src/prof/html/timeline/longest-texts.js';
import { NOTHING_LACKS } from '../fixture.js';

const ranksOf = (count: number, late: readonly number[] = []): PageRank[] =>
  Array.from({ length: count }, (_, profile) => ({
    ...{
      name: `rank ${profile}`,
      profile,
      timeline: { pieces: [], first: 0, lacks: NOTHING_LACKS, longest: NO_LONGEST },
    },
    ...{ clock: null, isByStart: false, isLate: late.includes(profile) },
  }));
const chosen = (...given: Parameters<typeof chosenRanks>): number[] =>
  chosenRanks(...given).map(({ profile }) => profile);

describe('ranks of a timeline', () => {
  it('are the page’s own alone, all, or some with it', () => {
    expect(chosen(ranksOf(4), 2, null)).to.deep.equal([2]);
    expect(chosen(ranksOf(4), 2, 'all')).to.deep.equal([0, 1, 2, 3]);
    expect(chosen(ranksOf(4), 2, [3, 9])).to.deep.equal([2, 3]);
  });

  it('of many are bounded: the own one and those that are late are among them', () => {
    const some = chosen(ranksOf(1024, [700, 1000]), 900, 'all');
    expect(some).to.have.length(MOST_RANKS);
    expect(some).to.include.members([0, 60, 700, 900, 1000]);
    expect(some).to.deep.equal([...some].sort((a, b) => a - b));
  });

  it('are in order of their ranks, whatever that of the files, with the clocks of the job', () => {
    const timeline = { pieces: [], first: 0, lacks: NOTHING_LACKS, longest: NO_LONGEST };
    const data = { ...FIXTURE, profiles: FIXTURE.profiles.map((profile) => ({ ...profile, timeline })) };
    const [first, second] = data.profiles;
    if (first === undefined || second === undefined) expect.fail('not two profiles');
    const turned = { ...data, profiles: [second, first], job: null };
    expect(pageRanks(turned).map(({ profile, clock }) => [profile, clock])).to.deep.equal([[1, null], [0, null]]); // prettier-ignore
    expect(pageRanks(data).map(({ name, clock, isLate }) => [name, clock?.shift, isLate])).to.deep.equal([
      ['rank 0', 2000, false],
      ['rank 1', 1000, true],
    ]);
  });

  it('are restored from an address', () => {
    const list = fc.uniqueArray(fc.nat(2000), { minLength: 1, maxLength: MOST_RANKS });
    fc.assert(
      fc.property(list, (given) => {
        const choice = [...given].sort((a, b) => a - b);
        expect(readRankChoice(rankChoiceText(choice) ?? undefined)).to.deep.equal(choice);
      }),
    );
    expect(rankChoiceText([0, 1, 2, 3, 8])).to.equal('0-3,8');
    expect(readRankChoice('all')).to.equal('all');
  });

  it('are read from any text without an error', () => {
    for (const text of [undefined, '', 'x', '1-', '-1', '1,,2', '9999999', '__proto__'])
      expect(readRankChoice(text), text).to.equal(null);
    expect(readRankChoice('5-2')).to.deep.equal([]);
    expect(readRankChoice('0-999999')).to.have.length(MOST_RANKS);
    fc.assert(
      fc.property(fc.string(), (text) => {
        readRankChoice(text);
      }),
    );
  });
});
