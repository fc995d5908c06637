import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { HOSTILE } from './fixture.js';
import { SPECIAL_PAGES } from './special-pages.js';
import { writePages } from './written-pages.js';

/**
 * Panels of each tab of a page without events, in order: it has no tab for its timeline, and says so at the end of the last
 * tab.
 */
const TABS: Readonly<Record<string, readonly string[]>> = {
  overview: ['verdict', 'largest', 'advice', 'figures', 'profiles', 'utilisation', 'steps', 'idle', 'devices'],
  kernels: [
    'ops',
    'kernels',
    'categories',
    'roofline',
    'sequences',
    'precision',
    'matrix-unit',
    'activity',
    'memory-operations',
    'collectives',
  ],
  layers: ['layers', 'lines', 'flame', 'annotations', 'regions'],
  memory: ['memory'],
  ranks: ['ranks', 'host-cpu'],
  diagnostics: ['diagnostics', 'timeline'],
};
const PANELS = Object.values(TABS).flat();

/**
 * Shows one tab after the other: each is filled when it is first shown. What a panel says is read as `textContent`: a browser
 * lays a panel out some frames after it comes near the window, and a panel that is not laid out has no `innerText`.
 */
async function showAllTabs(page: Page): Promise<void> {
  for (let i = 1; i <= Object.keys(TABS).length; i++) await page.keyboard.press(String(i));
}

/** Colour of the page's ground, in the browser's words. */
const GROUND = 'getComputedStyle(document.body).backgroundColor';

describeInBrowser('dashboard', (open) => {
  const folder = freshFolder();
  const [file, empty, many, hostOnly, linked, unknownUnit] = [
    ...['two', 'empty', 'many', 'host', 'linked', 'unknown'],
  ].map((name) => join(folder, `${name}.html`)) as [string, string, string, string, string, string];

  before(() => {
    writePages(folder, bundledProgram(), SPECIAL_PAGES);
  });

  it('shows every panel without errors and requests', async () => {
    const { page, complaints, requests } = await open(file);
    for (const [i, [tab, ids]] of Object.entries(TABS).entries()) {
      await page.keyboard.press(String(i + 1));
      const panels = await page.evaluate<string[]>(
        "[...document.querySelectorAll('[role=tabpanel]:not([hidden]) [data-panel]')].map((one) => one.dataset.panel)",
      );
      expect(panels).to.deep.equal(ids);
      for (const id of ids) await page.locator(`[data-panel="${id}"]`).scrollIntoViewIfNeeded();
      expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('tab')).to.equal(i === 0 ? null : tab);
      if (tab === 'memory') await page.locator('[data-panel="memory"] svg').waitFor();
    }
    expect(await page.locator('[data-panel="memory-operations"]').textContent()).to.include(
      "The vendor's tool says: reported DMA values may be inaccurate",
    );
    expect(await page.locator('[data-panel="roofline"] svg path').count()).to.be.greaterThan(2);
    expect(complaints).to.deep.equal([]);
    expect(requests).to.have.length(1);
  });

  it('leaves the charts of a hidden tab as they are drawn', async () => {
    const { page } = await open(file);
    await page.keyboard.press('2');
    await page.locator('[data-panel="roofline"]').scrollIntoViewIfNeeded();
    await page.locator('[data-panel="roofline"] svg path').first().waitFor({ state: 'attached' });
    const changes = await page.evaluate<number>(`new Promise((done) => {
      let changes = 0;
      const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      const observer = new MutationObserver((list) => { changes += list.length; });
      observer.observe(document.querySelector('[data-panel="roofline"] .chart svg'), { attributes: true, childList: true, subtree: true });
      (async () => {
        for (const key of ['1', '2']) { press(key); for (let i = 0; i < 3; i++) await frame(); }
        done(changes);
      })();
    })`);
    expect(changes).to.equal(0);
  });

  it('goes back from tab to tab', async () => {
    const { page, complaints } = await open(file);
    const selected = (): Promise<string> => page.locator('[role="tab"][aria-selected="true"]').innerText();
    await page.getByRole('tab', { name: 'Kernels' }).click();
    await page.getByRole('tab', { name: 'Kernels' }).click();
    await page.keyboard.press('3');
    expect(await selected()).to.equal('Layers');
    await page.goBack();
    expect(await selected()).to.equal('Kernels');
    await page.goBack();
    expect(await selected()).to.equal('Overview');
    await page.goForward();
    expect(await selected()).to.equal('Kernels');
    expect(complaints).to.deep.equal([]);
  });

  it('states in a line why a panel is empty', async () => {
    // A page of one profile has no index, and one without call stacks no lines; categories, sequences and regions are shown where
    // there are some.
    const SINGLE = PANELS.length - 5;
    const { page, complaints } = await open(empty);
    await showAllTabs(page);
    expect(await page.locator('[data-panel]').count()).to.equal(SINGLE);
    const lines = await page.locator('[data-panel].empty > .missing').allTextContents();
    // All but that of the profile itself.
    expect(lines).to.have.length(SINGLE - 1);
    expect(lines.every((line) => line.length > 20 && !line.includes('\n'))).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });

  it('shows what the host did where no device worked', async () => {
    const { page, complaints } = await open(hostOnly);
    await showAllTabs(page);
    const names = async (panel: 'ops' | 'layers'): Promise<string[]> => {
      await page.getByRole('tab', { name: panel === 'ops' ? 'Kernels' : 'Layers' }).click();
      return page.locator(`[data-panel="${panel}"] tbody tr > :first-child`).allTextContents();
    };
    const raw = (panel: string, field: string): Promise<string | null> =>
      page.locator(`[data-panel="${panel}"] [data-field="${field}"]`).first().getAttribute('data-value');
    expect(await names('ops')).to.deep.equal(['linear', 'addmm']);
    const addmm = page.locator('[data-panel="ops"] tbody tr').filter({ hasText: 'addmm' });
    expect(await addmm.locator('[data-field$=".hostSelf"]').getAttribute('data-value')).to.equal('20000');
    expect(await names('layers')).to.deep.equal(['Linear_0']);
    // 40 us, 30 of them in an op.
    expect(await raw('layers', 'overview.host.layers.0.time')).to.equal('10000');
    expect(await raw('steps', 'overview.host.steps.median')).to.equal('100000');
    expect(complaints).to.deep.equal([]);
  });

  it('gives every figure its raw number', async () => {
    const { page } = await open(file);
    await showAllTabs(page);
    const raw = (panel: string, field: string): Promise<string | null> =>
      page.locator(`[data-panel="${panel}"] [data-field="${field}"]`).first().getAttribute('data-value');
    expect(await raw('devices', 'overview.devices.0.busy')).to.equal('8000000');
    expect(await raw('figures', 'overview.kernels.work.computeShare')).to.equal('0.3');
    expect(await raw('figures', 'overview.kernels.work.mfu')).to.equal('0.18');
    await page.keyboard.press('1');
    const text = await page.locator('[data-panel="figures"]').textContent();
    // 3 of 7 ms, and 6 of 7.
    expect(text).to.match(/MFU≥ 18\.0 %.*FLOPs known for 42\.9 % of kernel time/);
    expect(text).to.match(/Of peak FLOP\/s30\.0 %.*measured on 85\.7 % of kernel time/);
    for (const panel of ['figures', 'steps']) {
      expect(await raw(panel, 'overview.steps.host.median')).to.equal('3500000');
      expect(await raw(panel, 'overview.steps.device.median')).to.equal('3000000');
    }
    expect(text).to.match(/Step \(host\), median\s*3\.500 ms\s*Step \(device\) 3\.000 ms/);
    const unit = page.locator(
      '[data-panel="figures"] [data-field="overview.kernels.matrixUnit.used / overview.kernels.time"]',
    );
    expect(await unit.textContent()).to.equal('57.1 %');
    // It is not known of any kernel whether it used the unit: that is not 0.
    const other = await open(unknownUnit);
    const titles = await other.page.locator('[data-panel="figures"] .card dt').allTextContents();
    expect(titles.filter((title) => title.startsWith('On '))).to.deep.equal([]);
    expect(await other.page.locator('[data-panel="figures"] .note').first().textContent()).to.match(
      /Not known: .*On tensor cores: unknown for every kernel/,
    );
    expect(await raw('kernels', 'kernels.shown.1.tc')).to.equal('null');
    expect(await raw('memory-operations', 'overview.memory.0.bytesPerS')).to.equal('10000000000');
    expect(await raw('memory-operations', 'overview.memory.0.time / sum(overview.memory.*.time)')).to.equal('0.8');
    expect(await raw('advice', 'advice.0.gain.ns')).to.equal('500000');
    expect(await page.locator('[data-panel="advice"] p').allTextContents()).to.include(
      'The CPU was in cudaMalloc 1 ms.',
    );
    expect(
      await page.locator('[data-panel="kernels"] [data-field="kernels.shown.1.tc"]').last().textContent(),
    ).to.equal('na');
  });

  it('begins with the verdict: a sentence, and the parts of the span', async () => {
    const { page } = await open(file);
    const panel = page.locator('[data-panel]').first();
    expect(await panel.getAttribute('data-panel')).to.equal('verdict');
    expect(await panel.locator('.verdict').textContent()).to.match(
      /^Rank 0: GPU idle 20\.0 %: the CPU launches kernels too slowly\./,
    );
    const shares = panel.locator('.legend data[data-field$="verdict.span"]');
    expect(await shares.nth(0).getAttribute('data-value')).to.equal('0.8');
    expect(await shares.nth(1).getAttribute('data-value')).to.equal('0.2');
    expect(await panel.locator('.strip').getAttribute('aria-label')).to.equal(
      'Time of the devices: Compute 80.0 %, Idle: waiting for launches 20.0 %',
    );
    // The page follows its address, which browsers report later.
    const expectShown = (id: string): Promise<void> => page.locator(`#panel-${id}:focus`).waitFor();
    await panel.locator('.legend').getByRole('link', { name: 'Idle: waiting for launches' }).click();
    await expectShown('idle');
    await panel.locator('.strip span').first().click();
    await expectShown('ops');
    expect(await page.getByRole('tab', { selected: true }).textContent()).to.equal('Kernels');
  });

  it('has an index of its profiles', async () => {
    const { page } = await open(file);
    const rows = page.locator('[data-panel="profiles"] tbody tr');
    const texts = await rows.locator(':scope > *').allTextContents();
    const verdict = 'GPU idle 20.0 %: the CPU launches kernels too slowly. Computing 80.0 %.';
    // Each works from 1 to 11 ms.
    expect(texts).to.deep.equal([
      ...['rank 0', 'Example GPU', '10.000', verdict],
      ...['rank 1', 'Example GPU', '10.000', verdict],
    ]);
    await rows.getByRole('button', { name: 'rank 1' }).click();
    await page.locator('main[data-profile="1"]').waitFor();
    const single = await open(unknownUnit);
    expect(await single.page.locator('[data-panel="profiles"]').count()).to.equal(0);
  });

  it('lists what takes the span: ops, communication, copies and idle', async () => {
    const { page } = await open(file);
    const rows = page.locator('[data-panel="largest"] tbody tr');
    const texts = await rows.locator(':scope > :nth-child(-n + 3)').allTextContents();
    // 10 ms: ops 4 and 1 of 6 ms computed, communication 1 ms alone, copies and memsets 0.4 and 0.1 ms alone, 2 ms idle.
    expect(texts).to.deep.equal([
      ...[HOSTILE, '40.0', '4,000.00'],
      ...['Idle', '20.0', '2,000.00'],
      ...['add', '10.0', '1,000.00'],
      ...['Exposed communication', '10.0', '1,000.00'],
      ...['Exposed copies and memsets', '5.0', '500.00'],
      ...['Other ops', '10.0', '1,000.00'],
    ]);
    await rows.getByRole('link', { name: 'Exposed communication' }).click();
    await page.locator('#panel-collectives:focus').waitFor();
  });

  it('says in words what diagnostics count', async () => {
    const { page } = await open(file, {}, 'panel=diagnostics');
    const item = page.locator('[data-panel="diagnostics"] li').first();
    expect(await item.textContent()).to.equal('Kernels whose launch call is not in the profile: 2');
    expect(await item.getAttribute('title')).to.equal('kernel-without-launch');
  });

  it('leads from an advice, a kernel and a layer to their events in the timeline', async () => {
    const { page, complaints } = await open(linked);
    const LINKS = [
      ['Overview', 'advice', 'the 2 longest', 'id==2 || id==1', '2 matches'],
      ['Kernels', 'kernels', HOSTILE, `kernel=="${HOSTILE.replaceAll('"', '\\"')}"`, '1 match'],
      ['Layers', 'layers', 'block', 'layer=="block"', '2 matches'],
    ] as const;
    // What concerns the profile is folded, and so is what it lacks.
    expect(await page.locator('[data-panel="advice"]').textContent()).to.match(/Completeness: complete \(\d+ limits\)/);
    await page.getByText('About this profile (1)').click();
    for (const [tab, panel, name, condition, found] of LINKS) {
      await page.getByRole('tab', { name: tab }).click();
      const link = page.locator(`[data-panel="${panel}"]`).getByRole('link', { name, exact: true }).first();
      await link.focus();
      await page.keyboard.press('Enter');
      await page.locator('.tl-matches', { hasText: found }).waitFor();
      expect(await page.getByRole('searchbox', { name: /^Search events/ }).inputValue()).to.equal(condition);
      await page.locator('#panel-timeline:focus').waitFor();
      expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('t.search')).to.equal(condition);
    }
    expect(complaints).to.deep.equal([]);
  });

  it('sorts a table by the keyboard', async () => {
    const { page } = await open(file, {}, 'tab=kernels');
    const table = page.getByRole('table', { name: 'Kernels', exact: true });
    const first = (): Promise<string | null> => table.locator('tbody tr').first().locator('th').textContent();
    expect(await first()).to.equal(HOSTILE);
    const head = table.getByRole('button', { name: /^Launches/ });
    await head.focus();
    await page.keyboard.press('Enter');
    expect(await first()).to.equal('elementwise');
    expect(await table.locator('th[aria-sort="descending"]').textContent()).to.equal('Launches');
    await page.keyboard.press('Space');
    expect(await first()).to.equal(HOSTILE);
    expect(await table.locator('th[aria-sort="ascending"]').count()).to.equal(1);
  });

  it('filters a table', async () => {
    const { page } = await open(many, {}, 'tab=kernels');
    const table = page.getByRole('table', { name: 'Kernels', exact: true });
    await page.getByRole('searchbox', { name: 'Filter Kernels', exact: true }).fill('99 KERNEL');
    expect(await table.locator('tbody th').allTextContents()).to.deep.equal(['kernel 99']);
  });

  it('opens and closes layers by the keyboard', async () => {
    const { page } = await open(file, {}, 'tab=layers');
    const rows = page.getByRole('table', { name: 'Layers' }).locator('tbody tr');
    expect(await rows.count()).to.equal(3);
    await page.getByRole('button', { name: 'Close model' }).focus();
    await page.keyboard.press('Enter');
    expect(await rows.count()).to.equal(1);
    // The keyboard stays on the row, whose button is a new one.
    await page.keyboard.press('Enter');
    expect(await rows.count()).to.equal(3);
  });

  it('lists the layers by their backward, with what makes it slow, in two clicks', async () => {
    const { page, complaints } = await open(file);
    await page.getByRole('tab', { name: 'Layers' }).click();
    const table = page.getByRole('table', { name: 'Layers' });
    await table.getByRole('button', { name: /^Own backward/ }).click();
    expect(await table.locator('th[aria-sort="descending"]').textContent()).to.match(/^Own backward/);
    const heads = (await table.locator('thead th').allTextContents()).map((head) => head.replace(/ \(.*/, ''));
    const cells = await table.locator('tbody tr').first().locator('th, td').allTextContents();
    const row = Object.fromEntries(heads.map((head, i) => [head, cells[i]]));
    // 3/4 of 3 ms, in us.
    expect(row).to.include({
      ...{ Layer: `model / ${HOSTILE}`, 'Own backward': '2,250.00', Backward: '2,250.00' },
      ...{ 'Bound of backward': 'compute 90.0 %', 'On matrix unit of backward': '100.0' },
      'Slowest kernel of backward': '1.500 ms gemm_bf16',
    });
    await page.getByRole('button', { name: 'Show as a tree' }).click();
    expect(await table.locator('tbody th').first().textContent()).to.include('model');
    expect(await table.locator('thead th').allTextContents()).to.include('Bound');
    const other = await open(linked, {}, 'tab=layers');
    // In a list too, names lead to the timeline.
    await other.page.getByRole('table', { name: 'Layers' }).getByRole('button', { name: /^Time/ }).click();
    expect(
      await other.page.locator('[data-panel="layers"] tbody th').getByRole('link', { name: 'block' }).count(),
    ).to.equal(1);
    const link = other.page.getByRole('table', { name: 'Layers' }).getByRole('link', { name: /^300 ns / });
    await link.click();
    await other.page.locator('.tl-matches', { hasText: '1 match' }).waitFor();
    expect(await other.page.getByRole('searchbox', { name: /^Search events/ }).inputValue()).to.match(
      /^layer=="block" && kernel==/,
    );
    expect([...complaints, ...other.complaints]).to.deep.equal([]);
  });

  it('shows another rank, and remembers it in the address', async () => {
    const { page, complaints } = await open(file);
    const busy = page.locator('[data-panel="devices"] [data-field="overview.devices.0.busy"]').first();
    await page.getByRole('combobox', { name: 'Rank' }).selectOption({ label: 'rank 1' });
    expect(await busy.getAttribute('data-value')).to.equal('9600000');
    expect(page.url()).to.match(/#profile=1$/);
    await page.keyboard.press('5');
    await page
      .locator('[data-panel="ranks"]')
      .getByRole('table', { name: 'Profiles compared' })
      .getByRole('button', { name: 'rank 0', exact: true })
      .click();
    await page.keyboard.press('1');
    expect(await busy.getAttribute('data-value')).to.equal('8000000');
    const again = await open(file, {}, 'profile=1');
    const figure = again.page.locator('[data-panel="devices"] [data-field="overview.devices.0.busy"]').first();
    expect(await figure.getAttribute('data-value')).to.equal('9600000');
    expect(complaints).to.deep.equal([]);
  });

  it('turns dark and light, and remembers it in the address', async () => {
    const { page } = await open(file, { colorScheme: 'light' });
    const ground = (): Promise<string> => page.evaluate<string>(GROUND);
    const light = await ground();
    await page.getByRole('button', { name: 'Show the page in dark colours' }).click();
    const dark = await ground();
    expect(dark).to.not.equal(light);
    expect(page.url()).to.match(/#theme=dark$/);
    await page.reload();
    expect(await ground()).to.equal(dark);
    await page.getByRole('button', { name: 'Show the page in light colours' }).click();
    expect(await ground()).to.equal(light);
    const system = await open(file, { colorScheme: 'dark' });
    expect(await system.page.evaluate<string>(GROUND)).to.equal(dark);
  });

  it('shows hostile names as text', async () => {
    const { page, complaints } = await open(file, {}, 'tab=kernels');
    const roofline = page.locator('[data-panel="roofline"]');
    await roofline.locator('.chart').scrollIntoViewIfNeeded();
    const box = await roofline.locator('svg path[fill="var(--memory)"]').first().boundingBox();
    if (box === null) throw new Error('no point of the matrix unit');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    expect(await page.locator('.tip strong').first().textContent()).to.equal(HOSTILE);
    expect(await page.locator('img').count()).to.equal(0);
    expect(await page.title()).to.not.equal('broken');
    expect(complaints).to.deep.equal([]);
  });

  it('moves among tabs by mouse, arrows and numbers, and opens where the address says', async () => {
    const { page, complaints } = await open(many);
    const shown = (): Promise<string | null> => page.locator('[role=tab][aria-selected=true]').textContent();
    const places = (): Promise<number> => page.locator('[role=tabpanel]:visible').count();
    expect([await shown(), await places()]).to.deep.equal(['Overview', 1]);
    await page.getByRole('tab', { name: 'Layers' }).click();
    expect([await shown(), await places()]).to.deep.equal(['Layers', 1]);
    expect(page.url()).to.match(/#tab=layers$/);
    await page.keyboard.press('ArrowRight');
    expect(await shown()).to.equal('Memory');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    expect(await shown()).to.equal('Diagnostics');
    // Keys count the shown tabs.
    expect(await page.getByRole('tab').allTextContents()).to.deep.equal([
      ...['Overview', 'Kernels', 'Layers', 'Memory', 'Ranks', 'Diagnostics'],
    ]);
    await page.keyboard.press('2');
    expect(await shown()).to.equal('Kernels');
    // Numbers that are typed are no keys.
    await page.getByRole('searchbox', { name: 'Filter Kernels', exact: true }).fill('');
    await page.keyboard.type('14');
    expect(await shown()).to.equal('Kernels');
    const again = await open(file, {}, 'panel=flame&theme=dark');
    expect(await again.page.locator('[role=tab][aria-selected=true]').textContent()).to.equal('Layers');
    expect(await again.page.locator('h2:focus').textContent()).to.equal('Flame chart');
    expect((await open(file, {}, 'tab=none&panel=nothing')).complaints).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('moves to a panel, and past the navigation, by the keyboard', async () => {
    const { page } = await open(file, {}, 'tab=kernels');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('main:focus').count()).to.equal(1);
    await page.keyboard.press('2');
    await page.getByRole('link', { name: 'Roofline' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('h2:focus').textContent()).to.equal('Roofline');
    expect(page.url()).to.match(/#tab=kernels&panel=roofline$/);
  });

  it('fits a narrow screen', async () => {
    const { page } = await open(file, { viewport: { width: 400, height: 800 } });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).to.equal(400);
  });

  it('draws every chart for paper', async () => {
    const { page } = await open(file);
    await showAllTabs(page);
    const charts = await page.locator('.chart').count();
    expect(await page.locator('.chart svg').count()).to.be.below(charts);
    await page.pdf();
    expect(await page.locator('.chart svg').count()).to.equal(charts);
  });

  it('prints the first rows of a table, how many there are besides, and what is closed on the screen', async () => {
    const { page } = await open(many, {}, 'tab=kernels');
    const table = page.getByRole('table', { name: 'Kernels', exact: true });
    await page.getByRole('button', { name: 'Show all 100' }).click();
    expect(await table.locator('tbody tr').count()).to.equal(100);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await table.locator('tbody tr').count()).to.equal(30);
    expect(
      await page.locator('[data-panel="kernels"]').getByText('30 of 100 rows, 70 are not printed').count(),
    ).to.equal(1);
    expect(await page.locator('main details:not([open])').count()).to.equal(0);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await table.locator('tbody tr').count()).to.equal(100);
    expect(await page.locator('main details[open]').count()).to.equal(0);
  });

  it('draws curves of memory together, and lists what does not change', async () => {
    const { page, complaints } = await open(many, {}, 'panel=memory');
    const panel = page.locator('[data-panel="memory"]');
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('.chart svg').first().waitFor();
    expect(await panel.locator('.chart').count()).to.equal(1);
    expect(await panel.locator('.chart').getAttribute('aria-label')).to.equal(
      'Device 0: memory allocated over time: PTA peak 3.81 MiB, GE peak 1.91 MiB',
    );
    const constant = panel.getByRole('table', { name: 'Memory that does not change' });
    const cells = await constant.locator('tbody tr').allTextContents();
    expect(cells).to.deep.equal(['Total06.68 MiBof the whole profile', 'memory reserved PTA04.77 MiB2, all the same']);
    expect(complaints).to.deep.equal([]);
  });

  it('states how reliable the occurrences of an annotation are', async () => {
    const { page } = await open(file, {}, 'tab=layers');
    const panel = page.locator('[data-panel="annotations"]');
    expect(await panel.getByText(/calls with no other kernel between them count as one/).count()).to.equal(1);
    await panel.getByRole('button', { name: 'Show optimizer' }).click();
    expect(await panel.getByText(/calls with no other kernel/).count()).to.equal(0);
  });
});
