/** Groups of which some ranks have no profile, and groups within and between machines. */
import { expect } from 'chai';
import type { JobRequest } from '../../../samples/programs/job/options.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { partsOf } from '../../../bench/job-check.js';
import { jobReport } from '../../../src/prof/ranks/job-report.js';
import { CLASS_COLUMNS, GROUP_COLUMNS } from '../../../src/prof/ranks/tables/group-table.js';

const SMALL: JobRequest = { steps: 6, layers: 2, microBatches: 2, kernelsPerLayer: 1 };
const STATED = { ordinals: true, descriptions: true };

describe('groups of which some ranks have no profile', () => {
  const job = simulateJob({ ...SMALL, tp: 2, pp: 1, dp: 4, inject: { dataLoading: { rank: 2, ns: 20e6 } } });
  const parts = partsOf(job, STATED);
  const whole = jobReport(parts);
  const report = jobReport(parts.filter(({ rank }) => rank !== 2));
  const cellOf = (key: string, index: number): unknown => {
    const group = report.groups[index];
    return group === undefined ? null : GROUP_COLUMNS.find((one) => one.key === key)?.value(group);
  };

  it('say how many of them there are, and that waits are lower bounds and transfers upper ones', () => {
    let incomplete = 0;
    for (const [index, { ranks, transfers, parts: captured }] of report.groups.entries()) {
      const isIncomplete = ranks?.includes(2) === true;
      expect(cellOf('complete', index)).to.equal(isIncomplete ? 'no' : 'yes');
      if (!isIncomplete || captured.length < 2 || transfers === null) continue;
      incomplete++;
      const before = whole.groups.find((one) => one.ranks?.join() === ranks.join())?.transfers;
      expect(transfers.wait).to.be.at.most((before?.wait ?? 0) + 2000);
      expect(transfers.transfer).to.be.at.least((before?.transfer ?? Infinity) - 2000);
      expect(transfers.busBandwidth).to.equal(null);
    }
    expect(incomplete).to.equal(2);
    const cells = report.classes.map((row) => CLASS_COLUMNS.find(({ key }) => key === 'incomplete')?.value(row));
    expect(cells).to.include(1);
  });

  it('are no slow links, however late the rank is that is not there', () => {
    expect(whole.slowGroups).to.deep.equal([]);
    expect(report.slowGroups).to.deep.equal([]);
  });
});

describe('groups within and between machines', () => {
  /** Three ranks a machine: some pairs of neighbours are on two. */
  const spread: JobRequest = { ...SMALL, tp: 2, pp: 1, dp: 12, ranksPerNode: 3 };

  it('are not compared with each other', () => {
    const report = jobReport(partsOf(simulateJob(spread), STATED));
    const machines = report.groups.flatMap((group) => (group.kind === 'tensor' ? group.machines : []));
    expect([...new Set(machines)].sort()).to.deep.equal([1, 2]);
    expect(report.slowGroups).to.deep.equal([]);
  });

  it('are compared with those of their reach', () => {
    for (const rank of [0, 2]) {
      const inject = { slowLink: { rank, factor: 1.5, kind: 'tensor' } } as const;
      const { slowGroups, groups } = jobReport(partsOf(simulateJob({ ...spread, inject }), STATED));
      expect(slowGroups.map(({ group }) => groups[group]?.ranks)).to.deep.equal([[rank, rank + 1]]);
    }
  });
});
