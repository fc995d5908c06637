/** Waits that could be clock error: those that do not exceed the possible error of the clocks. */
import { expect } from 'chai';
import type { JobReport } from '../../../src/prof/ranks/job-report.js';
import { jobVerdict, waitDoubt } from '../../../src/prof/advise/job/job-causes.js';
import type { RankClock } from '../../../src/prof/ranks/clocks/job-clocks.js';
import type { MatchedGroup } from '../../../src/prof/ranks/matching/match-group.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import { RankWaits, TransferCounter } from '../../../src/prof/ranks/transfers.js';
import { waitsOf } from '../../../src/prof/ranks/waits.js';
import { rankPart } from '../../support/rank-part.js';
import { runCli } from '../../support/run-cli.js';
import { itShared } from '../../support/shared.js';

const clock = (bound: number | null): RankClock => ({
  ...{ source: 'operations', against: 0, shift: 0, offset: 0, drift: 0, at: 0 },
  ...{ residual: 0, bound, operations: 3 },
});

/** Three operations of 200 ns, which rank 0 joins 50, 10 and 100 ns before rank 1. */
function waited(bounds: readonly [number | null, number | null], given: Partial<RankPart> = {}): unknown[] {
  const part = (rank: number, start: readonly number[]): RankPart => {
    const made = rankPart(rank, [], given);
    return { ...made, operations: { ...made.operations, start, dur: start.map(() => 200) } };
  };
  const parts = [part(0, [0, 1000, 2000]), part(1, [50, 1010, 2100])];
  const group = { members: [{ part: 0 }, { part: 1 }], pair: null, size: 2 };
  const operations = [0, 1, 2].map((at) => ({ at: [at, at], signature: { kind: 'all-reduce', bytes: 4 } }));
  const matched = { group, operations } as unknown as MatchedGroup;
  const [ranks, sums] = [new RankWaits(2), new TransferCounter()];
  for (const waits of waitsOf(matched, parts, bounds.map(clock))) {
    ranks.add(waits);
    sums.add(waits, 2);
  }
  return [...ranks.waited, ...ranks.unsure, sums.sums.unsure];
}

describe('waits that could be clock error', () => {
  it('are those no longer than the larger error of the two clocks', () => {
    // 50 and 10 ns are within 60 ns, 100 ns are not: 60 of 160 ns.
    expect(waited([60, 20])).to.deep.equal([160, 0, 60, 0, 60 / 160]);
    expect(waited([9, 9])).to.deep.equal([160, 0, 0, 0, 0]);
  });

  it('are all where the error of a clock is unknown, and none between devices of one profile', () => {
    expect(waited([60, null])).to.deep.equal([160, 0, 160, 0, 1]);
    expect(waited([60, null], { file: 'one.json', isDevice: true })).to.deep.equal([160, 0, 0, 0, 0]);
  });

  it('are mentioned from 1 % of the waiting on', () => {
    expect(waitDoubt({ waited: 100, unsure: 1 })).to.equal('');
    expect(waitDoubt({ waited: 100, unsure: 2 })).to.equal(', 2.0 % of it could be clock error');
    expect(waitDoubt({ waited: 100, unsure: 100 })).to.equal(', all of it could be clock error');
    expect(waitDoubt({ waited: 0, unsure: 0 })).to.equal('');
  });

  it('lead the verdict on a job if a rank waited for more than 1 % of its time', () => {
    const part = {
      rank: 0,
      file: 'rank0.json',
      device: 0,
      isDevice: false,
      steps: { start: [50, 550], end: [500, 1050] },
    };
    const waitsOfRank = (longest: number): string | null => {
      const ranks = [{ part: 0, waited: longest, unsure: 0 }];
      const report = { parts: [part], ranks, lateness: { stragglers: [], tested: 1, untested: [] } };
      return jobVerdict(report as unknown as JobReport).waits;
    };
    // Of 1000 ns.
    expect(waitsOfRank(10)).to.equal(null);
    expect(waitsOfRank(11)).to.equal('rank 0 waited longest for others: 11 ns');
  });

  itShared(
    'are three of four kinds of operations of two ranks whose clocks may be 11.67 ms off',
    ['data/kineto/ranks/sampled_rank-0.json.gz', 'data/kineto/ranks/sampled_rank-1.json.gz'],
    async (paths) => {
      const answer = async (...args: readonly string[]): Promise<string> =>
        (await runCli('dprof', [...args, ...paths])).stdout;
      // An all-reduce waits 22.328 ms; 4.859, 3.302 and twice 0.688 ms are shorter than the error: 9.537 of 31.865 ms.
      expect(await answer('ranks', '-q')).to.include(
        '\n  waits     29.9 % of the 31.86 ms of waiting could be clock error: these waits do not exceed the possible error of the clocks\n',
      );
      const table = await answer('ranks', '-q', '-t', 'collectives', '-f', 'csv', '-c', 'kind,wait,unsure');
      expect(table.trimEnd().split('\n').slice(1)).to.deep.equal([
        'all-reduce,11164000,0',
        'all-to-all,2429500,100',
        'all-reduce,1651000,100',
        'all-gather,344000,100',
      ]);
      expect(await answer('advise', '-q')).to.match(
        /^# job: which rank is late is unknown: too few steps in common with ranks that do the same work; rank 0 waited longest for others: 31\.86 ms, 29\.9 % of it could be clock error\n/,
      );
    },
  );
});
