/** Counters and notices of the timeline in a browser: what the pointer, the keyboard and a reader of the screen find. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import type { ProfileLine, SampleRecord } from '../../src/record/record.js';
import { describeInBrowser } from '../support/browser.js';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOf } from '../support/pages.js';
import { atRest, untilAddress } from '../support/page-waits.js';
import { writePages } from './written-pages.js';

const sample = (metric: string, start: number, value: number | null, unit: string, rest: Partial<SampleRecord> = {}): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, device: 0, metric, value, unit, ...rest },
}); // prettier-ignore

/** Ten kernels of 500 ns in 10 us; memory from 2 us on, unknown from 4 to 6 us; throttled from 7 to 8 us. */
const RECORDS: readonly ProfileLine[] = [
  { ...profileOn(A100), facts: { device_0_clock_shift_ns: 5000, device_0_clock_bound_ns: 10 } },
  ...Array.from({ length: 10 }, (_, i) => {
    const launch = { api: 'cudaLaunchKernel', start: 1000 * i, dur: 250 };
    return kernel({ id: i + 1, start: 1000 * i + 500, dur: 500, launch, step: 1 + Math.floor(i / 5) });
  }),
  sample('memory_allocated', 2000, 2 ** 20, 'bytes'),
  sample('memory_allocated', 4000, null, 'bytes'),
  sample('memory_allocated', 6000, 2 ** 21, 'bytes'),
  ...[1, 2, 3].map((sensor) => sample('temperature', 3000, 40 + sensor, '°C', { labels: { sensor } })),
  sample('throttle', 7000, 0.5, 'fraction', { dur: 1000, labels: { kind: 'activity_1' } }),
  { type: 'end', profile: 0, counts: {}, diagnostics: { 'bad-row': 3, 'clocks-differ': 1 } },
];

/** The canvas of what is drawn, and the height of a name beside it. */
async function placeOf(page: Page, time: number, name: string): Promise<{ readonly x: number; readonly y: number }> {
  const canvas = await page.locator('.tl-canvas').boundingBox();
  const lane = await page.locator('.tl-track', { hasText: name }).first().boundingBox();
  if (canvas === null || lane === null) throw new Error('no timeline');
  // All of the profile is in view, from 0 to 10 us, with margins of 2 %.
  return { x: canvas.x + ((time + 200) / 10_400) * canvas.width, y: lane.y + lane.height / 2 };
}

/** Colour of a pixel of the lower canvas. */
const pixelAt = (page: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<string> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('.tl-stage canvas');
    const box = canvas.getBoundingClientRect();
    const at = (value, start) => Math.round((value - start) * devicePixelRatio);
    return [...canvas.getContext('2d').getImageData(at(${x}, box.x), at(${y}, box.y), 1, 1).data].join();
  })()`);

const tip = (page: Page): Promise<string> => page.locator('.tl-track-tip:not([hidden])').innerText();

describeInBrowser('counters and notices of the timeline', (open) => {
  const folder = freshFolder();
  const file = join(folder, 'counters.html');
  const shown = async (fragment = ''): Promise<{ page: Page; complaints: readonly string[] }> => {
    const { page, complaints } = await open(file, { viewport: { width: 1200, height: 1000 } }, `tab=timeline&t.piece=0${fragment}`);
    await page.locator('.tl-what', { hasText: /^whole profile,/ }).waitFor();
    return { page, complaints };
  }; // prettier-ignore

  before(() => {
    writePages(folder, bundledProgram(), { counters: pageContentsOf(RECORDS) });
  });

  it('says the value under the pointer, what it stands for, and how it is drawn', async () => {
    const { page, complaints } = await shown();
    const known = await placeOf(page, 3500, 'memory allocated');
    await page.mouse.move(known.x, known.y);
    const lines = (await tip(page)).split('\n');
    expect(lines[0]).to.equal('memory allocated: 1.00 MiB');
    expect(lines[1]).to.match(/^since 2\.00\d* us, up to 4\.00\d* us$/);
    expect(lines[2]).to.equal('scale: 0 to 2.00 MiB');
    expect(lines[3]).to.match(/^drawn: lowest and highest in each pixel \(\d+ ns\)$/);
    const unknown = await placeOf(page, 5000, 'memory allocated');
    await page.mouse.move(unknown.x, unknown.y);
    expect(await tip(page)).to.match(/^memory allocated: unknown/);
    const busy = await placeOf(page, 3250, 'busy');
    await page.mouse.move(busy.x, busy.y);
    expect(await tip(page)).to.match(/^busy: 0\.0 %\nmean over/);
    await page.mouse.move((await placeOf(page, 3750, 'busy')).x, busy.y);
    expect(await tip(page)).to.match(/^busy: 100\.0 %/);
    expect(complaints).to.deep.equal([]);
  });

  it('draws nothing where a value is unknown, in both themes', async () => {
    const { page } = await shown();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await atRest(page);
      const foot = async (time: number): Promise<string> => {
        const { x, y } = await placeOf(page, time, 'memory allocated');
        return pixelAt(page, { x, y: y + 6 });
      };
      // Off the lines of the grid.
      const [before, known, gap, high] = [await foot(1300), await foot(3300), await foot(5300), await foot(8300)];
      expect(gap).to.equal(before);
      expect(known).not.to.equal(gap);
      expect(high).to.equal(known);
    }
  });

  it('folds and unfolds the counters of a group by keys, and keeps that in the address', async () => {
    const { page } = await shown();
    const names = async (): Promise<string[]> => page.locator('.tl-track').allInnerTexts();
    expect((await names()).filter((name) => name.startsWith('temperature'))).to.deep.equal([]);
    const button = page.locator('button.tl-track').first();
    expect(await button.innerText()).to.match(/^▸ busy \(\d more\)$/);
    await button.focus();
    await page.keyboard.press('Enter');
    expect((await names()).filter((name) => name.startsWith('temperature'))).to.have.length(3);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-expanded")')).to.equal('true');
    await untilAddress(page, 't.open', (address) => address.has('t.open'));
    await page.keyboard.press('Enter');
    expect((await names()).filter((name) => name.startsWith('temperature'))).to.deep.equal([]);
    // The group hides them all.
    await page.getByRole('button', { name: /Lanes of device 0/ }).click();
    expect(await names()).not.to.include('memory allocated');
  });

  it('has the values as a table, at the selected event', async () => {
    const { page } = await shown();
    // A line until it is opened by its key.
    expect(await page.locator('.tl-tracks table').count()).to.equal(0);
    await page.getByText(/^Counters \(/).press('Enter');
    const table = page.getByRole('table', { name: /^Counters at/ });
    await table.waitFor();
    expect(await table.locator('caption').innerText()).to.match(/the middle of the view$/);
    await page.locator('.tl-canvas').focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
    await table.locator('caption', { hasText: 'Counters at 3.75' }).waitFor();
    const row = table.getByRole('row', { name: /memory allocated/ });
    expect((await row.innerText()).split('\t').slice(1, 3)).to.deep.equal(['1.00 MiB', '1.00 MiB to 2.00 MiB']);
    expect((await table.getByRole('row', { name: /busy/ }).first().innerText()).split('\t')[1]).to.equal('100.0 %');
  });

  it('lists notices that lead to their time, marks them below the axis, and tells those without a time', async () => {
    const { page, complaints } = await shown();
    expect(await page.locator('.tl-untimed').innerText()).to.equal(
      'Whole profile: rows with a missing or invalid value (value unknown, or row skipped): 3; ' +
        "devices whose clock differs from the CPU's (aligned by their launches; a shift of na in the profile's facts: " +
        "could not be aligned): 1, device 0: its clock ran 5 us behind the CPU's; its times were aligned, to within 10 ns.",
    );
    const mark = await placeOf(page, 7600, 'notices');
    await page.mouse.move(mark.x, mark.y - 4);
    expect(await tip(page)).to.include('core 0 throttled to 50 % of its rate (activity_1)');
    const notices = page.getByRole('region', { name: 'Notices' });
    await notices.getByText(/^Notices/).press('Enter');
    const throttling = notices.locator('li', { hasText: 'throttled' });
    await throttling.getByRole('button').press('Enter');
    await untilAddress(page, 't.view=6900_8100', (address) => address.get('t.view') === '6900_8100');
    await page.locator('.tl-canvas').press('0');
    await untilAddress(page, 'no t.view', (address) => !address.has('t.view'));
    await page.mouse.click(mark.x, mark.y - 4);
    await untilAddress(page, 't.view', (address) => address.has('t.view'));
    expect(complaints).to.deep.equal([]);
  });

  it('shows another piece where a notice lies in it', async () => {
    const { page } = await open(file, { viewport: { width: 1200, height: 1000 } }, 'tab=timeline&t.piece=1');
    await page.locator('.tl-what', { hasText: /^step 1,/ }).waitFor();
    await page.getByText(/^Notices/).press('Enter');
    await page.getByRole('region', { name: 'Notices' }).locator('li', { hasText: 'throttled' }).getByRole('button').click();
    await page.locator('.tl-what', { hasText: /^step 2,/ }).waitFor();
  }); // prettier-ignore
});
