/** The rules of axe, on what a page shows. */
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { within } from '../support/waits.js';

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
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const look = page.evaluate<Pick<AxeResults, 'violations'>>(LOOK);
  const { violations: found } = await within('the rules of axe', look);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary ?? ''}`),
  );
}
