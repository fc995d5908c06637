/** Profiles of a page, each of which is parsed when it is shown. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { sampleJob } from '../support/sample-job.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

/** Ids of the elements with profiles that are not yet parsed. */
const UNREAD = `[...document.querySelectorAll('script[id^=profile-]')].map(({ id }) => id)`;
const FIGURES = `[...document.querySelectorAll('[data-field]')].map(({ dataset }) => dataset.field + ' ' + dataset.value)`;

const isShown = (page: Page, at: number): Promise<void> => page.locator(`main[data-profile="${at}"]`).waitFor();

/** All figures of a page, in order. */
async function figuresOf(page: Page): Promise<string[]> {
  for (const tab of await tabsOf(page)) await showWholeTab(page, tab);
  return page.evaluate<string[]>(FIGURES);
}

describeInBrowser('profiles of a page', (open) => {
  const folder = freshFolder();
  const path = join(folder, 'job.html');
  before(async () => writePages(folder, bundledProgram(), { job: await sampleJob() }));

  it('are parsed when they are shown, and no earlier', async () => {
    const { page, complaints } = await open(path);
    expect(await page.evaluate(UNREAD)).to.deep.equal(['profile-1', 'profile-2', 'profile-3']);
    await page.getByLabel('Rank', { exact: true }).selectOption('rank 2');
    await isShown(page, 2);
    expect(await page.evaluate(UNREAD)).to.deep.equal(['profile-1', 'profile-3']);
    await page.getByLabel('Rank', { exact: true }).selectOption('rank 0');
    await isShown(page, 0);
    expect(complaints).to.deep.equal([]);
  });

  it('show the same by the address as by the list, however often they were left', async () => {
    const addressed = await open(path, {}, 'profile=3');
    await isShown(addressed.page, 3);
    const { page, complaints } = await open(path);
    const list = page.getByLabel('Rank', { exact: true });
    for (const rank of [3, 1, 3]) {
      await list.selectOption(`rank ${rank}`);
      await isShown(page, rank);
    }
    expect(await figuresOf(page)).to.deep.equal(await figuresOf(addressed.page)).and.not.be.empty;
    expect([...complaints, ...addressed.complaints]).to.deep.equal([]);
  });

  it('that a file cut off no longer holds are said to be missing, and the others are shown', async () => {
    const whole = readFileSync(path, 'utf8');
    const beginning = whole.indexOf('<script type="application/json" id="profile-2">');
    for (const [size, why] of [
      [beginning, 'it is not on the page'],
      [beginning + 5000, 'the page is cut off'],
    ] as const) {
      const cut = join(folder, `${size}.html`);
      writeFileSync(cut, whole.slice(0, size));
      const { page, complaints } = await open(cut, {}, 'profile=2');
      await page.getByText(`Nothing to show: ${why}.`).waitFor();
      await page.getByLabel('Rank', { exact: true }).selectOption('rank 1');
      await isShown(page, 1);
      await page.locator('[data-panel="verdict"] p.verdict').waitFor();
      // Their timelines are behind them.
      await page.goto('about:blank');
      await page.goto(`${pathToFileURL(cut).href}#tab=timeline&t.ranks=all`);
      await page.getByText('the timeline cannot be shown: it is not on the page').waitFor();
      expect(complaints).to.deep.equal([]);
    }
  });

  it('have figures beside those of others before they are shown', async () => {
    const { page, complaints } = await open(path, {}, 'tab=ranks');
    const { profiles } = (await sampleJob()).data;
    const shown = await page.evaluate<string[]>(FIGURES);
    const kernels = profiles.map(
      ({ overview }, at) => `profiles.${at}.overview.kernels.count ${overview.kernels?.count}`,
    );
    expect(shown).to.include.members(kernels);
    const launches = profiles.map(({ idle }) => idle.devices.reduce((sum, { times }) => sum + times.launch, 0));
    expect(shown).to.include.members(
      launches.map((time, at) => `sum(profiles.${at}.idle.devices.*.times.launch) ${time}`),
    );
    // None is unknown for being in what is not read yet.
    const ofProfiles = shown.filter((figure) => figure.includes('profiles.'));
    expect(ofProfiles.filter((figure) => / (?:null|NaN|undefined)$/.test(figure))).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });
});
