/** Which profiles a page of many holds, and that they are what a page of all has of them. */
import { expect } from 'chai';
import { linesOf } from '../../../support/notes.js';
import { jobRecords } from '../../../../samples/programs/job/records.js';
import { simulateJob, type SimulatedJob } from '../../../../samples/programs/job/simulate.js';
import { heldProfiles, PageBuilder } from '../../../../src/prof/html/page-builder.js';
import type { PageProfile } from '../../../../src/prof/html/page-data.js';
import { rankNames } from '../../../../src/page/profile-labels.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { itSlow } from '../../../support/sets.js';
import { pageContentsOf } from '../../../support/pages.js';
import { takeAll } from '../../../support/rows.js';

const HELD = 8;
const LATE = 13;

/** 16 ranks, one of which takes 30 % longer for a layer. */
const jobOf = (steps: number): SimulatedJob =>
  simulateJob({
    ...{ tp: 2, pp: 1, dp: 8, steps, layers: 2, microBatches: 1 },
    inject: { slowLayer: { rank: LATE, layer: 1, factor: 1.3 } },
  });
const JOB = jobOf(8);
/** Less than the bounds of lists of any page. */
const SHORT = jobOf(1);

function* records(job: SimulatedJob): Generator<ProfileLine> {
  for (const { rank } of job.ranks) yield* jobRecords(job, rank, { profile: rank });
}

const rankOf = ({ overview }: PageProfile): number => overview.header?.rank ?? -1;

describe('a page of more profiles than it holds', () => {
  itSlow('holds late ranks and a sample, and has rows of all of them', () => {
    const { data } = pageContentsOf(records(JOB), { held: HELD });
    const { profiles, leftOut, job } = data;
    expect([profiles.length, leftOut]).to.deep.equal([HELD, 16 - HELD]);
    expect(profiles.map(rankOf)).to.include(LATE);
    expect(profiles.map(rankOf)).to.deep.equal(profiles.map(rankOf).toSorted((a, b) => a - b));
    expect(job?.ranks.map(({ name }) => name)).to.deep.equal(JOB.ranks.map(({ rank }) => `rank ${rank}`));
    expect(job?.heat.every(({ values }) => values.length === 16)).to.equal(true);
    const places = job?.ranks.map(({ profile }) => profile) ?? [];
    expect(places.filter((place) => place !== null)).to.deep.equal(profiles.map((_, at) => at));
    for (const [rank, place] of places.entries()) {
      if (place !== null) expect(rankNames(data)[place]).to.equal(`rank ${rank}`);
    }
  });

  it('has of them what a page of all has', () => {
    const some = pageContentsOf(records(SHORT), { held: HELD });
    const all = pageContentsOf(records(SHORT), { held: 100 });
    expect([some.data.leftOut, all.data.leftOut]).to.deep.equal([8, 0]);
    const byRank = new Map(all.data.profiles.map((profile) => [rankOf(profile), profile]));
    for (const profile of some.data.profiles) {
      expect(plain(profile)).to.deep.equal(plain(byRank.get(rankOf(profile))));
    }
    // Curves are those of the profiles of a page.
    const others = { ranks: null, utilisation: null };
    expect({ ...some.data.job, ...others }).to.deep.equal({ ...all.data.job, ...others });
    expect(some.data.advice).to.deep.equal(all.data.advice);
    expect(some.parts.map(({ id }) => id)).to.deep.equal([...new Set(some.parts.map(({ id }) => id))]);
    for (const [at, profile] of some.data.profiles.entries()) {
      const there = all.data.profiles.findIndex((other) => rankOf(other) === rankOf(profile));
      const partsAt = (parts: typeof some.parts, place: number) =>
        parts.flatMap(({ id, value }) => (new RegExp(`^timeline-${place}(-|$)`).test(id) ? [value] : []));
      expect(plain(partsAt(some.parts, at))).to.deep.equal(plain(partsAt(all.parts, there)));
    }
  });

  it('takes the first of a profile whose records come in two places, and says so', () => {
    const [first] = [...jobRecords(SHORT, 0, { profile: 0 })].filter(({ type }) => type === 'kernel');
    const again = first === undefined ? [] : [first, ...jobRecords(SHORT, 15, { profile: 99 })];
    const pages = new PageBuilder({ timeline: { of: 'usual' }, events: 1000, held: HELD });
    takeAll([...records(SHORT), ...again], pages);
    expect(linesOf(pages.finish().notes)).to.deep.equal([
      '1 profile shown only up to the first record of another profile: records of several profiles are mixed',
      `9 profiles only in the rank tables: the page holds ${HELD} profiles (dprof html FILE -o PAGE makes a page for one)`,
    ]);
  });
});

/** As a page has it, where it is JSON. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('the profiles that a page holds', () => {
  const candidate = (profile: number, busy: number) => ({ profile, busy, parts: [] });

  it('are all of few, else the slowest, those around the median, and some of the others', () => {
    const few = [3, 1, 2].map((busy, profile) => candidate(profile, busy));
    expect([...heldProfiles(few, null, 3)]).to.deep.equal([0, 1, 2]);
    // Profile p is busy for p: 100 is the slowest. One eighth of 8 is the slowest, another the median of the order.
    const many = Array.from({ length: 101 }, (_, busy) => candidate(busy, busy));
    const held = [...heldProfiles(many, null, 8)];
    expect(held).to.have.length(8);
    expect(held.slice(0, 2)).to.deep.equal([100, 50]);
    // Of the other 99 the first, the last, and those at 19.6, 39.2, 58.8 and 78.4 of 98, rounded down; 50 is not among them.
    expect(held.slice(2)).to.deep.equal([99, 80, 60, 40, 20, 0]);
  });
});
