/** One page in a browser: that `npm test` shows one at all. */
import { expect } from 'chai';
import { join } from 'node:path';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOfFile } from '../support/pages.js';
import { ROOT } from '../support/shared.js';
import { freshFolder } from '../support/fresh-path.js';
import { violations } from './axe-rules.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

const SAMPLE = 'lenet.pt.trace.json.gz';

describeInBrowser(
  'a page of a sample',
  (open) => {
    const folder = freshFolder();

    it('shows every tab without errors and requests, and breaks no rule of axe', async () => {
      writePages(folder, bundledProgram(), { [SAMPLE]: await pageContentsOfFile(join(ROOT, 'samples', SAMPLE)) });
      const { page, complaints, requests } = await open(join(folder, `${SAMPLE}.html`));
      const tabs = await tabsOf(page);
      // The sample has a single rank, and no memory samples.
      expect(tabs).to.deep.equal(['overview', 'timeline', 'kernels', 'layers', 'diagnostics']);
      for (const tab of tabs) {
        await showWholeTab(page, tab);
        expect(await page.locator(`[data-tab="${tab}"] [data-panel]:not(.empty)`).count(), tab).to.be.above(0);
        // A panel has what it shows, or says in a line why there is nothing.
        const panels = page.locator(`[data-tab="${tab}"] [data-panel]`);
        for (const text of await panels.allTextContents()) expect(text, tab).to.have.length.above(50);
        if (tab === 'timeline' || tab === 'kernels') expect(await violations(page), tab).to.deep.equal([]);
      }
      const charts = page.locator('.chart');
      expect(await page.locator('.chart svg').count())
        .to.equal(await charts.count())
        .and.above(2);
      expect(await page.locator('.tl-what').innerText()).to.match(/: [\d,]+ events/);
      expect(complaints).to.deep.equal([]);
      expect(requests).to.have.length(1);
    });
  },
  'smoke',
);
