/** Pages as files, and how a test sees all of one: every tab is filled, and every chart is drawn. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { PageContents } from '../../src/prof/html/page-data.js';
import { pageElements } from '../../src/prof/html/page-elements.js';
import { within } from '../support/waits.js';
import { page as document, type PageProgram } from '../../src/write/html/page.js';

export function writePage(path: string, program: PageProgram, contents: PageContents): void {
  const { before, behind } = pageElements(contents);
  writeFileSync(path, [...document(contents.data.title, program, before, behind)].join(''));
}

/** Writes `NAME.html` for each. */
export function writePages(folder: string, program: PageProgram, pages: Readonly<Record<string, PageContents>>): void {
  for (const [name, contents] of Object.entries(pages)) writePage(join(folder, `${name}.html`), program, contents);
}

/** Tabs of a page, by their ids. */
export const tabsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>("[...document.querySelectorAll('[role=tabpanel]')].map(({ dataset }) => dataset.tab)");

/** Shows a tab, draws what is only drawn when it is near the window, and opens what is closed. */
export async function showWholeTab(page: Page, tab: string): Promise<void> {
  const work = page.evaluate(`(async () => {
    document.querySelector('#tab-${tab}').click();
    await afterFrame();
    // What is up to 400 pixels from the window is drawn too.
    for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight + 400) {
      scrollTo(0, top);
      await afterFrame();
    }
    for (const closed of document.querySelectorAll('[data-tab="${tab}"] details')) closed.open = true;
    scrollTo(0, 0);
    await atRest();
  })()`);
  await within(`all of the tab ${tab} to be drawn`, work);
  await page.locator(`[data-tab="${tab}"] .timeline-place > .tl-hint[role=status]`).waitFor({ state: 'detached' });
}
