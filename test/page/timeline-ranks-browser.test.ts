/** Several ranks in one timeline in a browser: chosen by mouse and keys, by links, and from the Ranks tab. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { untilAddress } from '../support/page-waits.js';
import { bundledProgram } from '../support/page-program.js';
import { sampleJob } from '../support/sample-job.js';
import { writePages } from './written-pages.js';

const parametersOf = (page: Page): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));

const shown = (page: Page, what: string): Promise<void> =>
  page.locator('.tl-what', { hasText: new RegExp(`^${what},`) }).waitFor();

const groups = async (page: Page): Promise<string[]> => {
  const names = await page.locator('.tl-group-row').allInnerTexts();
  return names.map((name) =>
    name
      .replace(/\s+/g, ' ')
      .replace(/: NVIDIA.*/, '')
      .trim(),
  );
};

describeInBrowser('several ranks in the timeline', (open) => {
  const folder = freshFolder();
  const openPage = async (fragment: string, wanted = '.tl-canvas') => {
    const opened = await open(join(folder, 'job.html'), { viewport: { width: 1200, height: 900 } }, fragment);
    await opened.page.waitForSelector(wanted);
    return opened;
  };
  before(async () => writePages(folder, bundledProgram(), { job: await sampleJob() }));

  it('shows one rank at first, and all of them where that is chosen', async () => {
    const { page, complaints, requests } = await openPage('tab=timeline&t.piece=2');
    await shown(page, 'step 1');
    expect((await groups(page))[0]).to.equal('▾ device 0');
    const list = page.getByLabel('Ranks shown');
    expect(await list.locator('option').allInnerTexts()).to.deep.equal([
      'rank 0 alone',
      'all 4 ranks',
      'late ranks (1)',
    ]);
    await list.selectOption('all 4 ranks');
    await shown(page, 'step 1 of 4 ranks');
    expect((await groups(page)).map((name) => name.slice(0, 10))).to.deep.equal(
      ['▾', '▸'].flatMap((sign) => [0, 1, 2, 3].map((rank) => `${sign} rank ${rank} ·`)),
    );
    expect(await page.locator('.tl-corner').innerText()).to.equal("time from rank 0's start");
    expect(parametersOf(page).get('t.ranks')).to.equal('all');
    expect(complaints).to.deep.equal([]);
    expect(requests).to.have.length(1);
  });

  it('goes from step to step by keys and by the list, and back to one rank', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.ranks=all&t.piece=2');
    await shown(page, 'step 1 of 4 ranks');
    await page.locator('.tl-canvas').press(']');
    await shown(page, 'step 2 of 4 ranks');
    await page.locator('.tl-canvas').press('[');
    await shown(page, 'step 1 of 4 ranks');
    await page.getByLabel('Show', { exact: true }).selectOption({ index: 0 });
    await shown(page, 'whole profile of 4 ranks');
    await page.getByLabel('Ranks shown').selectOption('late ranks (1)');
    await shown(page, 'whole profile of 2 ranks');
    await page.getByLabel('Ranks shown').selectOption('rank 0 alone');
    await shown(page, 'whole profile');
    expect(parametersOf(page).has('t.ranks')).to.equal(false);
    expect(complaints).to.deep.equal([]);
  });

  it('shows the ranks that are checked', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=2');
    await shown(page, 'step 1');
    await page.locator('.tl-choose summary').focus();
    await page.keyboard.press('Enter');
    // The own rank first, then the late one.
    const boxes = page.locator('.tl-choose label');
    expect(await boxes.allInnerTexts()).to.deep.equal([' rank 0', ' rank 2 ▲ late', ' rank 1', ' rank 3']);
    await page.getByRole('checkbox', { name: 'rank 3' }).focus();
    await page.keyboard.press('Space');
    await shown(page, 'step 1 of 2 ranks');
    await page.getByRole('checkbox', { name: 'rank 2' }).click();
    await shown(page, 'step 1 of 3 ranks');
    expect(parametersOf(page).get('t.ranks')).to.equal('0,2-3');
    expect(await page.getByLabel('Ranks shown').locator('option:checked').innerText()).to.equal('3 ranks');
    expect(await page.getByRole('checkbox', { name: 'rank 0' }).isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'None' }).click();
    await shown(page, 'step 1');
    expect(complaints).to.deep.equal([]);
  });

  it('is restored from a link, and explains an event by its own profile', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.ranks=all&t.piece=3&t.search=name:nccl');
    await shown(page, 'step 2 of 4 ranks');
    await page.locator('.tl-matches', { hasText: 'matches' }).waitFor();
    const canvas = page.locator('.tl-canvas');
    const found = new Set<string>();
    await canvas.focus();
    for (let i = 0; i < 8; i++) {
      await canvas.press('n');
      found.add(await page.locator('.tl-details dd').first().innerText());
    }
    expect([...found].every((rank) => /^rank [0-3]$/.test(rank))).to.equal(true);
    expect(found.size).to.be.above(1);
    await page.getByRole('searchbox', { name: /^Search events/ }).fill('group:"rank 2" kind:kernel');
    await page.locator('.tl-matches', { hasText: 'matches' }).waitFor();
    await untilAddress(page, 'the search', (now) => now.get('t.search')?.startsWith('group') === true);
    const before = parametersOf(page).toString();
    await canvas.press('n');
    await page.locator('.tl-details dd', { hasText: /^rank 2$/ }).waitFor();
    const command = await page.locator('.tl-command').innerText();
    expect(command).to.match(/^dprof --explain 2:\d+ test$/);
    await untilAddress(page, `other than ${before}`, (address) => address.toString() !== before);
    // The same link, opened anew.
    const again = await openPage(new URL(page.url()).hash.slice(1));
    await again.page.locator('.tl-details dd', { hasText: /^rank 2$/ }).waitFor();
    expect(await again.page.locator('.tl-command').innerText()).to.equal(command);
    expect([...complaints, ...again.complaints]).to.deep.equal([]);
  });

  it('keeps which groups are open in the link', async () => {
    const { page } = await openPage('tab=timeline&t.ranks=0-1&t.piece=2');
    await shown(page, 'step 1 of 2 ranks');
    for (const rank of [0, 1]) {
      const before = parametersOf(page).toString();
      await page.getByRole('button', { name: `Lanes of rank ${rank} · process` }).click();
      await untilAddress(page, `other than ${before}`, (address) => address.toString() !== before);
    }
    const again = await openPage(new URL(page.url()).hash.slice(1));
    await shown(again.page, 'step 1 of 2 ranks');
    expect((await groups(again.page)).every((name) => name.startsWith('▾'))).to.equal(true);
  });

  it('keeps the view when ranks join, and the times of the rank', async () => {
    const { page } = await openPage('tab=timeline&profile=2&t.profile=2&t.piece=3&t.view=70000000_72000000');
    await shown(page, 'step 2');
    await page.getByLabel('Ranks shown').selectOption('all 4 ranks');
    await shown(page, 'step 2 of 4 ranks');
    expect(parametersOf(page).get('t.view')).to.equal('70000000_72000000');
    expect(await page.locator('.tl-corner').innerText()).to.equal("time from rank 2's start");
  });

  it('looks in other steps for what the shown one does not have', async () => {
    const { page } = await openPage('tab=timeline&t.ranks=0-1&t.piece=2&t.search=name:%22ProfilerStep%234%22');
    await shown(page, 'step 4 of 2 ranks');
  });

  it('is reached from the heat map: a rank at a step, all ranks at a step', async () => {
    const { page, complaints } = await openPage('tab=ranks', '.heat');
    await page.getByRole('button', { name: 'All ranks at step 4 in the timeline' }).click();
    await shown(page, 'step 4 of 4 ranks');
    await page.getByRole('tab', { name: 'Ranks' }).click();
    await page.getByRole('button', { name: /^rank 3, step 2: / }).click();
    await shown(page, 'step 2');
    expect(parametersOf(page).get('t.profile')).to.equal('3');
    expect(complaints).to.deep.equal([]);
  });
});
