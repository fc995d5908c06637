/** All of a profile in a browser: the list of pieces, the strip, and links to a place in them. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import type { PageContents } from '../../src/prof/html/page-data.js';
import type { PageProgram } from '../../src/write/html/page.js';
import { describeInBrowser } from '../support/browser.js';
import { kernel } from '../support/kernels.js';
import { untilAddress } from '../support/page-waits.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOf } from '../support/pages.js';
import { writePage } from './written-pages.js';

/** Steps 1 to 10, each of 10 us with ten kernels of 900 ns; those of step s are named `s-0`, `s-1` … */
const contents = (events?: number): PageContents =>
  pageContentsOf(
    Array.from({ length: 100 }, (_, i) => {
      const step = 1 + Math.floor(i / 10);
      const launch = { api: 'cudaLaunchKernel', start: 1000 * i, dur: 20 };
      const name = `${step}-${i % 10}`;
      return kernel({ id: i + 1, name, short: name, start: 1000 * i + 50, dur: 900, step, launch });
    }),
    events === undefined ? {} : { events },
  );

const parametersOf = (page: Page): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));

const shown = (page: Page, what: string): Promise<void> =>
  page.locator('.tl-what', { hasText: new RegExp(`^${what},`) }).waitFor();

describeInBrowser('all of a profile in the timeline', (open) => {
  const folder = freshFolder();
  let program: PageProgram = { script: '', charts: '', style: '' };
  const openPage = async (fragment: string, made = contents()) => {
    const path = join(folder, 'pieces.html');
    writePage(path, program, made);
    const opened = await open(path, { viewport: { width: 1200, height: 900 } }, fragment);
    await opened.page.waitForSelector('.tl-canvas');
    return opened;
  };
  before(() => {
    program = bundledProgram();
  });

  it('asks for the width of its strip once per drawing, not per bar', async () => {
    const path = join(folder, 'widths.html');
    writePage(path, program, contents());
    const { page } = await open(path, { viewport: { width: 1200, height: 900 } });
    const asked = await page.evaluate<number>(`new Promise((done) => {
      let asked = 0;
      const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'clientWidth');
      Object.defineProperty(Element.prototype, 'clientWidth', {
        get() { if (this.classList.contains('tl-strip')) asked++; return get.call(this); },
      });
      document.getElementById('tab-timeline').click();
      const look = () => (document.querySelector('.tl-canvas')?.height > 0 ? done(asked) : requestAnimationFrame(look));
      look();
    })`);
    // The strip has some hundred bars, each with two edges.
    expect(asked).to.be.within(1, 20);
  });

  it('opens with the whole profile, and shows any step that is chosen', async () => {
    const { page, complaints, requests } = await openPage('tab=timeline');
    await shown(page, 'whole profile');
    const list = page.getByLabel('Show', { exact: true });
    expect(await list.locator('option').allInnerTexts()).to.deep.equal([
      'whole profile (99.95 us)',
      ...Array.from({ length: 10 }, (_, i) => `step ${i + 1} (device 9.90 us)`),
    ]);
    await list.selectOption('step 3 (device 9.90 us)');
    await shown(page, 'step 3');
    expect(parametersOf(page).get('t.piece')).to.equal('3');
    await page.getByRole('button', { name: 'Next piece' }).click();
    await shown(page, 'step 4');
    await page.locator('.tl-canvas').press('[');
    await shown(page, 'step 3');
    await list.selectOption('whole profile (99.95 us)');
    await shown(page, 'whole profile');
    expect(await page.locator('.tl-what').innerText()).to.include('200 events');
    expect(complaints).to.deep.equal([]);
    expect(requests).to.have.length(1);
  });

  it('moves by clicks and drags in the strip', async () => {
    const { page, complaints } = await openPage('tab=timeline');
    const strip = page.getByRole('slider');
    const box = (await strip.boundingBox()) ?? expect.fail();
    const at = (share: number) => [box.x + share * box.width, box.y + 5] as const;
    await page.mouse.click(...at(0.85));
    await shown(page, 'step 9');
    await page.mouse.move(...at(0.85));
    await page.mouse.down();
    await page.mouse.move(...at(0.45), { steps: 5 });
    await page.mouse.up();
    await shown(page, 'step 5');
    expect(await strip.getAttribute('aria-valuetext')).to.match(/^step 5, /);
    // As much is in view in another step as in the one before.
    for (let i = 0; i < 5; i++) await page.locator('.tl-canvas').press('+');
    await page.mouse.click(...at(0.62));
    await shown(page, 'step 7');
    const inView = (): readonly [from: number, to: number] => {
      const [from = NaN, to = NaN] = (parametersOf(page).get('t.view') ?? '').split('_').map(Number);
      return [from, to];
    };
    await untilAddress(
      page,
      't.view around 62 %',
      () => Math.abs((inView()[0] + inView()[1]) / 2 - 0.62 * 99_950) < 300,
    );
    const [from, to] = inView();
    expect(to - from).to.be.closeTo((1.04 * 9950) / 1.5 ** 5, 20);
    expect(complaints).to.deep.equal([]);
  });

  it('moves by keys in the strip', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=1');
    const strip = page.getByRole('slider');
    await strip.press('PageDown');
    await shown(page, 'step 2');
    await strip.press('End');
    await shown(page, 'step 10');
    await strip.press('PageUp');
    await shown(page, 'step 9');
    await strip.press('Home');
    await shown(page, 'step 1');
    await strip.press('ArrowRight');
    expect(Number(await strip.getAttribute('aria-valuenow'))).to.be.above(0);
    expect(complaints).to.deep.equal([]);
  });

  it('is restored from a link to an event of another step', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=4&t.view=30000_34000&t.event=3&t.search=4-1');
    await shown(page, 'step 4');
    expect(await page.getByLabel('Show', { exact: true }).inputValue()).to.equal('4');
    expect(await page.locator('.tl-details h3').innerText()).to.equal('4-1');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).to.equal('step 4, 30.00 us to 34.00 us');
    // Another link, opened in the same page.
    await page.evaluate(`location.hash = 'tab=timeline&t.piece=6&t.event=1'`);
    await shown(page, 'step 6');
    await page.locator('.tl-details h3', { hasText: '6-0' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('finds in another piece what the shown one does not have', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=1&t.search=name:7-3');
    await shown(page, 'step 7');
    await page.locator('.tl-matches', { hasText: '1 match' }).waitFor();
    await page.locator('.tl-details h3', { hasText: '7-3' }).waitFor();
    const field = page.getByRole('searchbox', { name: /^Search events/ });
    await field.fill('nowhere');
    await page.locator('.tl-matches', { hasText: 'no match in any step on the page' }).waitFor();
    // What is typed stays where it is until it is told to go.
    await field.fill('name:3-1');
    await page.locator('.tl-matches', { hasText: 'no match here; 1 in step 3' }).waitFor();
    await field.press('Enter');
    await shown(page, 'step 3');
    await page.locator('.tl-details h3', { hasText: '3-1' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('counts and lists matches of other pieces, and leads to each', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=2&t.search=name:-3');
    await shown(page, 'step 2');
    await page.locator('.tl-matches', { hasText: /^1 match: .*; 9 in 9 other steps$/ }).waitFor();
    const list = page.getByRole('table', { name: 'Matches elsewhere' });
    await list.getByRole('button', { name: '8-3' }).click();
    await shown(page, 'step 8');
    await page.locator('.tl-details h3', { hasText: '8-3' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('shows from the whole profile what the page has no room for, and says so', async () => {
    const { page, complaints } = await openPage('tab=timeline&t.piece=9', contents(60));
    await shown(page, 'whole profile');
    expect(await page.locator('.tl-pieces').innerText()).to.include(
      'The events of step 9 are not on the page, so its whole profile is drawn.',
    );
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).to.match(/^step 9, /);
    expect(complaints).to.deep.equal([]);
  });

  it('reports a piece that is missing in one line', async () => {
    const { data } = contents();
    const path = join(folder, 'missing.html');
    writePage(path, program, { data, parts: [] });
    const { page, complaints } = await open(path, {}, 'tab=timeline');
    await page.getByText('the timeline cannot be shown: it is not on the page').waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
