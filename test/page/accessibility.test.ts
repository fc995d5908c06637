/** Every tab of pages of many kinds, by the rules of axe: names, roles, contrast, what the keyboard reaches. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { drawn } from '../support/page-waits.js';
import { violations } from './axe-rules.js';
import { allPages, itOnPages } from './special-pages.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

/** Both schemes and both widths, in two: a scheme changes colours alone, and a width changes no colour. */
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const;

/** Makes what is there only with a selection and a search, where there is a timeline. */
async function selectAndList(page: Page): Promise<void> {
  const canvas = page.locator('.tl-canvas');
  if ((await canvas.count()) === 0) return;
  await canvas.press('x');
  await page.locator('.tl-name').first().click();
  await page.locator('.tl-search input').fill('dur>=0');
  await page.evaluate("document.querySelector('.tl-found').open = true");
  await page.locator('.tl-match').first().click();
  await page.locator('.tl-span table').first().waitFor();
}

describeInBrowser('accessibility of the page', (open) => {
  const folder = freshFolder();
  before(async () => {
    writePages(folder, bundledProgram(), await allPages());
  });

  itOnPages('breaks no rule', async (name) => {
    const { page, complaints, requests } = await open(join(folder, `${name}.html`));
    // Where each is found, so that one mistake is one entry.
    const found: Record<string, string[]> = {};
    for (const tab of await tabsOf(page)) {
      await showWholeTab(page, tab);
      if (tab === 'timeline') await selectAndList(page);
      for (const { colorScheme, width } of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await drawn(page);
        for (const line of await violations(page)) (found[line] ??= []).push(`${tab}, ${colorScheme}, ${width} px`);
      }
    }
    expect(found).to.deep.equal({});
    expect(complaints).to.deep.equal([]);
    expect(requests).to.have.length(1);
  });
});
