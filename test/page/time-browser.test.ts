/** Where the time of steps went, and what devices waited for: from the panels to the timeline. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { SPECIAL_PAGES } from './special-pages.js';
import { writePages } from './written-pages.js';

describeInBrowser('panels of time', (open) => {
  const folder = freshFolder();
  const timed = join(folder, 'timed.html');

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
});
