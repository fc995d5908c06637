/** The flame chart as users drive it. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { FIXTURE, HOSTILE } from './fixture.js';
import { writePage } from './written-pages.js';

/** Name, and width as a share of the chart's, of each box. */
const BOXES = `(() => {
  const chart = document.querySelector('.flame').getBoundingClientRect();
  return [...document.querySelectorAll('.box')].map((box) => [box.textContent, box.getBoundingClientRect().width, chart.width]);
})()`;

type Boxes = readonly (readonly [name: string, width: number, whole: number])[];

describeInBrowser('flame chart', (open) => {
  const folder = freshFolder();
  const file = join(folder, 'flame.html');

  before(() => {
    writePage(file, bundledProgram(), { data: FIXTURE, parts: [] });
  });

  const names = (page: Page): Promise<string[]> => page.locator('.box').allTextContents();

  it('has boxes as wide as their time', async () => {
    const { page, complaints } = await open(file, {}, 'panel=flame');
    await page.locator('.box').first().waitFor();
    const shares: Readonly<Record<string, number>> = {
      'all work': 1,
      model: 6 / 7,
      [HOSTILE]: 3 / 7,
      head: 2 / 7,
      'no layer': 1 / 7,
    };
    const boxes = await page.evaluate<Boxes>(BOXES);
    expect(boxes.map(([name]) => name)).to.deep.equal(Object.keys(shares));
    for (const [name, width, whole] of boxes) expect(width).to.be.closeTo((shares[name] ?? NaN) * whole, 0.1, name);
    expect(complaints).to.deep.equal([]);
  });

  it('keeps in the address what is shown', async () => {
    const { page, complaints } = await open(file, {}, 'panel=flame');
    const chosen = (label: string): Promise<string> => page.getByLabel(label, { exact: true }).inputValue();
    await page.getByLabel('Order', { exact: true }).selectOption('longest first');
    const order = await chosen('Order');
    await page.reload();
    expect(await chosen('Order')).to.equal(order);
    await page.getByLabel('View', { exact: true }).selectOption({ index: 1 });
    const view = await chosen('View');
    await page.reload();
    expect(await chosen('View')).to.equal(view);
    expect(complaints).to.deep.equal([]);
  });

  it('zooms in and out by mouse and keyboard', async () => {
    const { page } = await open(file, {}, 'panel=flame');
    await page.locator('.box', { hasText: 'head' }).click();
    expect(await names(page)).to.deep.equal(['all work', 'model', 'head']);
    expect(await page.locator('.box:focus').textContent()).to.equal('head');
    expect(await page.locator('.flame + .status').textContent()).to.match(
      /^model \/ head · 2\.000 ms, 28\.6 % of kernel/,
    );
    await page.keyboard.press('Escape');
    expect(await names(page)).to.deep.equal(['all work', 'model', HOSTILE, 'head']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    expect(await names(page)).to.have.length(5);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.box:focus').textContent()).to.equal('no layer');
  });

  it('orders boxes, and shows call stacks', async () => {
    const { page, complaints } = await open(file, {}, 'panel=flame');
    const panel = page.locator('[data-panel="flame"]');
    await panel.getByRole('combobox', { name: 'Chart of' }).selectOption('call stacks');
    await page.locator('.box').nth(1).waitFor();
    const inTime = ['all work', 'train.py(1): main', 'model.py(5): forward', HOSTILE, 'other.py(9): rest'];
    expect(await names(page)).to.deep.equal([...inTime, 'no call stack']);
    await panel.getByRole('combobox', { name: 'Chart of' }).selectOption('layers');
    await panel.getByRole('combobox', { name: 'Order' }).selectOption('longest first');
    await page.locator('.box', { hasText: 'head' }).waitFor();
    expect(await names(page)).to.deep.equal(['all work', 'model', HOSTILE, 'head', 'no layer']);
    expect(complaints).to.deep.equal([]);
  });

  it('shows a name between its callers and its callees', async () => {
    const { page, complaints } = await open(file, {}, 'panel=flame');
    const panel = page.locator('[data-panel="flame"]');
    await panel.locator('.box', { hasText: 'head' }).click();
    await panel.getByRole('button', { name: 'callers and callees' }).focus();
    await page.keyboard.press('Enter');
    expect(await panel.locator('h3:focus').textContent()).to.equal('head');
    const chart = (name: string): Promise<string[]> =>
      panel.getByRole('group', { name: new RegExp(`^${name} of `) }).locator('.box').allTextContents(); // prettier-ignore
    expect(await chart('Callers')).to.deep.equal(['head', 'model']);
    expect(await chart('Callees')).to.deep.equal(['head']);
    const table = panel.getByRole('table', { name: 'Names of the layers' });
    expect(await table.locator('tbody th').allTextContents()).to.deep.equal([HOSTILE, 'head', 'model']);
    await table.getByRole('button', { name: /^Total \(/ }).click();
    expect(await table.locator('tbody th').first().textContent()).to.equal('model');
    await table.getByRole('button', { name: 'model', exact: true }).focus();
    await page.keyboard.press('Enter');
    expect(await chart('Callers')).to.deep.equal(['model']);
    expect(await chart('Callees')).to.deep.equal(['model', HOSTILE, 'head']);
    expect(await panel.locator('.sandwich .inline').textContent()).to.contain('1.000 ms, 14.3 %');
    const top = panel.getByRole('group', { name: /^Callees of/ }).locator('.box').first(); // prettier-ignore
    await top.focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.box:focus').textContent()).to.equal(HOSTILE);
    await panel.getByRole('combobox', { name: 'Chart of' }).selectOption('call stacks');
    await panel.getByRole('button', { name: 'model.py(5): forward', exact: true }).click();
    expect(await chart('Callers')).to.deep.equal(['model.py(5): forward', 'train.py(1): main']);
    await panel.getByRole('combobox', { name: 'View' }).focus();
    await panel.getByRole('combobox', { name: 'View' }).selectOption('Flame chart');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.equal('View');
    expect(complaints).to.deep.equal([]);
  });
});
