/** What a page says of a capture of AWS Neuron: the vendor's MFU, and the compiled program. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { bundledProgram } from '../support/page-program.js';
import { instruction, neuronProfile } from '../support/neuron.js';
import { pageContentsOf, pageContentsOfFile } from '../support/pages.js';
import { ROOT } from '../support/shared.js';
import { writePages } from './written-pages.js';

const SAMPLE = join(ROOT, 'samples', 'attention.neuron.json');

/** Name and bytes of each row. */
const TENSORS = `[...document.querySelectorAll('table[aria-label="Tensors of the program"] tbody tr')].map(
  (row) => [row.querySelector('th').textContent, row.querySelector('data').dataset.value])`;

/** The shown strings and hover texts, without conditions, which have column names. */
const TEXTS = `(() => {
  const shown = document.querySelector('[role="tabpanel"]:not([hidden])');
  const titles = [...shown.querySelectorAll('[title], [aria-label]')].flatMap((each) => [each.title, each.getAttribute('aria-label')]);
  return [...shown.innerText.split('\\n'), ...titles].filter((text) => text && !/==/.test(text));
})()`;

const GPU_WORDS =
  /\bkernels?\b|\blaunch(es|ed)?\b|\bstreams?\b|tensor cores|matrix cores|cube unit|CUDA|NCCL|\bSMs?\b|\bwarps?\b|\bGPU/i;

interface NeuronJson {
  readonly summary: readonly { readonly mfu_estimated_percent: number }[];
  readonly neff_node: readonly { readonly variable_name: string; readonly size: string }[];
  readonly layer_summary: readonly { readonly start: number; readonly end: number }[];
}

describeInBrowser('page of a capture of AWS Neuron', (open) => {
  const folder = freshFolder();
  const file = join(folder, 'neuron.html');
  const given = JSON.parse(readFileSync(SAMPLE, 'utf8')) as NeuronJson;

  before(async () => {
    writePages(folder, bundledProgram(), { neuron: await pageContentsOfFile(SAMPLE) });
  });

  it('has the MFU of the vendor among the key figures', async () => {
    const { page, complaints } = await open(file);
    const card = page.locator('[data-panel="figures"] .card').filter({ hasText: 'HFU' });
    expect(await card.locator('dt').textContent()).to.equal('MFU');
    const value = await card.locator('data').first().getAttribute('data-value');
    expect(Number(value)).to.be.closeTo(given.summary[0]?.mfu_estimated_percent ?? NaN, 1e-12);
    expect(complaints).to.deep.equal([]);
  });

  it('has one share of an op at first sight and in the table of ops', async () => {
    const { page, complaints } = await open(file);
    const shares = (table: string, at: number): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('table[aria-label="${table}"] tbody tr')].slice(0, 5).map(
        (row) => row.querySelector('th').textContent.replace('≡', '') + ' ' + row.querySelectorAll('td')[${at}].textContent)`);
    const first = await shares('Largest parts of instruction time', 0);
    await page.getByRole('tab', { name: 'Instructions' }).click();
    const headings = await page.getByRole('table', { name: 'Ops', exact: true }).locator('thead th').allTextContents();
    const all = await shares('Ops', headings.findIndex((heading) => heading.startsWith('Share')) - 1);
    expect(first.map((text) => text.replace('no op ', 'no op known '))).to.deep.equal(all);
    expect(complaints).to.deep.equal([]);
  });

  it('has instructions in place of kernels among the key figures, and no empty panel', async () => {
    const { page } = await open(file);
    expect(await page.locator('[data-panel="figures"]').textContent()).to.match(/instructions/);
    for (const tab of ['Overview', 'Timeline', 'Instructions', 'Layers', 'Memory', 'Diagnostics']) {
      await page.getByRole('tab', { name: tab }).click();
      const panels = page.locator('[role="tabpanel"]:not([hidden]) .panel');
      const empty = page.locator('[role="tabpanel"]:not([hidden]) .panel.empty');
      expect(await panels.count(), tab).to.be.above(0);
      expect(await empty.count(), tab).to.equal(0);
      // The timeline unpacks its events first.
      await page.waitForFunction(`${TEXTS}.length > 5`);
      const texts = await page.evaluate<string[]>(TEXTS);
      for (const text of texts) expect(text, tab).not.to.match(GPU_WORDS);
    }
  });

  it('has no empty tab, and does not compare the cores of a single rank as ranks', async () => {
    const { page } = await open(file);
    const tabs = await page.getByRole('tab').allTextContents();
    expect(tabs).to.include('Layers').and.not.include('Ranks');
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab }).click();
      const filled = page.locator('[role="tabpanel"]:not([hidden]) .panel:not(.empty)');
      expect(await filled.count(), tab).to.be.above(0);
    }
  });

  it('lists the tensors of the program, and its layers, which lead to their time', async () => {
    const { page, complaints } = await open(file, {}, 'tab=layers');
    await page.getByRole('table', { name: 'Tensors of the program' }).waitFor();
    const shown = await page.evaluate<string[][]>(TENSORS);
    expect(shown).to.have.deep.members(given.neff_node.map(({ variable_name: name, size }) => [name, size]));
    const layers = page.getByRole('table', { name: 'Layers of the program' }).locator('tbody tr');
    expect(await layers.count()).to.equal(given.layer_summary.length);
    await layers.first().getByRole('link').click();
    const [first] = given.layer_summary;
    const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
    expect(address.get('t.span')).to.equal(`${first?.start}_${first?.end}`);
    await page.locator('[data-panel="timeline"] .tl').waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('counts instructions in a span', async () => {
    const { page, complaints } = await open(file, {}, 'span=2000_4000');
    await page
      .locator('.span-bar')
      .getByText(/^Span: 2.00 us to 4.00 us: \d+ instructions; its edges cut/)
      .waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('gives an op that communicates all of its time', async () => {
    const collective = { op: 'all_reduce', bytesIn: 8, bytesOut: 8, dtype: 'fp32' };
    const group = { group: null, groupSize: null, ranks: null };
    const work = [
      instruction('MATMUL', 'Tensor', 0, 3000, { op: ['dot'] }),
      instruction('all-reduce', 'Tensor', 3000, 1000, {
        op: ['reduce_sum'],
        id: 2,
        collective: { ...collective, ...group },
      }),
    ];
    writePages(folder, bundledProgram(), { communicating: pageContentsOf([neuronProfile(), ...work]) });
    const { page } = await open(join(folder, 'communicating.html'));
    const rows = page.locator('[data-panel="largest"] tbody tr');
    expect(await rows.allTextContents()).to.have.lengthOf(2);
    expect(await rows.nth(1).locator('th, td').allTextContents()).to.include.members(['reduce_sum', '25.0']);
  });
});
