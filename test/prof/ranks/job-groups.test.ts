/** Groups of a job by what each rank says of them. */
import { expect } from 'chai';
import type { FormatOptions } from '../../../samples/programs/job/context.js';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { jobReport, type JobReport } from '../../../src/prof/ranks/job-report.js';
import { RankCollector } from '../../../src/prof/ranks/part/rank-collector.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import type { ProfileLine } from '../../../src/record/record.js';

const job = simulateJob({ tp: 2, pp: 2, dp: 2, steps: 4, layers: 2, microBatches: 2, kernelsPerLayer: 2 });

function partsOf(format: FormatOptions, changed: (record: ProfileLine) => ProfileLine): RankPart[] {
  return job.ranks.flatMap(({ rank }) => {
    const collector = new RankCollector();
    for (const record of jobRecords(job, rank, format)) collector.take(changed(record));
    return collector.parts;
  });
}

/** What there is of each group but its name. */
const groupsIn = ({ groups }: JobReport): unknown[] =>
  groups
    .map(({ ranks, pair, kind, by, matched, unmatched, parts }) => ({
      ranks,
      pair,
      kind,
      by,
      matched,
      unmatched,
      parts,
    }))
    .map((group) => JSON.stringify(group))
    .sort();

const asOne = (record: ProfileLine): ProfileLine => {
  if (record.type === 'profile')
    return { ...record, groups: (record.groups ?? []).map((group) => ({ ...group, name: 'pg' })) };
  return record.type === 'kernel' && record.collective !== undefined
    ? { ...record, collective: { ...record.collective, group: 'pg' } }
    : record;
};

describe('groups of a job', () => {
  for (const [what, format] of [
    ['with ordinals', { ordinals: true, descriptions: true }],
    ['without', { ordinals: false, descriptions: false }],
  ] as const)
    it(`are told apart by their ranks where they have one name, ${what}`, () => {
      const own = jobReport(partsOf(format, (record) => record));
      expect(groupsIn(jobReport(partsOf(format, asOne)))).to.deep.equal(groupsIn(own));
    });

  it('have the operations of which the ranks are cut off, where only one group of the name fits', () => {
    let count = 0;
    const someCut = (record: ProfileLine): ProfileLine =>
      record.type === 'kernel' && record.collective !== undefined && count++ % 3 !== 1
        ? { ...record, collective: { ...record.collective, ranks: null } }
        : record;
    const own = jobReport(partsOf({}, (record) => record));
    expect(groupsIn(jobReport(partsOf({}, someCut)))).to.deep.equal(groupsIn(own));
    // Without a list in the header too: the other operations of the name say which ranks these are.
    const unlisted = (record: ProfileLine): ProfileLine =>
      record.type === 'profile' ? { ...record, groups: [] } : someCut(record);
    const withoutHeader = (record: ProfileLine): ProfileLine =>
      record.type === 'profile' ? { ...record, groups: [] } : record;
    expect(groupsIn(jobReport(partsOf({}, unlisted)))).to.deep.equal(groupsIn(jobReport(partsOf({}, withoutHeader))));
  });

  it('do not depend on the order in which a profile lists ranks', () => {
    let count = 0;
    const turned = (record: ProfileLine): ProfileLine =>
      record.type === 'kernel' && record.collective !== undefined && count++ % 2 === 0
        ? {
            ...record,
            collective: { ...record.collective, ranks: [...(record.collective.ranks ?? [])].reverse() },
          }
        : record;
    const own = jobReport(partsOf({}, (record) => record));
    expect(groupsIn(jobReport(partsOf({}, turned)))).to.deep.equal(groupsIn(own));
  });
});
