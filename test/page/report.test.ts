/** Pages of real profiles, from the file to the screen: all panels, with the numbers of the summary. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import type { PageContents, PageData } from '../../src/prof/html/page-data.js';
import type { PageProgram } from '../../src/write/html/page.js';
import { describeInBrowser, type OpenFile } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { eventsOf, pageContentsOfFile, shownFirst } from '../support/pages.js';
import { untilAddress } from '../support/page-waits.js';
import { itEachShared, ROOT } from '../support/shared.js';
import { showWholeTab, tabsOf, writePage } from './written-pages.js';

/** One of each vendor. */
const SHARED: readonly string[] = [
  'data/kineto/h100_vit.json.gz',
  'data/neuron/trn2_fused_bf16_s512',
  'data/ascend/db_level1_rank1',
];
const OTHERS: readonly string[] = [
  'data/nsys/fsdp_2proc.sqlite',
  'data/kineto/mi300_resnet_training.json.gz',
  'data/kineto/mi300_hipgraph_decode.json.gz',
];
const SAMPLES = ['lenet.nsys.sqlite', 'attention.ntff', 'ascend_pytorch_profiler_0.db'];

/** Each must be there, with content or with a line that says why not. */
const PANELS = [
  ...[
    'verdict',
    'largest',
    'figures',
    'advice',
    'devices',
    'utilisation',
    'ranks',
    'steps',
    'ops',
    'kernels',
    'precision',
    'matrix-unit',
    'activity',
  ],
  ...[
    'memory-operations',
    'collectives',
    'roofline',
    'layers',
    'flame',
    'annotations',
    'memory',
    'timeline',
    'diagnostics',
  ],
];

/** A figure of the page: where it stands in the data, and its number there. */
interface Shown {
  readonly field: string;
  readonly value: string;
}

const FIGURES = `[...document.querySelectorAll('[data-field]')].map((one) => ({ field: one.dataset.field, value: one.dataset.value }))`;
const PANEL_NAMES = `[...document.querySelectorAll('[data-panel]')].map((one) => one.dataset.panel)`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** The value at a path of the data, which is that of the first profile unless it is advice or of the job. */
function at(data: PageData, path: string): unknown {
  const from: unknown = /^(?:advice|job)\b/.test(path) ? data : data.profiles[0];
  return path.split('.').reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], from);
}

/** Shows all of every tab, and then the timeline. */
async function showAll(page: Page): Promise<void> {
  for (const tab of await tabsOf(page)) await showWholeTab(page, tab);
  await page.locator('#tab-timeline').click();
}

/** Searches and zooms: matches are the events of the data, and the address follows the view. */
async function checkTimeline(contents: PageContents, page: Page): Promise<void> {
  if ((contents.data.profiles[0]?.timeline ?? null) === null) return;
  const timeline = shownFirst(contents);
  const kernels = eventsOf(timeline).filter(({ kind }) => kind === 'kernel').length;
  const panel = page.locator('[data-panel="timeline"]');
  await panel.getByRole('searchbox').fill('kind:kernel');
  await panel.getByRole('searchbox').press('Enter');
  const answer = panel.locator('.tl-matches', { hasText: /[\d,]+ match/ });
  await answer.waitFor();
  const [, count = ''] = /([\d,]+) match/.exec((await answer.textContent()) ?? '') ?? [];
  expect(Number(count.replaceAll(',', ''))).to.equal(kernels);
  await panel.getByRole('button', { name: 'Zoom in' }).click();
  await untilAddress(page, 'a view', (now) => now.has('t.view'));
}

async function check(contents: PageContents, path: string, program: PageProgram, open: OpenFile): Promise<void> {
  const { data } = contents;
  writePage(path, program, contents);
  const { page, complaints, requests } = await open(path);
  expect(await page.evaluate(`performance.getEntriesByName('ready').length`), 'marks its answer').to.equal(1);
  await showAll(page);
  // A Neuron capture shows only panels that have content.
  const named = await page.evaluate<string[]>(PANEL_NAMES);
  const isNeuron = data.profiles[0]?.neuron !== null;
  expect(named).to.include.members(isNeuron ? ['verdict', 'largest', 'figures', 'neuron', 'kernels'] : PANELS);
  const figures = (await page.evaluate<Shown[]>(FIGURES)).filter(({ field }) => /^[\w.]+$/.test(field));
  for (const { field, value } of figures) expect(value, field).to.equal(JSON.stringify(at(data, field) ?? null));
  const shown = new Set(figures.map(({ field }) => field));
  // As the summary has it: operations between ranks that are not kernels are left out.
  const kernels = '[data-panel="figures"] [data-field="overview.kernels.count"]';
  if (data.profiles[0]?.overview.kernels !== null) expect(await page.locator(kernels).count()).to.equal(1);
  data.profiles[0]?.overview.devices.forEach((_, i) => {
    for (const name of ['busy', 'idle', 'span', 'compute', 'communication', 'memory', 'exposed']) {
      expect([...shown]).to.include(`overview.devices.${i}.${name}`);
    }
  });
  data.profiles[0]?.overview.steps?.serving?.forEach((_, i) => {
    expect([...shown]).to.include.members([
      `overview.steps.serving.${i}.tokensPerS`,
      `overview.steps.serving.${i}.parts.attention`,
    ]);
  });
  await checkTimeline(contents, page);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const tab of await tabsOf(page)) {
    await showWholeTab(page, tab);
    expect(await page.evaluate(OVERFLOW), tab).to.equal(0);
  }
  expect(complaints).to.deep.equal([]);
  expect(requests).to.have.length(1);
}

describeInBrowser('page of a profile', (open) => {
  const folder = freshFolder();
  let program: PageProgram = { script: '', charts: '', style: '' };
  before(() => {
    program = bundledProgram();
  });

  for (const name of SAMPLES) {
    it(`shows the numbers of ${name}`, async () => {
      await check(await pageContentsOfFile(join(ROOT, 'samples', name)), join(folder, `${name}.html`), program, open);
    });
  }
  itEachShared(
    SHARED,
    OTHERS,
    (name) => `shows the numbers of ${name}`,
    async (path, name) => {
      await check(await pageContentsOfFile(path), join(folder, `${name.replaceAll('/', '-')}.html`), program, open);
    },
  );

  it('shows hostile names as text', async () => {
    const contents = await pageContentsOfFile(join(ROOT, 'samples/lenet.nsys.sqlite'));
    const hostile = '</script><img src=x onerror="document.title=1"><script>document.title=1</script><!--';
    const text = JSON.stringify(contents, (key, value: unknown) =>
      key === 'name' || key === 'text' ? hostile : value,
    );
    const { data, parts } = JSON.parse(text) as PageContents;
    const path = join(folder, 'hostile.html');
    writePage(path, program, { data: { ...data, title: hostile }, parts });
    const { page, requests } = await open(path);
    await showAll(page);
    // Nor does a script run that the page does not hold itself.
    await page.evaluate(
      "try { document.head.append(Object.assign(document.createElement('script'), { text: 'document.title = 2' })) } catch {}",
    );
    expect(await page.title()).to.equal(hostile);
    expect(await page.locator('img').count()).to.equal(0);
    expect(requests).to.have.length(1);
  });
});
