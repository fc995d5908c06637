/** Who is named as late, of jobs whose own work is known: about 50 ms a step, with noise of 0.5 ms. */
import { expect } from 'chai';
import { clockAhead } from '../../../src/prof/ranks/clocks/job-clocks.js';
import { jobLines } from '../../../src/cli/screens/job.js';
import { jobReport } from '../../../src/prof/ranks/job-report.js';
import { membershipOf } from '../../../src/prof/ranks/membership.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import { ranksDocument } from '../../../src/prof/ranks/ranks-document.js';
import { latenessOf, type Lateness } from '../../../src/prof/ranks/stragglers/stragglers.js';
import type { NamedGroup } from '../../../src/prof/ranks/stragglers/tested-units.js';
import { Noise } from '../../support/noise.js';
import { propertyRuns } from '../../support/property-runs.js';
import { rankPart } from '../../support/rank-part.js';

/** ms that a rank takes longer in a step; null for a step that it lacks. */
type More = (rank: number, step: number) => number | null;

function jobOf(ranks: number, steps: number, more: More, seed = 1): RankPart[] {
  const noise = new Noise(seed);
  return Array.from({ length: ranks }, (_, rank) =>
    rankPart(
      rank,
      Array.from({ length: steps }, (__, step) => {
        const [own, own2] = [50 + 0.5 * noise.normal(), more(rank, step)];
        return own2 === null ? null : own + own2;
      }),
    ),
  );
}

/** @param perMachine ranks of a machine */
const lateIn = (parts: readonly RankPart[], perMachine = 4, groups: readonly NamedGroup[] = []): Lateness =>
  latenessOf(parts, {
    ...{ classes: [[...parts.keys()]], groups, refuted: new Set() },
    nodes: parts.map((_, rank) => String(Math.floor(rank / perMachine))),
  });

const namesOf = ({ stragglers }: Lateness): unknown[] =>
  stragglers.map(({ level, name, part }) => (level === 'rank' ? part : `${level} ${name}`));

describe('ranks with different steps', () => {
  it('are compared in the steps that they have in common, and the others in all of theirs', () => {
    // Rank 5 begins at step 5: that step is the first of its profile, and where it began is not known.
    const { stragglers, tested, untested } = lateIn(
      jobOf(8, 20, (rank, step) => (rank !== 5 ? 0 : step < 5 ? null : 3)),
    );
    expect(stragglers.map(({ part, steps, lateIn: late }) => [part, steps, late])).to.deep.equal([[5, 14, 14]]);
    expect({ tested, untested }).to.deep.equal({ tested: 8, untested: [] });
  });

  it('are tested where one has no step of the others, which is named with the reason', () => {
    const { stragglers, tested, untested } = lateIn(
      jobOf(8, 20, (rank, step) => (rank === 2 ? (step < 10 ? null : 0) : step >= 10 ? null : rank === 5 ? 3 : 0)),
    );
    expect(stragglers.map(({ part, steps }) => [part, steps])).to.deep.equal([[5, 10]]);
    expect(tested).to.equal(7);
    expect(untested).to.deep.equal([{ part: 2, why: 'no step in common with ranks that do the same work' }]);
  });

  it('are not tested in so few that the last of each cannot be late beyond chance', () => {
    // One of four ranks is last in each of n steps with a chance of 4 · 4⁻ⁿ: 6.3 % for three steps, 1.6 % for four.
    const late = (steps: number): Lateness => lateIn(jobOf(4, steps, (rank) => (rank === 3 ? 30 : 0)));
    const why = 'too few steps in common with ranks that do the same work';
    const few = late(3);
    expect(few).to.deep.include({ tested: 0, stragglers: [], untested: [0, 1, 2, 3].map((part) => ({ part, why })) });
    expect(few.latest).to.deep.include({ part: 3, steps: 3, lateIn: 3, q: 4 * 4 ** -3 });
    const enough = late(4);
    expect(enough).to.deep.include({ tested: 4, latest: null, untested: [] });
    expect(enough.stragglers.map(({ part, steps, q }) => [part, steps, q])).to.deep.equal([[3, 4, 4 * 4 ** -4]]);
  });

  it('need more steps where there are more ranks, whatever these do', () => {
    const classes = [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ];
    const late = (steps: number): Lateness =>
      latenessOf(
        jobOf(8, steps, (rank) => (rank === 3 ? 30 : 0)),
        { classes, groups: [], refuted: new Set(), nodes: Array<null>(8).fill(null) },
      );
    // 8 · 4⁻⁴ is 3.1 %, 8 · 4⁻⁵ 0.8 %.
    expect(late(4)).to.deep.include({ tested: 0, stragglers: [] });
    expect(late(4).latest).to.deep.include({ part: 3, q: 8 * 4 ** -4 });
    expect(late(5)).to.deep.include({ tested: 8, untested: [] });
    expect(late(5).stragglers.map(({ part }) => part)).to.deep.equal([3]);
  });

  it('are not called untested when they are late', () => {
    // Seventeen of a hundred ranks are late in 40 steps, and one of twenty in the two that they have. Alone, it would have a
    // q-value of 120 · 20⁻² = 0.3; as one of eighteen, it has an eighteenth.
    const isLate = (rank: number): boolean => rank === 103 || (rank < 100 && rank % 6 === 3);
    const parts = jobOf(120, 40, (rank, step) => (rank >= 100 && step > 1 ? null : isLate(rank) ? 8 : 0));
    const classes = [[...parts.keys()].slice(0, 100), [...parts.keys()].slice(100)];
    const { stragglers, untested, tested } = latenessOf(parts, {
      ...{ classes, groups: [], refuted: new Set() },
      nodes: parts.map(() => null),
    });
    const late = new Set(stragglers.map(({ part }) => part));
    expect([...late]).to.include(103);
    expect(untested.filter(({ part }) => late.has(part))).to.deep.equal([]);
    expect(tested + untested.length).to.equal(120);
  });

  it('do not take the step after one that is missing for a long one', () => {
    const parts = jobOf(8, 12, (rank, step) => (rank === 3 && step === 6 ? null : 0));
    expect(lateIn(parts)).to.deep.include({ stragglers: [], delays: [] });
  });
});

describe('machines and groups', () => {
  it('are not late by one of their ranks', () => {
    expect(namesOf(lateIn(jobOf(16, 12, (rank) => (rank === 5 ? 5 : 0))))).to.deep.equal([5]);
    // By half of them neither.
    const half = lateIn(jobOf(16, 12, (rank) => (rank === 4 || rank === 5 ? 5 : 0)));
    expect(namesOf(half).sort()).to.deep.equal([4, 5]);
  });

  it('are late where most of their ranks are, and each of these is named too', () => {
    const late = lateIn(jobOf(16, 12, (rank) => (rank >= 4 && rank < 8 ? 5 : 0)));
    expect(namesOf(late)).to.have.members(['machine 1', 4, 5, 6, 7]);
    expect(late.stragglers[0]?.late).to.be.closeTo(5e6, 0.3e6);
  });

  it('are all named where several are late by different times', () => {
    const groups = [0, 4, 8, 12].map((first) => ({
      ...{ kind: 'tensor', name: `tensor ${first}-${first + 3}` },
      parts: [0, 1, 2, 3].map((rank) => first + rank),
    }));
    const more: More = (rank) => (rank >= 12 ? 2.5 : rank >= 4 && rank < 8 ? 5 : 0);
    const late = lateIn(jobOf(16, 12, more), 8, groups);
    expect(namesOf(late).filter((name) => typeof name === 'string')).to.deep.equal(['group tensor 4-7', 'group tensor 12-15']); // prettier-ignore
    // Against those that are not late.
    for (const { part, late: ns } of late.stragglers) expect(ns).to.be.closeTo(part >= 12 ? 2.5e6 : 5e6, 0.5e6);
  });
});

describe('several machines and groups that are late', () => {
  /** Groups of four ranks, on a machine each. */
  const named = (groups: number, late: Readonly<Record<number, number>>, as: 'machine' | 'group'): string[] => {
    const parts = jobOf(4 * groups, 12, (rank) => late[Math.floor(rank / 4)] ?? 0);
    const tensor = Array.from({ length: groups }, (_, group) => ({
      ...{ kind: 'tensor', name: `${group}`, parts: [0, 1, 2, 3].map((rank) => 4 * group + rank) },
    }));
    const { stragglers } = lateIn(parts, as === 'machine' ? 4 : 4 * groups, as === 'group' ? tensor : []);
    for (const { level, name, late: ns, peers } of stragglers)
      if (level !== 'rank') {
        expect(ns).to.be.closeTo(1e6 * (late[Number(name)] ?? 0), 0.3e6);
        expect(peers).to.be.at.most(groups);
      }
    return stragglers.flatMap(({ level, name }) => (level === as ? [name ?? ''] : [])).sort();
  };

  for (const as of ['machine', 'group'] as const) {
    it(`are all named, with what they are late by against those that are not: ${as}`, () => {
      expect(named(3, { 1: 2.5, 2: 5 }, as)).to.deep.equal(['1', '2']);
      expect(named(3, { 1: 3, 2: 3 }, as)).to.deep.equal(['1', '2']);
      expect(named(8, { 1: 3, 5: 3 }, as)).to.deep.equal(['1', '5']);
      expect(named(8, { 1: 1, 5: 2, 7: 1 }, as)).to.deep.equal(['1', '5', '7']);
      expect(named(8, { 0: 2, 2: 2, 3: 2, 5: 2, 7: 2 }, as)).to.deep.equal(['0', '2', '3', '5', '7']);
    });

    it(`are none where all but one take equally long: ${as}`, () => {
      expect(named(8, { 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2 }, as)).to.deep.equal([]);
    });

    it(`are none where all are alike: ${as}`, () => {
      expect([3, 4, 8, 16].map((groups) => named(groups, {}, as))).to.deep.equal([[], [], [], []]);
    });
  }

  it('stand in text and JSON', () => {
    const parts = jobOf(12, 12, (rank) => (rank >= 4 ? 3 : 0)).map((part, rank) => ({ ...part, host: 'abc'.charAt(rank / 4) })); // prettier-ignore
    const report = jobReport(parts);
    const named = ranksDocument(report, []).stragglers.filter(({ level }) => level === 'machine');
    expect(named.map(({ name, members }) => [name, members])).to.have.deep.members([['b', [4, 5, 6, 7]], ['c', [8, 9, 10, 11]]]); // prettier-ignore
    const text = jobLines(report);
    expect(text).to.include('\nLate        2 machines, 8 of 12 ranks\n');
    for (const name of ['b', 'c']) expect(text).to.match(new RegExp(`^ {2}machine ${name} \\(4 ranks with the same work\\): `, 'm')); // prettier-ignore
  });

  it('are ranks as well: two of three', () => {
    expect(namesOf(lateIn(jobOf(3, 12, (rank) => (rank > 0 ? 3 : 0)))).sort()).to.deep.equal([1, 2]);
  });
});

describe('ranks that are late in some steps', () => {
  it('are late by the mean of the steps compared, and in those that are late', () => {
    // 8 of 12 steps by 6 ms: 4 ms a step.
    const [straggler] = lateIn(jobOf(8, 12, (rank, step) => (rank === 5 && step % 3 !== 0 ? 6 : 0))).stragglers;
    expect(straggler).to.include({ part: 5, steps: 12, lateIn: 8 });
    expect(straggler?.late).to.be.closeTo(4e6, 0.3e6);
    expect(straggler?.reasons.parts[0]).to.include({ name: 'kernels' });
    expect(straggler?.reasons.parts[0]?.excess).to.be.closeTo(straggler?.late ?? 0, 0.1e6);
  });

  it('are named for one long stall, with the step', () => {
    const { stragglers, delays } = lateIn(jobOf(64, 12, (rank, step) => (rank === 17 && step === 6 ? 40 : 0)));
    expect(stragglers).to.deep.equal([]);
    expect(delays.map(({ part, delayed }) => [part, delayed.map(({ step }) => step)])).to.deep.equal([[17, [6]]]);
    expect(delays[0]?.late).to.be.closeTo(40e6, 2e6);
  });

  it('are named for short ones that come back', () => {
    const { delays } = lateIn(jobOf(8, 20, (rank, step) => (rank === 3 && step % 5 === 2 ? 8 : 0)));
    expect(delays.map(({ part, delayed }) => [part, delayed.map(({ step }) => step)])).to.deep.equal([[3, [2, 7, 12, 17]]]); // prettier-ignore
    expect(delays[0]?.late).to.be.closeTo(32e6, 3e6);
  });

  it('are named with the step from which on they are slow, or up to which', () => {
    const since = lateIn(jobOf(32, 24, (rank, step) => (rank === 5 && step >= 16 ? 1.2 : 0)));
    expect(since.stragglers.map(({ part, since: from, until }) => [part, from, until])).to.deep.equal([[5, 16, null]]);
    const until = lateIn(jobOf(32, 24, (rank, step) => (rank === 5 && step < 8 ? 1.2 : 0)));
    expect(until.stragglers.map(({ part, since: from, until: to }) => [part, from, to])).to.deep.equal([[5, null, 7]]);
    // By much: the steps themselves are far from those of the others.
    const [delay] = lateIn(jobOf(8, 12, (rank, step) => (rank === 5 && step >= 8 ? 8 : 0))).delays;
    expect(delay).to.include({ part: 5, since: 8, steps: 12 });
  });

  it('are none where times of whole microseconds differ by one', () => {
    /** Steps of 50 us, 25 us of which are own work. */
    const short = (part: RankPart): RankPart => {
      const { step, ...times } = part.steps;
      const scaled = Object.entries(times).map(([key, of]) => [key, of.map((time) => time && time / 2000)]);
      return { ...part, steps: { step, ...Object.fromEntries(scaled) } as RankPart['steps'] };
    };
    const noise = new Noise(1);
    const job = (delay: number): RankPart[] =>
      Array.from({ length: 8 }, (_, rank) => {
        const own = Array.from({ length: 20 }, (__, step) => (rank === 3 && step === 7 ? 50 + 2 * delay : 50));
        return short(rankPart(rank, own.map((time) => time + 2 * Number(noise.uniform() < 0.1)))); // prettier-ignore
      });
    const delays = [0, 20].map((delay) => lateIn(job(delay)).delays.map(({ part, late }) => [part, late]));
    expect(delays[0]).to.deep.equal([]);
    expect(delays[1]).to.have.length(1);
    expect(delays[1]?.[0]?.[0]).to.equal(3);
    expect(delays[1]?.[0]?.[1]).to.be.within(19_000, 21_000);
  });

  it('are none where ranks are alike', () => {
    let named = 0;
    const jobs = propertyRuns(60);
    for (let seed = 1; seed <= jobs; seed++) {
      const { stragglers, delays } = lateIn(jobOf(seed % 2 === 0 ? 8 : 32, 8 + (seed % 13), () => 0, seed));
      named += Number(stragglers.length + delays.length > 0);
    }
    // Each of three questions is answered falsely in at most 2 % of such jobs.
    expect(named).to.be.at.most(Math.ceil(0.06 * jobs));
  });
});

describe('profiles that do not say who they are', () => {
  it('have the machine of the name that PyTorch gives to traces', () => {
    const names = [
      'a_b_12.1760000000001.pt.trace.json.gz',
      'a_b_13.1760000000002.pt.trace.json',
      'rank_1.pt.trace.json',
    ];
    const { nodes } = membershipOf(names.map((file) => rankPart(0, [50], { file, rank: null })));
    expect(nodes).to.deep.equal(['a_b', 'a_b', null]);
  });

  it('have no offset of a clock where they do not say when they began', () => {
    const clock = { source: 'operations', against: 0, shift: 0, offset: 5, drift: 0, at: 0, residual: 1, bound: 1, operations: 9 } as const; // prettier-ignore
    const [known, unknown] = [rankPart(0, [50], { startUnixNs: '1700000000000000000' }), rankPart(1, [50])];
    expect(clockAhead(clock, known, [known])).to.equal(5);
    expect(clockAhead(clock, unknown, [known])).to.equal(null);
    expect(clockAhead(clock, known, [unknown])).to.equal(null);
    expect(clockAhead({ ...clock, source: 'reference', offset: 0 }, unknown, [unknown])).to.equal(0);
  });
});
