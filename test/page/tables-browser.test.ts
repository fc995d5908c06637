/** Tables of the page as users drive them: long ones, their filter, their order, and what they copy. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import type { PageData } from '../../src/prof/html/page-data.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { atRest } from '../support/page-waits.js';
import { FIXTURE, HOSTILE } from './fixture.js';
import { writePage } from './written-pages.js';

const KERNELS = 10_000;

const NOTHING = {
  ...{ count: 0, guessed: 0, time: 0, own: 0, samples: [], hostSamples: [] },
  ...{ passes: null, host: null, hostSelf: null },
};

/** The second op is unknown. */
const NAMELESS: PageData = {
  ...FIXTURE,
  profiles: FIXTURE.profiles.slice(0, 1).map((profile) => ({
    ...profile,
    ops: {
      ...profile.ops,
      shown: profile.ops.shown.map((row, i) =>
        i === 1 ? { ...row, op: null } : { ...row, line: { name: 'src/deep/model.py:5', time: 3_000_000 } },
      ),
    },
  })),
};

const LONG: PageData = {
  ...FIXTURE,
  profiles: FIXTURE.profiles.slice(0, 1).map((profile) => ({
    ...profile,
    kernels: {
      shown: Array.from({ length: KERNELS }, (_, i) => ({
        ...{ name: `kernel ${i}`, count: 1, time: KERNELS - i, max: 1, min: 1, tc: null, launch: null },
      })),
      ...{ count: KERNELS, restTime: 0 },
    },
    annotations: {
      shown: [
        ...[0, 1, 2].map((i) => ({ ...NOTHING, text: `step_${i}`, count: 1, time: 10 + i, own: 5, samples: [10 + i] })),
        { ...NOTHING, text: 'aten::mm', count: 1, time: 9, own: 9, samples: [9] },
        { ...NOTHING, text: 'loading', passes: 2, host: 300, hostSelf: 300, hostSamples: [100, 200] },
      ],
      ...{ count: 5, restTime: 0 },
    },
  })),
};

/** Distance in pixels from the end of the longest possible bar of a cell, which begins after 3 pixels, to its number. */
const BAR_TO_NUMBER = `(() => {
  const cell = document.querySelector('[data-panel="ops"] td.bar');
  const probe = document.createElement('div');
  probe.style.width = getComputedStyle(cell).backgroundSize.replace(/ [^ ]*$/, '');
  const box = document.createElement('div');
  box.style.cssText = 'position: absolute; width: ' + cell.offsetWidth + 'px';
  box.append(probe);
  document.body.append(box);
  const bar = probe.offsetWidth;
  box.remove();
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getBoundingClientRect().left - cell.getBoundingClientRect().left - 3 - bar;
})()`;

/** Where pages may use the clipboard. */
const ALLOWED = { permissions: ['clipboard-read', 'clipboard-write'] };
const CLIPBOARD = 'navigator.clipboard.readText()';

describeInBrowser('tables of the page', (open) => {
  const folder = freshFolder();
  const small = join(folder, 'small.html');
  const long = join(folder, 'long.html');
  const nameless = join(folder, 'nameless.html');

  before(() => {
    const built = bundledProgram();
    writePage(small, built, { data: FIXTURE, parts: [] });
    writePage(long, built, { data: LONG, parts: [] });
    writePage(nameless, built, { data: NAMELESS, parts: [] });
  });

  it('say why ops are unknown, and which line took most of the time of the others', async () => {
    const { page } = await open(nameless, {}, 'tab=kernels');
    const ops = page.locator('[data-panel="ops"]');
    // 3 of the 4 ms of the op.
    expect(await ops.getByRole('link', { name: /^model\.py:5/ }).textContent()).to.equal('model.py:5 75.0 %');
    expect(await ops.locator('.note').allTextContents()).to.include('No op known: its launch is not known.');
    const known = await open(small, {}, 'tab=kernels');
    expect(await known.page.locator('[data-panel="ops"]').textContent()).not.to.include('No op known');
  });

  it('keep the bar of a cell apart from its number', async () => {
    const { page } = await open(small, {}, 'tab=kernels');
    await page.getByRole('table', { name: 'Ops', exact: true }).locator('td.bar').first().waitFor();
    expect(await page.evaluate<number>(BAR_TO_NUMBER)).to.be.at.least(0);
  });

  it('make only the rows that are near the window', async () => {
    const { page, complaints } = await open(long, {}, 'tab=kernels');
    const rows = page.getByRole('table', { name: 'Kernels', exact: true }).locator('tbody tr');
    expect(await rows.count()).to.equal(15);
    await page.getByRole('button', { name: 'Show all 10000' }).click();
    await atRest(page);
    const first = await rows.count();
    expect(first).to.be.within(200, 400);
    await rows.last().scrollIntoViewIfNeeded();
    await rows.nth(first).waitFor();
    expect(await rows.nth(first).locator('th').textContent()).to.equal(`kernel ${first}`);
    await page.getByRole('searchbox', { name: 'Filter Kernels', exact: true }).fill('kernel 99');
    expect(await page.locator('[data-panel="kernels"]').getByText('280 rows', { exact: true }).count()).to.equal(1);
    expect(await rows.count()).to.equal(200);
    expect(complaints).to.deep.equal([]);
  });

  it('show the columns that say most, the others by a button that the address keeps, and copy all', async () => {
    const { page, complaints } = await open(small, ALLOWED, 'tab=kernels');
    const heads = page.getByRole('table', { name: 'Ops', exact: true }).getByRole('columnheader');
    const [few, all] = [10, 17];
    expect(await heads.count()).to.equal(few);
    const titles = (await heads.allTextContents()).map((text) => text.replace(/ \(.*/, ''));
    for (const title of ['Op', 'Calls', 'CPU time', 'CPU self time', 'Device time', 'FLOPs', 'FLOP/s', 'Bound by'])
      expect(titles).to.include(title);
    const more = page.getByRole('button', { name: `More columns (${all - few}): Ops` });
    await more.focus();
    await page.keyboard.press('Enter');
    expect(await heads.count()).to.equal(all);
    expect(new URL(page.url()).hash).to.contain('columns=Ops');
    // Another tab and back, and the address opened anew.
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('tab', { name: 'Kernels' }).click();
    expect(await heads.count()).to.equal(all);
    await page.reload();
    expect(await heads.count()).to.equal(all);
    await page.getByRole('button', { name: 'Fewer columns: Ops' }).click();
    expect(await heads.count()).to.equal(few);
    expect(new URL(page.url()).hash).not.to.contain('columns');
    await page.getByRole('button', { name: 'Copy as CSV: Ops', exact: true }).click();
    await page.getByText('Copied').waitFor();
    const [head = ''] = (await page.evaluate<string>(CLIPBOARD)).split('\n');
    expect(head.match(/,(?=\S)/g)).to.have.length(all - 1);
    expect(complaints).to.deep.equal([]);
  });

  it('are wide in the other profiles of a page too, once they are', async () => {
    const { page } = await open(small, {}, 'tab=kernels&columns=Ops');
    const heads = page.getByRole('table', { name: 'Ops', exact: true }).getByRole('columnheader');
    expect(await heads.count()).to.equal(17);
    await page.getByLabel('Rank', { exact: true }).selectOption('rank 1');
    expect(await heads.count()).to.equal(17);
  });

  it('copy all rows that pass the filter, in their order, with raw numbers', async () => {
    const { page, complaints } = await open(long, ALLOWED, 'tab=kernels');
    await page.getByRole('searchbox', { name: 'Filter Kernels', exact: true }).fill('kernel 99');
    const table = page.getByRole('table', { name: 'Kernels', exact: true });
    await table.getByRole('button', { name: 'Kernel', exact: true }).click();
    await page.getByRole('button', { name: 'Copy as CSV: Kernels', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    const [head, ...lines] = (await page.evaluate<string>(CLIPBOARD)).trimEnd().split('\n');
    expect(head).to.match(/^Kernel,Time \(ns\),Share \(fraction of 1\),Launches,/);
    expect(lines).to.have.length(280);
    expect(lines[0]).to.match(/^kernel 99,9901,0\.00141\d+,1,/);
    expect(lines.at(-1)).to.match(/^kernel 9999,1,/);
    expect(complaints).to.deep.equal([]);
  });

  it('show the text where the page has no clipboard', async () => {
    const { page } = await open(small, {}, 'tab=kernels');
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole('button', { name: 'Copy as CSV: Kernels', exact: true }).click();
    const shown = page.locator('[data-panel="kernels"] .to-copy');
    expect(await shown.textContent()).to.contain(`\n"${HOSTILE.replaceAll('"', '""')}",4000000,`);
    expect(await page.evaluate<string>('String(getSelection())')).to.contain('gemm_bf16,2000000,');
  });

  it('all sort and copy, but for charts and the events of the timeline', async () => {
    const { page } = await open(small);
    await page.getByRole('tab', { name: 'Kernels' }).click();
    for (const panel of ['precision', 'matrix-unit', 'activity', 'kernels']) {
      const place = page.locator(`[data-panel="${panel}"]`);
      expect(await place.getByRole('button', { name: /^Copy as CSV: / }).count(), panel).to.equal(1);
      expect(await place.locator('th[aria-sort]').count(), panel).to.be.greaterThan(1);
    }
  });

  it('sort layers among their siblings', async () => {
    const { page } = await open(small, ALLOWED, 'tab=layers');
    const table = page.getByRole('table', { name: 'Layers' });
    const names = (): Promise<string[]> => table.locator('tbody th .text').allTextContents();
    expect(await names()).to.deep.equal(['model', HOSTILE, 'head']);
    const head = table.getByRole('button', { name: /^Time/ });
    await head.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await names()).to.deep.equal(['model / head', `model / ${HOSTILE}`, 'model']);
    await page.getByRole('button', { name: 'Copy as CSV: Layers' }).click();
    await page.getByText('Copied').waitFor();
    expect((await page.evaluate<string>(CLIPBOARD)).split('\n')[1]).to.match(/^model \/ head,2000000,/);
  });

  it('have the lines of the program, the longest first, with unknown ones as a row', async () => {
    const { page, complaints } = await open(small, {}, 'tab=layers');
    const table = page.getByRole('table', { name: 'Lines', exact: true });
    await table.locator('tbody tr').first().waitFor();
    const rows = await table.locator('tbody tr').all();
    const cells = await Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
    // 4, 2 and 1 of 7 ms, in µs and percent; an unknown value is na.
    expect(cells).to.deep.equal([
      ['src/decoder/model.py:5', '4,000.00', '57.1', '10', HOSTILE, '1', '1.00 TFLOP'],
      ['train.py:184', '2,000.00', '28.6', '64', 'add', '2', 'na'],
      ['no line known', '1,000.00', '14.3', '30', 'na', '0', 'na'],
    ]);
    // A long path breaks at its folders, and keeps the number of the line with the file.
    expect(await table.locator('tbody th').first().innerHTML()).to.contain('src/<wbr>decoder/<wbr>model.py:5');
    expect(complaints).to.deep.equal([]);
  });

  it('begin at their top in a tab that is chosen from further down in another', async () => {
    const { page, complaints } = await open(long, {}, 'tab=layers');
    await atRest(page);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByRole('tab', { name: 'Kernels' }).click();
    await atRest(page);
    const bar = (await page.locator('.tabs').boundingBox()) ?? { y: NaN, height: NaN };
    const place = (await page.locator('[data-tab="kernels"]').boundingBox()) ?? { y: NaN };
    expect(place.y).to.be.closeTo(bar.y + bar.height, 12);
    expect(complaints).to.deep.equal([]);
  });

  it('show the call stacks of an op on demand', async () => {
    const { page, complaints } = await open(small, {}, 'tab=kernels');
    const panel = page.locator('[data-panel="ops"]');
    expect(await panel.locator('.stacks').textContent()).to.equal('');
    await panel.getByRole('button', { name: `Call stacks of ${HOSTILE}` }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal(`Call stacks of ${HOSTILE}`);
    expect(await panel.locator('.stacks code').allTextContents()).to.deep.equal([HOSTILE]);
    expect(await panel.locator('.stacks summary').textContent()).to.contain('3.000 ms (75.0 %), 6 kernels');
    expect(await panel.locator('.frames li').allTextContents()).to.deep.equal([
      'model.py(5): forward',
      'train.py(1): main',
    ]);
    expect(await panel.getByText('1 more stacks with less time').count()).to.equal(1);
    // A link shows them too.
    await page.reload();
    expect(await panel.locator('.stacks h3').textContent()).to.equal(`Call stacks of ${HOSTILE}`);
    expect(complaints).to.deep.equal([]);
  });

  it('have columns of launches where they are recorded', async () => {
    const { page } = await open(small, {}, 'tab=kernels');
    const heads = (): Promise<string[]> =>
      page.getByRole('table', { name: 'Kernels', exact: true }).locator('thead th').allTextContents();
    const row = page.getByRole('table', { name: 'Kernels', exact: true }).locator('tbody tr').first();
    expect((await heads()).slice(-6)).to.deep.equal([
      ...['Grid', 'Block', 'Registers', 'Shared memory', 'Occupancy (%)', 'Limited by'],
    ]);
    expect((await row.locator('td').allTextContents()).slice(-6)).to.deep.equal([
      ...['128 × 2 (of 3)', '256', '64', '48.00 KiB', '25.0', 'registers'],
    ]);
    await page.goto(page.url().replace('small.html', 'long.html'));
    expect((await heads()).at(-1)).to.equal('On matrix unit (%)');
  });

  it('list the program’s annotations before those of the framework, and open kinds of them', async () => {
    const { page, complaints } = await open(long, {}, 'tab=layers');
    const panel = page.locator('[data-panel="annotations"]');
    const names = (caption: string): Promise<string[]> =>
      panel.getByRole('table', { name: caption }).locator('tbody th .text').allTextContents();
    expect(await names('Annotations of the program')).to.deep.equal(['step_# (3)', 'loading']);
    expect(await names('Ranges and ops of the framework')).to.deep.equal(['aten::mm']);
    await panel.getByRole('button', { name: 'Show loading' }).focus();
    await page.keyboard.press('Enter');
    expect(await panel.locator('h3:focus').textContent()).to.equal('loading');
    expect(await panel.getByText('Nothing was launched inside this range.').count()).to.equal(1);
    await panel.locator('.annotation-detail .chart svg').waitFor();
    await panel.getByRole('button', { name: 'Show step_#' }).click();
    expect(await names('Annotations step_#')).to.deep.equal(['step_2', 'step_1', 'step_0']);
    expect(complaints).to.deep.equal([]);
  });
});
