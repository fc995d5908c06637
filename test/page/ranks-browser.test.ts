/** The ranks of a job as users compare them. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { FIXTURE } from './fixture.js';
import { writePages } from './written-pages.js';

describeInBrowser('ranks of a page', (open) => {
  const folder = freshFolder();
  const file = join(folder, 'two.html');
  before(() => {
    const idle = [{ name: 'rank 2 (r2.json)', reason: 'the profiler has no permission to read the GPU' }];
    const job = FIXTURE.job === null ? null : { ...FIXTURE.job, withoutWork: 3, idle };
    const ranks = FIXTURE.job?.ranks.map((rank, device) => ({ ...rank, device, sharesRank: true })) ?? [];
    const ofCores = FIXTURE.job === null ? null : { ...FIXTURE.job, ranks };
    writePages(folder, bundledProgram(), {
      two: { data: FIXTURE, parts: [] },
      idle: { data: { ...FIXTURE, job }, parts: [] },
      cores: { data: { ...FIXTURE, job: ofCores }, parts: [] },
    });
  });

  it('opens a rank at a step from a cell of the heat map', async () => {
    const { page, complaints } = await open(file);
    await page.getByRole('tab', { name: 'Ranks' }).click();
    const panel = page.locator('[data-panel="ranks"]');
    expect(await panel.locator('.heat tbody th').nth(1).textContent()).to.match(/^rank 1\s*▲ late/);
    await panel.getByRole('button', { name: /^rank 1, step 1/ }).click();
    expect(await page.locator('main').getAttribute('data-profile')).to.equal('1');
    await page.locator('[data-panel="steps"] .chart').first().waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('holds no device of a rank against another of the same', async () => {
    const { page, complaints } = await open(join(folder, 'cores.html'), {}, 'tab=ranks');
    const panel = page.locator('[data-panel="ranks"]');
    expect(await panel.locator('.heat td.unknown').count()).to.be.above(1);
    expect(await panel.locator('.heat td.less, .heat td.more').count()).to.equal(0);
    expect(await panel.textContent()).to.match(/compared with the same device of other ranks/);
    const ofRanks = await open(file, {}, 'tab=ranks');
    expect(await ofRanks.page.locator('[data-panel="ranks"] .heat td.more').count()).to.be.above(0);
    expect(complaints).to.deep.equal([]);
  });

  it('lists profiles without work on a device, and counts those that it does not name', async () => {
    const { page, complaints } = await open(join(folder, 'idle.html'));
    await page.getByRole('tab', { name: 'Ranks' }).click();
    const items = page.locator('[data-panel="ranks"] .idle li');
    expect(await items.allTextContents()).to.deep.equal([
      'rank 2 (r2.json): the profiler has no permission to read the GPU',
      '2 more',
    ]);
    expect(await page.locator('[data-panel="ranks"]').textContent()).to.match(/Profiles without work on a device\s*3/);
    expect(complaints).to.deep.equal([]);
  });

  it('begins with who is late, and leads to why', async () => {
    const { page, complaints } = await open(file);
    const first = page.locator('[data-panel="verdict"] .late-rank');
    expect(await first.textContent()).to.match(/^Rank 1 is late: .+ a step \(.+ %\)/);
    await first.getByRole('link').click();
    await page.locator('[data-panel="ranks"] .late').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('sorts ranks by a step and by any figure, and copies them', async () => {
    const { page, complaints } = await open(file, { permissions: ['clipboard-read', 'clipboard-write'] }, 'tab=ranks');
    const panel = page.locator('[data-panel="ranks"]');
    const copied = async (name: string): Promise<string[]> => {
      const copy = panel.getByRole('button', { name: `Copy as CSV: ${name}` });
      await copy.click();
      await copy.filter({ hasText: 'Copied' }).waitFor();
      return (await page.evaluate<string>('navigator.clipboard.readText()')).trimEnd().split('\n');
    };
    const heat = panel.locator('.heat');
    await heat.getByRole('button', { name: '1', exact: true }).click();
    expect(await heat.locator('tbody th').first().textContent()).to.match(/^rank 1/);
    expect(await copied('Own work by rank and step')).to.deep.equal([
      ...['Rank,1 (ns),2 (ns)', 'rank 1,42000000,na', 'rank 0,40000000,41000000'],
    ]);
    const compared = panel.getByRole('table', { name: 'Profiles compared' });
    await compared.getByRole('button', { name: /^Busy/ }).click();
    expect(await compared.locator('tbody th').allTextContents()).to.deep.equal(['rank 1', 'rank 0']);
    expect((await copied('Profiles compared'))[1]).to.match(/^rank 1,10000000,9600000,/);
    expect(complaints).to.deep.equal([]);
  });

  it('goes from cell to cell of the heat map by arrows', async () => {
    const { page, complaints } = await open(file, {}, 'tab=ranks');
    const heat = page.locator('[data-panel="ranks"] .heat');
    expect(await heat.locator('[tabindex="0"]').count()).to.equal(1);
    await heat.locator('[tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.match(/^rank 1, step 1: 42/);
    expect(await page.locator('[data-panel="ranks"] .beneath .status').first().textContent()).to.match(
      /^rank 1, step 1/,
    );
    await page.keyboard.press('Enter');
    await page.locator('main[data-profile="1"]').waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
