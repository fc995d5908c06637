/** What is said of a job: its causes first, of simulated jobs of which they are known, and nothing of one without. */
import { expect } from 'chai';
import type { JobRequest } from '../../../samples/programs/job/options.js';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import type { Adviser } from '../../../src/prof/advise/adviser.js';
import { adviserOf } from '../../support/advice.js';

const SMALL: JobRequest = { tp: 1, pp: 1, dp: 8, steps: 8, layers: 2, microBatches: 1, kernelsPerLayer: 1 };

function adviceOn(request: JobRequest): Adviser {
  const job = simulateJob({ ...SMALL, ...request });
  return adviserOf(job.ranks.flatMap(({ rank }) => [...jobRecords(job, rank, { profile: rank })]));
}

describe('advice on a job', () => {
  it('begins with the rank that is late, and names it once', () => {
    const [first, ...others] = adviceOn({ inject: { slowLayer: { rank: 5, layer: 1, factor: 1.5 } } }).findings;
    expect(first).to.include({ rule: 'job', profile: 5 });
    expect(first?.what).to.match(/^rank 5 is .* a step .* slower than its peers, because of kernels, in all 8 steps$/);
    expect(others.filter(({ rule }) => rule === 'job' || rule === 'stragglers')).to.deep.equal([]);
  });

  it('names each of several machines that are late', () => {
    const inject = { slowNode: { node: [1, 2], factor: 1.2 } };
    const found = adviceOn({ dp: 6, ranksPerNode: 2, inject }).findings.filter(({ rule }) => rule === 'job');
    const names = found.map(({ what }) => what.split(' is ')[0]).sort();
    expect(names).to.deep.equal(['machine node-001 (2 ranks)', 'machine node-002 (2 ranks)']);
  });

  it('says that a late rank waits for its data', () => {
    const [first] = adviceOn({ inject: { dataLoading: { rank: 3, ns: 5e6 } } }).findings;
    expect(first).to.include({ rule: 'job', profile: 3 });
    expect(first?.action).to.match(/loader/);
  });

  it('names a slow link', () => {
    const request = { tp: 2, dp: 4, inject: { slowLink: { rank: 6, factor: 3, kind: 'tensor' as const } } };
    const [first] = adviceOn(request).findings;
    expect(first?.rule).to.equal('job');
    expect(first?.what).to.match(/^slow link: .*\(ranks 6-7\) takes /);
  });

  it('says of the profiles that they begin apart, by more than a step', () => {
    const job = simulateJob({ ...SMALL, dp: 3, clocks: 'none' });
    const recordsOf = (rank: number) =>
      [...jobRecords(job, rank, { profile: rank })].map((record) =>
        record.type === 'profile' && rank === 2 && typeof record.startUnixNs === 'string'
          ? { ...record, startUnixNs: String(BigInt(record.startUnixNs) + 17_460_000_000n) }
          : record,
      );
    // Without operations in common: by the start of each profile.
    const alone = job.ranks.flatMap(({ rank }) => recordsOf(rank).filter((record) => !('collective' in record)));
    const first = adviserOf(alone).findings.find(({ about }) => about === 'profile');
    expect(first).to.include({ rule: 'job', profile: 2, gain: null });
    expect(first?.what).to.match(/^profiles start 17\.4\d s apart, rank [01] first and rank 2 last: /);
  });

  it('names nobody where all ranks are alike', () => {
    for (const seed of [1, 2, 3])
      expect(adviceOn({ seed }).findings.filter(({ rule }) => rule === 'job')).to.deep.equal([]);
  });
});
