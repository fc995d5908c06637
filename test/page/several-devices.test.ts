/** A page of several devices, some of which did nothing: all panels count the same devices, and times are per device. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { A100, device, profileOn } from '../support/devices.js';
import type { KernelRecord, ProfileLine } from '../../src/record/record.js';
import { copy } from '../support/advice.js';
import { kernel, mm } from '../support/kernels.js';
import { bundledProgram } from '../support/page-program.js';
import { pageContentsOf } from '../support/pages.js';
import { writePages } from './written-pages.js';

const MS = 1e6;
const S = 1e9;
/** On each device used: busy in the first and the last of 10 ms. */
const onDevice = (id: number) =>
  [0, 9].map((ms) => kernel({ id: 2 * id + ms, device: id, start: ms * MS, dur: MS, launch: null }));

const CONTENTS = pageContentsOf(
  [
    profileOn(...[0, 1, 2, 3, 4].map((id) => device('NVIDIA H100', { id }))),
    ...[1, 2, 3, 4].flatMap(onDevice).sort((a, b) => a.start - b.start),
  ],
  { timeline: { of: 'time', from: 0, to: 10 * MS } },
);

const VALUES = `[...document.querySelectorAll('[data-panel="verdict"] .legend data')].map(({ dataset }) => dataset.value)`;

/** Of two kinds, each with a product of known size. */
const KINDS = pageContentsOf([
  profileOn(A100, device('AMD Instinct MI300X', { id: 1, vendor: 'amd', arch: 'gfx942' })),
  ...[0, 1].map((id) => kernel({ id: id + 1, device: id, start: id, dur: 100, calls: [mm(64, 64, 64)] })),
]);

/** Each of two TPUs works in the first and the last of 10 s. */
const tpusWith = (labels: Readonly<Record<string, string>>, ...between: readonly ProfileLine[]) => {
  const both = (s: number): KernelRecord[] =>
    [0, 1].map((id) =>
      kernel({ ...{ id: s + id + 1, device: id, name: 'fusion', short: 'fusion' }, start: s * S, dur: S, labels }),
    );
  const tpus = [0, 1].map((id) => device('TPU v6 Lite', { id, vendor: 'google', arch: 'tpu-v6e' }));
  return pageContentsOf([profileOn(...tpus), ...both(0), ...between, ...both(9)]);
};
const TPUS = tpusWith({});
/** Both started copies, but the profile has only the one of the first device. */
const COPYING = tpusWith({ category: 'copy-start' }, copy({ start: 3 * S, dur: 2 * S }));

describeInBrowser('page of several devices', (open) => {
  const folder = freshFolder();
  before(() => {
    writePages(folder, bundledProgram(), { devices: CONTENTS, kinds: KINDS, tpus: TPUS, copies: COPYING });
  });

  it('says in the header and in the verdict how many are installed, and how many are used', async () => {
    const { page, complaints } = await open(join(folder, 'devices.html'));
    expect(await page.locator('header .subtitle').textContent()).to.contain('5 × NVIDIA H100 installed, 4 used');
    expect(await page.locator('p.verdict').textContent()).to.match(/^4 of 5 GPUs idle 80\.0 %/);
    expect(complaints).to.deep.equal([]);
  });

  it('says the times of the verdict as those of one device', async () => {
    const { page } = await open(join(folder, 'devices.html'));
    const panel = page.locator('[data-panel="verdict"]');
    const values = await page.evaluate<string[]>(VALUES);
    expect(values.map(Number)).to.deep.equal([0.8, 8 * MS, 0.2, 2 * MS]);
    expect(await panel.locator('.strip').getAttribute('aria-label')).to.contain('80.0 %');
    expect(await panel.locator('.note').textContent()).to.equal('Times are means over 4 devices.');
    // Elsewhere the sums, which are called so.
    expect(await page.locator('[data-panel="idle"] thead').first().textContent()).to.contain('Time, all devices (ms)');
  });

  it('has for each device the causes of its idle time, which add up to it', async () => {
    const { page, complaints } = await open(join(folder, 'devices.html'));
    const table = page.getByRole('table', { name: 'Time by device' });
    const heads = (await table.locator('thead th').allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));
    const rows = await table.locator('tbody tr').all();
    expect(rows).to.have.length(4);
    for (const row of rows) {
      const cells = await row.locator('th, td').allTextContents();
      const sumOf = (isWanted: (head: string) => boolean): number =>
        heads.reduce((sum, head, i) => sum + (isWanted(head) ? Number(cells[i]) : 0), 0);
      const idle = sumOf((head) => /^Idle \(/.test(head));
      expect(idle).to.equal(8);
      expect(sumOf((head) => head.startsWith('Idle: '))).to.equal(idle);
    }
    expect(complaints).to.deep.equal([]);
  });

  it('has the parts of the span of TPUs, and no words of kernels and launches', async () => {
    const { page, complaints } = await open(join(folder, 'tpus.html'));
    const parts = await page.locator('[data-panel="largest"] tbody tr').allTextContents();
    // 8 of 10 s without work, 2 of 10 with it.
    expect(parts).to.deep.equal(['Idle80.08,000.000', 'fusion20.02,000.000']);
    const idle = page.locator('[data-panel="idle"]');
    await idle.scrollIntoViewIfNeeded();
    // The sum of both devices, in a column whose title ends with the letter of its unit.
    expect(await idle.locator('thead').first().textContent()).to.contain('Time, all devices (s)');
    expect(await idle.locator('tbody tr').first().textContent()).to.match(/^gaps between instructions16\.000/);
    expect(await idle.textContent()).not.to.match(/kernel|launch/i);
    expect(complaints).to.deep.equal([]);
  });

  it('has the copies of the devices that have them, as a lower bound', async () => {
    const { page, complaints } = await open(join(folder, 'copies.html'));
    // 2 of 10 s on one of two devices.
    expect(await page.locator('[data-panel="verdict"] .legend').textContent()).to.contain('Exposed copies ≥ 10.0 %');
    const parts = await page.locator('[data-panel="largest"] tbody tr').allTextContents();
    expect(parts).to.deep.equal([
      'Idle≤ 70.0≤ 7,000.000',
      'fusion20.02,000.000',
      'Exposed copies and memsets≥ 10.0≥ 1,000.000',
    ]);
    expect(complaints).to.deep.equal([]);
  });

  it('has the roofs of the device that is chosen', async () => {
    const { page, complaints } = await open(join(folder, 'kinds.html'), {}, 'tab=kernels');
    const panel = page.locator('[data-panel="roofline"]');
    const said = (): Promise<string | null> => panel.locator('.note').first().textContent();
    expect(await said()).to.match(/^Roofs of A100 40GB\. /);
    await panel.getByLabel('Device', { exact: true }).selectOption('1 · AMD Instinct MI300X');
    expect(await said()).to.match(/^Roofs of MI300X\. /);
    // The address keeps the choice.
    await page.reload();
    expect(await said()).to.match(/^Roofs of MI300X\. /);
    expect(complaints).to.deep.equal([]);
  });
});
