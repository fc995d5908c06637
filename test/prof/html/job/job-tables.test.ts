/** Tables of a job on its page: what `dprof ranks` says. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { PageData } from '../../../../src/prof/html/page-data.js';
import type { JobTableName } from '../../../../src/prof/html/job/job-data.js';
import { pageDataOf } from '../../../support/pages.js';
import { openedRecordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { ROOT } from '../../../support/shared.js';

const FILES = [0, 1, 2, 3].map((rank) => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));

describe('a job on its page', () => {
  let page: PageData;
  let answer: Readonly<Record<string, readonly Record<string, unknown>[]>> = {};
  before(async () => {
    answer = JSON.parse((await runCli('dprof', ['ranks', '-f', 'jsonl', ...FILES])).stdout) as typeof answer;
    const records = await Promise.all(FILES.map((file, profile) => openedRecordsOf(file, { profile, ranges: true })));
    page = pageDataOf(records.flat());
  });

  it('has the profile of each rank, and who of them is late', () => {
    const ranks = page.job?.ranks ?? [];
    expect(ranks.map(({ profile }) => profile)).to.deep.equal([0, 1, 2, 3]);
    expect(page.job?.late.map(({ name }) => name)).to.deep.equal(['rank 2']);
    expect(ranks.filter(({ isLate }) => isLate).map(({ name }) => name)).to.deep.equal(['rank 2']);
    // Its time is in products: the op of the straggler, without a click.
    expect(page.job?.late[0]?.op?.name).to.equal('mm');
  });

  for (const name of ['stages', 'experts', 'groups'] satisfies JobTableName[])
    it(`has the table ${name} of dprof ranks`, () => {
      const table = page.job?.tables.find((one) => one.name === name);
      if (table === undefined) throw new Error('no such table');
      const said = answer[name] ?? [];
      expect(table.count).to.equal(said.length);
      for (const [at, one] of said.entries()) {
        const row = table.columns.map(({ key }, column) => [key, table.rows[at]?.[column]] as const);
        expect(Object.fromEntries(row)).to.deep.equal(Object.fromEntries(row.map(([key]) => [key, one[key]])));
      }
    });
});
