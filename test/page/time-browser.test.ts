/** Where the time of steps went, and what devices waited for: from the panels to the timeline. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { HOSTILE } from './fixture.js';
import { SPECIAL_PAGES } from './special-pages.js';
import { writePages } from './written-pages.js';

describeInBrowser('panels of time', (open) => {
  const folder = freshFolder();
  const timed = join(folder, 'timed.html');
  const two = join(folder, 'two.html');

  before(() => {
    writePages(folder, bundledProgram(), SPECIAL_PAGES);
  });

  it('says what a device waited for in the longest gap of a step, and leads there', async () => {
    const { page, complaints } = await open(timed);
    const panel = page.locator('[data-panel="idle"]');
    await panel.getByLabel('Step').selectOption('2');
    const rows = panel.getByRole('table', { name: 'Longest gaps' }).locator('tbody tr');
    const first = rows.first();
    expect(await first.locator('th, td').allTextContents()).to.deep.equal([
      ...['4.000 ms', '3,000.00', 'before 2', 'loading data', 'enumerate(DataLoader)', 'k', 'k'],
    ]);
    await first.getByRole('link').click();
    const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
    expect(address.get('t.span')).to.equal('4000000_7000000');
    await page.locator('[data-panel="timeline"] .tl').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('has a bar a step, each of which leads to its time in the timeline', async () => {
    const { page, complaints } = await open(timed);
    const panel = page.locator('[data-panel="steps"]');
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('svg').first().waitFor();
    expect(await panel.locator('.chart').first().getAttribute('aria-label')).to.equal(
      'Time of 2 steps on device 0, in order: step 1 3.000 ms, step 2 4.000 ms',
    );
    await panel.getByRole('table', { name: 'Steps', exact: true }).getByRole('link', { name: '2' }).click();
    const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
    expect(address.get('t.span')).to.equal('7000000_11000000');
    expect(complaints).to.deep.equal([]);
  });

  it('compares the median step with the slowest, and others that are chosen', async () => {
    const { page, complaints } = await open(two);
    const panel = page.locator('[data-panel="steps"]');
    const table = panel.getByRole('table', { name: 'Steps compared', exact: true });
    await table.locator('tbody tr').first().waitFor();
    const rowsOf = async (): Promise<string[][]> => {
      const rows = await table.locator('tbody tr').all();
      return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
    };
    // Steps take 2.5, 3 and 4 ms; both columns add up to that of their step: 3 and 4 ms.
    expect(await rowsOf()).to.deep.equal([
      ['Idle: waiting for launches', 'Idle', '1,000.00', '2,000.00', '1,000.00'],
      [HOSTILE, 'Compute', '1,100.00', '1,200.00', '100.00'],
      ['Other ops', 'Compute', '400.00', '300.00', '-100.00'],
      ['all-reduce', 'Exposed communication', '500.00', '500.00', '0.00'],
    ]);
    await panel.getByRole('combobox', { name: 'Compared with' }).selectOption({ index: 0 });
    // Step 0 has half a ms less idle time.
    expect((await rowsOf())[0]).to.deep.equal(['Idle: waiting for launches', 'Idle', '1,000.00', '500.00', '-500.00']);
    expect(new URL(page.url()).hash).to.contain('compared.with=0');
    expect(complaints).to.deep.equal([]);
  });
});
