/** Loads of experts: sizes of all-to-alls that are known by construction. */
import { expect } from 'chai';
import { partsOf } from '../../../../bench/job-check.js';
import { simulateJob } from '../../../../samples/programs/job/simulate.js';
import { jobReport } from '../../../../src/prof/ranks/job-report.js';
import type { RankPart } from '../../../../src/prof/ranks/part/rank-part.js';
import { RANK_TABLES } from '../../../../src/prof/ranks/tables/tables.js';

const job = simulateJob({ tp: 1, pp: 1, dp: 4, steps: 3, layers: 2, microBatches: 2, kernelsPerLayer: 2 });

/** The gradients' operations as all-to-alls of experts, of sizes by rank and place. */
const asExperts = (part: RankPart, sizeOf: (rank: number, place: number) => number | null): RankPart => {
  const { operations, processGroups } = part;
  const name = processGroups.find(({ description }) => description === 'DATA_PARALLEL_GROUP')?.name;
  const isExpert = operations.group.map((group) => operations.groups[group] === name);
  return {
    ...part,
    processGroups: processGroups.map((one) => (one.name === name ? { ...one, description: 'EXPERT_GROUP' } : one)),
    operations: {
      ...operations,
      kind: operations.kind.map((kind, at) => (isExpert[at] === true ? 'all-to-all' : kind)),
      bytes: operations.bytes.map((bytes, at) => (isExpert[at] === true ? sizeOf(part.rank ?? 0, at) : bytes)),
    },
  };
};

const parts = partsOf(job, { ordinals: true, descriptions: true });
const expertsIn = (sizeOf: (rank: number, place: number) => number | null) =>
  jobReport(parts.map((part) => asExperts(part, sizeOf)));

describe('experts', () => {
  it('are loaded evenly where all send as much', () => {
    const [group] = expertsIn(() => 1000).experts;
    expect(group).to.include({ bytes: 1000, imbalance: 1, highest: 1, mostRatio: 1 });
  });

  it('have the largest over the mean', () => {
    // 1, 1, 1 and 5 of a thousand: the mean is 2.
    const report = expertsIn((rank) => (rank === 2 ? 5000 : 1000));
    expect(report.experts).to.have.length(1);
    expect(report.experts[0]).to.include({ bytes: 2000, imbalance: 2.5, highest: 2.5, most: 2, mostRatio: 2.5 });
    expect(RANK_TABLES.experts.missing(report)).to.equal(null);
    expect([...RANK_TABLES.experts.of(report).rows]).to.have.length(1);
  });

  it('count operations alone of which all sizes are known', () => {
    const report = expertsIn((rank) => (rank === 1 ? null : 1000));
    expect(report.experts).to.deep.equal([]);
    expect(RANK_TABLES.experts.missing(report)).to.match(/^no experts: no matched all-to-all /);
  });
});
