/** Every tab of pages of many kinds, by the rules of axe: names, roles, contrast, what the keyboard reaches. */
import axe, { type AxeResults } from 'axe-core';
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser, drawn } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOfFile } from '../support/pages.js';
import { ROOT } from '../support/shared.js';
import { SPECIAL_PAGES } from './special-pages.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

const SAMPLES = ['lenet.pt.trace.json.gz', 'attention.ntff', 'ascend_pytorch_profiler_0.db'];

/** Both schemes and both widths, in two: a scheme changes colours alone, and a width changes no colour. */
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const;

/**
 * Axe walks through hidden elements too, which takes longer than its rules: the contents of hidden tabs are taken out of
 * the document while it runs.
 */
const LOOK = `(async () => {
  const others = [...document.querySelectorAll('[role=tabpanel][hidden]')].map((panel) => {
    const contents = document.createDocumentFragment();
    contents.append(...panel.childNodes);
    return { panel, contents };
  });
  const shown = document.querySelectorAll('[role=tabpanel]:not([hidden])');
  if (shown.length !== 1 || shown[0].childElementCount === 0) throw new Error('no tab is shown');
  const { violations } = await axe.run({ resultTypes: ['violations'] });
  for (const { panel, contents } of others) panel.append(contents);
  return { violations };
})()`;

/** What is wrong on the screen now: a line for each rule and element. */
async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await page.evaluate<Pick<AxeResults, 'violations'>>(LOOK);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary ?? ''}`),
  );
}

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
  const folder = mkdtempSync(join(tmpdir(), 'dprof-axe-'));
  before(async () => {
    const samples = await Promise.all(
      SAMPLES.map(async (name) => [name, await pageContentsOfFile(join(ROOT, 'samples', name))] as const),
    );
    writePages(folder, await bundledProgram(), { ...SPECIAL_PAGES, ...Object.fromEntries(samples) });
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  for (const name of [...Object.keys(SPECIAL_PAGES), ...SAMPLES]) {
    it(`breaks no rule: ${name}`, async () => {
      const { page, complaints, requests } = await open(join(folder, `${name}.html`));
      await page.evaluate(axe.source);
      // Where each is found, so that one mistake is one entry.
      const found: Record<string, string[]> = {};
      for (const tab of await tabsOf(page)) {
        await showWholeTab(page, tab);
        if (tab === 'timeline') await selectAndList(page);
        for (const { colorScheme, width } of LOOKS) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width, height: 900 });
          await drawn(page);
          for (const line of await violations(page)) (found[line] ??= []).push(`${tab}, ${colorScheme}, ${width} px`);
        }
      }
      expect(found).to.deep.equal({});
      expect(complaints).to.deep.equal([]);
      expect(requests).to.have.length(1);
    });
  }
});
