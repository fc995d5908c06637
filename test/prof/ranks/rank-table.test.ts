/** The table of ranks: what a profile does not say is unknown. */
import { expect } from 'chai';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { partsOf } from '../../../bench/job-check.js';
import { jobReport } from '../../../src/prof/ranks/job-report.js';
import type { RankPart, StepColumns } from '../../../src/prof/ranks/part/rank-part.js';
import { membershipOf } from '../../../src/prof/ranks/membership.js';
import { distinguishing, RANK_COLUMNS, rankRows } from '../../../src/prof/ranks/tables/rank-table.js';
import { RANK_TABLES } from '../../../src/prof/ranks/tables/tables.js';

const parts = partsOf(simulateJob({ tp: 2, pp: 1, dp: 1, steps: 3, layers: 1, microBatches: 1 }), {});

/** As a profile without steps has it: one row of all work. */
const withoutSteps = (part: RankPart): RankPart => {
  const firsts = Object.entries(part.steps).map(([key, list]) => [key, (list as readonly unknown[]).slice(0, 1)]);
  return { ...part, steps: { ...(Object.fromEntries(firsts) as unknown as StepColumns), step: [null] } };
};

describe('the table of ranks', () => {
  const cellsOf = (given: readonly RankPart[], key: string): unknown[] =>
    rankRows(jobReport(given)).map((row) => RANK_COLUMNS.find((one) => one.key === key)?.value(row));

  it('has no time of a step of a profile that does not say what its steps are', () => {
    expect(cellsOf(parts, 'steps')).to.deep.equal([3, 3]);
    for (const key of ['steps', 'step_time']) {
      const [first, second] = cellsOf([withoutSteps(parts[0] as RankPart), parts[1] as RankPart], key);
      expect(first).to.equal(null);
      expect(second).to.be.a('number');
    }
    expect(cellsOf(parts.map(withoutSteps), 'compute').every((value) => typeof value === 'number')).to.equal(true);
  });

  it('and the others have columns for screens that there are', () => {
    for (const { screen, columns } of Object.values(RANK_TABLES)) {
      const keys = columns.map(({ key }) => key);
      for (const key of screen) expect(keys).to.include(key);
    }
  });

  it('tells devices of one rank apart, and profiles without a rank; a rank is there twice in two profiles alone', () => {
    const [part] = parts as [RankPart];
    const second = { ...part, device: 1 };
    expect(membershipOf([part, second]).doubled).to.deep.equal([]);
    expect(distinguishing([part, second])).to.deep.equal(['device']);
    const copy = { ...part, file: 'copy' };
    expect(membershipOf([part, second, copy]).doubled).to.deep.equal([{ rank: 0, files: [part.file, 'copy'] }]);
    expect(membershipOf([part, part]).doubled).to.deep.equal([{ rank: 0, files: [part.file, part.file] }]);
    const unranked = [part, copy].map((one) => ({ ...one, rank: null }));
    expect(distinguishing(unranked)).to.deep.equal(['file']);
    expect(distinguishing(parts)).to.deep.equal([]);
  });
});
