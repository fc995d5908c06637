/** Profiles without work of a device: no panel says 0 of what it cannot know. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import type { PageContents } from '../../src/prof/html/page-data.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOfFile } from '../support/pages.js';
import { itShared } from '../support/shared.js';
import { SPECIAL_PAGES } from './special-pages.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

/** Figures of devices, by the heads of their columns and the terms of their lists. */
const OF_DEVICES =
  /kernel|device|occurrence|launch|occupancy|matrix|tensor|share|of peak|flop|bandwidth|busy|idle|compute|communication|exposed|copies|callees|own thread|^mean/i;
const ZERO = /^[<0.,\s]*0(?:\s?(?:ns|us|ms|s|%|B|FLOP.*))?$/;

/** Heads and terms with their values, of everything that the tab shows. */
const SAID = `[
  ...[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .panel table')].flatMap((table) => {
    const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent);
    return [...table.querySelectorAll('tbody tr')].flatMap((row) =>
      [...row.children].map((cell, i) => [table.getAttribute('aria-label') + ': ' + heads[i], cell.textContent]));
  }),
  ...[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .panel dt')].map((term) => [
    term.closest('[data-panel]').dataset.panel + ': ' + term.textContent, term.nextElementSibling?.textContent ?? '']),
].filter(([, value]) => value !== undefined)`;

async function zeros(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const tab of await tabsOf(page)) {
    await showWholeTab(page, tab);
    const said = await page.evaluate<[name: string, value: string][]>(SAID);
    const wrong = said.filter(([name, value]) => OF_DEVICES.test(name.replace(/^[^:]*: /, '')) && ZERO.test(value));
    found.push(...wrong.map(([name, value]) => `${tab}: ${name}: ${value}`));
  }
  return [...new Set(found)];
}

describeInBrowser('page of a profile without work of a device', (open) => {
  const folder = freshFolder();

  async function check(name: string, contents: PageContents): Promise<void> {
    expect(contents.data.profiles.map(({ overview }) => overview.devices)).to.deep.equal([[]]);
    writePages(folder, bundledProgram(), { [name]: contents });
    const { page, complaints } = await open(join(folder, `${name}.html`));
    expect(await zeros(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  }

  it('says 0 of no device: ops and layers of the host', async () => {
    await check('host', SPECIAL_PAGES['host'] as PageContents);
  });

  for (const path of ['nsys/nvtx_only.sqlite', 'kineto/cpu_only_torch_2_13.pt.trace.json.gz'])
    itShared(`says 0 of no device: ${path}`, [`data/${path}`], async ([file = '']) => {
      await check('shared', await pageContentsOfFile(file));
    });
});
