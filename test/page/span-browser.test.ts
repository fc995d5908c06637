/** A span of time that all tabs follow: chosen in the timeline, of a step or a range, in the address, and left again. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { freshFolder } from '../support/fresh-path.js';
import { bundledProgram } from '../support/page-program.js';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { pageContentsOf, pageContentsOfFile } from '../support/pages.js';
import { ROOT } from '../support/shared.js';
import { violations } from './axe-rules.js';
import { writePage } from './written-pages.js';

describeInBrowser('a span that all tabs follow', (open) => {
  const folder = freshFolder();
  const path = join(folder, 'decoder.html');

  before(async () => {
    const contents = await pageContentsOfFile(join(ROOT, 'samples', 'decoder.pt.trace.json.gz'));
    writePage(path, bundledProgram(), contents);
  });

  const bar = (page: Page) => page.locator('.span-bar');
  const hashOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  /** Cells of the first row of a table in a panel. */
  const firstRow = (page: Page, panel: string, name: string): Promise<string[]> =>
    page
      .locator(`[data-panel="${panel}"]`)
      .getByRole('table', { name, exact: true })
      .locator('tbody tr')
      .first()
      .locator('th, td')
      .allTextContents();
  const isWhole = (page: Page) => bar(page).locator('p').waitFor({ state: 'detached' });

  it('is the selection of the timeline, shown by two tabs, until a step back', async () => {
    const { page, complaints } = await open(path, {}, 'tab=timeline&t.span=1000000_3000000');
    await page.getByRole('button', { name: 'Only this span' }).click();
    await bar(page).getByText('Span: 1.000 ms to 3.000 ms: 11 kernels; its edges cut one kernel or copy').waitFor();
    expect(hashOf(page).get('span')).to.equal('1000000_3000000');
    expect(await bar(page).getAttribute('role')).to.equal('status');
    await page.getByRole('tab', { name: 'Kernels' }).click();
    // Three products of 5 us, and 1 of the 5 us of one more.
    expect((await firstRow(page, 'ops', 'Ops')).slice(0, 3)).to.deep.equal(['mm', '4', '16.00']);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('tab', { name: 'Overview' }).click();
    // Of 47 us from 1000 us, where the span begins, to the last end; as in the whole profile, at 2 % of the peak.
    expect(await firstRow(page, 'largest', 'Largest parts of the span')).to.deep.equal([
      'mm',
      '34.0',
      '16.00',
      '2.0',
      'latency',
    ]);
    const whole = page.getByText('For the whole profile, not this span.');
    const wholePanels = await page.locator('[data-panel]').filter({ has: whole }).all();
    expect(await Promise.all(wholePanels.map((panel) => panel.getAttribute('data-panel')))).to.deep.equal([
      ...['advice', 'sequences'],
    ]);
    await page.getByText('dprof advise --from 1 --to 3').waitFor();
    // The gap before the last kernel of the step.
    expect(await firstRow(page, 'idle', 'Idle time by cause')).to.deep.equal([
      'gaps between queued kernels',
      '1,000',
      '1',
      '1,000',
    ]);
    expect(await violations(page)).to.deep.equal([]);
    // Two tabs, then the span.
    for (let i = 0; i < 3; i++) await page.goBack();
    await isWhole(page);
    expect(hashOf(page).has('span')).to.equal(false);
    await page.getByRole('tab', { name: 'Kernels' }).click();
    expect((await firstRow(page, 'ops', 'Ops')).slice(0, 3)).to.deep.equal(['mm', '20', '100.00']);
    expect(complaints).to.deep.equal([]);
  });

  it('is the time of a step, until Escape or a click', async () => {
    const { page, complaints } = await open(path);
    const only = page.getByRole('button', { name: 'Only this step: 5' });
    await only.click();
    await bar(page).getByText('(step 5): 13 kernels.').waitFor();
    await page.locator('#main:focus').waitFor();
    await page.keyboard.press('Escape');
    await isWhole(page);
    await only.click();
    await bar(page).getByRole('button', { name: 'Show whole profile' }).click();
    await isWhole(page);
    expect(await page.locator('[data-panel="verdict"]').textContent()).not.to.include('In this span');
    expect(complaints).to.deep.equal([]);
  });

  it('is what the timeline shows, faded outside', async () => {
    const { page, complaints } = await open(path, {}, 'span=1000000_3000000');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('outside the span, events are faded').waitFor();
    // From 1000 us, where the span begins, to the last end at 1047 us, with a tenth of that on both sides.
    const text = await page.getByRole('slider', { name: 'Part of the profile' }).getAttribute('aria-valuetext');
    expect(text).to.equal('whole profile, 995.3 us to 1.052 ms');
    await page.keyboard.press('Escape');
    await isWhole(page);
    expect(await page.locator('.tl-what').textContent()).not.to.include('outside');
    expect(complaints).to.deep.equal([]);
  });

  it('is one of a profile, whose name the bar has, and ends with the choice of another', async () => {
    const two = join(folder, 'two.html');
    const records = [0, 1].flatMap((profile) => [
      { ...profileOn(A100), profile, rank: profile },
      kernel({ profile, start: 1000, dur: 1000 }),
    ]);
    writePage(two, bundledProgram(), pageContentsOf(records));
    const { page, complaints } = await open(two, {}, 'span=1500_5000');
    await bar(page).getByText('Span: 1.50 us to 5.00 us of rank 0: 1 kernel; its edges cut one').waitFor();
    await page.getByRole('combobox', { name: 'Rank', exact: true }).first().selectOption('1');
    await isWhole(page);
    expect(hashOf(page).has('span')).to.equal(false);
    expect(complaints).to.deep.equal([]);
  });

  it('opens with its address', async () => {
    const { page, complaints } = await open(path, {}, 'tab=layers&span=1000000_3000000');
    await bar(page).getByText('11 kernels').waitFor();
    await page.keyboard.press('Escape');
    await isWhole(page);
    expect(hashOf(page).get('tab')).to.equal('layers');
    expect(complaints).to.deep.equal([]);
  });
});
