/** The page by keyboard alone: what Tab reaches, what shows where the focus is, and what keys do there. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freshFolder } from '../support/fresh-path.js';
import { describeInBrowser } from '../support/browser.js';
import { parametersOf, untilAddress } from '../support/page-waits.js';
import { bundledProgram } from '../support/page-program.js';
import { itLong } from '../support/sets.js';
import { allPages, itOnPages } from './special-pages.js';
import { showWholeTab, tabsOf, writePages } from './written-pages.js';

const SAMPLE = 'lenet.pt.trace.json.gz';
const NEURON = 'attention.ntff';

type WalkingKey = 'Tab' | 'Shift+Tab';

const WALKING_KEYS: readonly WalkingKey[] = ['Tab', 'Shift+Tab'];

/** What takes the focus, less what arrow keys reach within a group. */
const REACHABLE = `[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex]')].filter(
  (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }))`;

/** Numbers what takes the focus; returns how it reads, in the order of the document. */
const NUMBER = `document.querySelectorAll('[data-stop]').forEach((one) => one.removeAttribute('data-stop')), ${REACHABLE}.map((one, i) => {
  one.dataset.stop = i;
  return (one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 60) + ' (' + one.localName + ')';
})`;

/** Where the focus is: its number, null outside of the page, and what is wrong with how it is shown. */
interface Stop {
  readonly at: number | null;
  readonly wrong: string;
}

/** Notes each stop in the page, when the key is let go: asked for from outside, it would take as long again. */
const NOTE_STOPS = `(() => {
  globalThis.stops = [];
  globalThis.noteStop = () => {
    const one = document.activeElement;
    if (one === null || one === document.body) return stops.push({ at: null, wrong: '' });
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const bar = document.querySelector('.tabs');
    const isBelowBar = one.closest('.tabs, header, .skip') !== null || bottom > bar.getBoundingClientRect().bottom;
    const wrong = [
      outlineStyle === 'none' || parseFloat(outlineWidth) < 2 ? 'no outline' : '',
      right > 0 && left < innerWidth && bottom > 0 && top < innerHeight ? '' : 'out of sight',
      isBelowBar ? '' : 'behind the tabs',
    ].filter((part) => part !== '').join(', ');
    stops.push({ at: one.dataset.stop === undefined ? null : Number(one.dataset.stop), wrong });
  };
  addEventListener('keyup', ({ key }) => key === 'Tab' && noteStop(), true);
})()`;

/** From one stop over as many as there are. */
async function walk(page: Page, key: WalkingKey, from: number, count: number): Promise<Stop[]> {
  await page.evaluate(`document.querySelector('[data-stop="${from}"]').focus(), stops.length = 0, noteStop()`);
  // Held down, as people do: pressing it anew for each stop takes twice as long.
  if (key === 'Shift+Tab') await page.keyboard.down('Shift');
  for (let at = 1; at < count; at++) await page.keyboard.press('Tab');
  await page.keyboard.up('Shift');
  return page.evaluate<Stop[]>('stops');
}

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

describeInBrowser('page by keyboard', (open) => {
  const folder = freshFolder();
  const fileOf = (name: string): string => join(folder, `${name}.html`);
  before(async () => {
    writePages(folder, bundledProgram(), await allPages());
  });

  itOnPages('reaches everything, in order, and shows where it is', async (name) => {
    const { page, complaints } = await open(fileOf(name), { viewport: { width: 1280, height: 700 } });
    await page.evaluate(NOTE_STOPS);
    for (const tab of await tabsOf(page)) {
      await showWholeTab(page, tab);
      const all = await page.evaluate<string[]>(NUMBER);
      const nameOf = (at: number | null): string => all[at ?? -1] ?? 'nothing';
      for (const key of WALKING_KEYS) {
        const stops = await walk(page, key, key === 'Tab' ? 0 : all.length - 1, all.length);
        const passed = stops.map(({ at }) => nameOf(at));
        expect(key === 'Tab' ? passed : passed.toReversed(), `${tab}, ${key}`).to.deep.equal(all);
        const wrong = stops.filter((stop) => stop.wrong !== '').map((stop) => `${nameOf(stop.at)}: ${stop.wrong}`);
        expect(wrong, `${tab}, ${key}`).to.deep.equal([]);
      }
    }
    expect(complaints).to.deep.equal([]);
  });

  it('sorts and filters by keys', async () => {
    const { page, complaints } = await open(fileOf('many'));
    await page.getByRole('tab', { name: 'Overview' }).focus();
    // The page has no events, and so no tab for its timeline.
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).to.equal('Kernels');
    const table = page.getByRole('table', { name: 'Kernels', exact: true });
    const filter = page.getByRole('searchbox', { name: 'Filter Kernels', exact: true });
    await filter.focus();
    await page.keyboard.type('kernel 77');
    expect(await table.locator('tbody tr').count()).to.equal(1);
    await page.keyboard.press('Escape');
    expect(await table.locator('tbody tr').count()).to.equal(15);
    for (const head of await table.locator('thead button').all()) {
      await head.focus();
      await page.keyboard.press('Space');
      const first = await head.locator('xpath=..').getAttribute('aria-sort');
      await page.keyboard.press('Enter');
      const second = await head.locator('xpath=..').getAttribute('aria-sort');
      expect([first, second]).to.have.members(['ascending', 'descending']);
    }
    expect(complaints).to.deep.equal([]);
  });

  it('opens and chooses by keys', async () => {
    const { page, complaints } = await open(fileOf('two'));
    const evidence = page.locator('.advice summary').first();
    await evidence.focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.advice details[open]').count()).to.equal(1);
    const rank = page.getByRole('combobox', { name: 'Rank' });
    await rank.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('main[data-profile="1"]').waitFor();
    expect(await focused(page)).to.equal('Rank');
    expect(complaints).to.deep.equal([]);
  });

  it('walks through the flame chart by arrows, Enter and Escape', async () => {
    const { page, complaints } = await open(fileOf(SAMPLE), {}, 'tab=layers');
    await showWholeTab(page, 'layers');
    const boxes = page.locator('.flame .box');
    const all = await boxes.allTextContents();
    await boxes.first().focus();
    await page.keyboard.press('ArrowDown');
    const below = await focused(page);
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).to.not.equal(below);
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).to.equal(below);
    expect(await page.locator('.flame + .status').textContent()).to.include(below.replace(', ', ' · '));
    await page.keyboard.press('Enter');
    expect(await focused(page)).to.equal(below);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await boxes.allTextContents()).to.deep.equal(all);
    expect(complaints).to.deep.equal([]);
  });

  const said = (page: Page): Promise<string | null> =>
    page.evaluate<string | null>("document.activeElement.parentElement.querySelector('.unseen').textContent");

  for (const name of ['two', NEURON, SAMPLE]) {
    // Its charts are of the kinds that the others have.
    (name === SAMPLE ? itLong : it)(`reads the values of every chart by arrows: ${name}`, async () => {
      const { page, complaints } = await open(fileOf(name));
      for (const tab of await tabsOf(page)) {
        await showWholeTab(page, tab);
        for (const drawing of await page.locator(`[data-tab="${tab}"] :is(.chart, .density)`).all()) {
          await drawing.focus();
          await page.keyboard.press('ArrowRight');
          const first = await said(page);
          expect(first, tab).to.match(/\d/);
          await page.keyboard.press('End');
          expect(await said(page), tab).to.match(/\d/);
          await page.keyboard.press('Home');
          expect(await said(page), tab).to.equal(first);
        }
      }
      expect(complaints).to.deep.equal([]);
    });
  }

  it('shows the tip of the value that it reads', async () => {
    const { page } = await open(fileOf('two'), {}, 'panel=roofline');
    await page.locator('[data-panel="roofline"] .chart svg').waitFor();
    await page.locator('[data-panel="roofline"] .chart').focus();
    await page.keyboard.press('End');
    expect(await page.locator('.tip').innerText()).to.match(/intensity\s+1,000(?:\.\d+)? FLOP\/byte/);
    await page.keyboard.press('Tab');
    await page.locator('.tip').waitFor({ state: 'hidden' });
  });

  it('moves, zooms, selects, measures and marks in the timeline by keys', async () => {
    const { page, complaints } = await open(fileOf(SAMPLE), {}, 'tab=timeline');
    await showWholeTab(page, 'timeline');
    const names = (): URLSearchParams => parametersOf(page);
    const changed = (name: string, from: string | null): Promise<void> =>
      untilAddress(page, `${name} other than ${String(from)}`, (address) => address.get(name) !== from);
    await page.locator('.tl-canvas').focus();
    const steps = [
      ['+', 't.view'],
      ['ArrowRight', 't.view'],
      ['Shift+ArrowRight', 't.event'],
      ['Shift+ArrowRight', 't.event'],
      ['Shift+ArrowDown', 't.event'],
      ['f', 't.view'],
      ['x', 't.span'],
      [',', 't.span'],
      ['<', 't.span'],
      ['l', 't.lanes'],
      ['l', 't.lanes'],
      ['Shift+L', 't.lanes'],
      ['Shift+X', 't.span'],
      ['Escape', 't.span'],
      ['Escape', 't.event'],
      ['0', 't.view'],
    ] as const;
    for (const [key, name] of steps) {
      const before = names().get(name);
      await page.keyboard.press(key);
      await changed(name, before);
    }
    await page.keyboard.press('m');
    await page.locator('.tl-markers li').waitFor();
    await page.locator('.tl-canvas').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('kind:kernel');
    await page.keyboard.press('Enter');
    await page.locator('.tl-matches', { hasText: /match/ }).waitFor();
    await changed('t.event', null);
    await page.evaluate("document.querySelector('.tl-found').open = false");
    await page.locator('.tl-found summary').focus();
    await page.keyboard.press('Enter');
    const match = page.locator('.tl-match').nth(1);
    await match.focus();
    const selected = names().get('t.event');
    await page.keyboard.press('Enter');
    await changed('t.event', selected);
    await page.keyboard.press('n');
    await page.locator('.tl-matches', { hasText: /^3 of / }).waitFor();
    await page.locator('.tl-name').first().focus();
    await page.keyboard.press('Enter');
    await changed('t.lanes', null);
    const group = page.locator('.tl-group').first();
    await group.focus();
    await page.keyboard.press('Enter');
    await page.locator('.tl-group[aria-expanded="false"]').first().waitFor();
    expect(await page.evaluate("document.activeElement.classList.contains('tl-group')")).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });

  it('keeps colours that mean something, and the focus, where colours are forced', async () => {
    const { page, complaints } = await open(fileOf('two'), { forcedColors: 'active' });
    const grounds = (selector: string): Promise<string[]> =>
      page.evaluate<string[]>(
        `[...new Set([...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).backgroundColor))]`,
      );
    for (const selector of ['.strip span', '.swatch']) expect(await grounds(selector)).to.have.length.above(1);
    await page.keyboard.press('5');
    expect(await grounds('.heat td')).to.have.length.above(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).to.equal('solid');
    expect(complaints).to.deep.equal([]);
  });

  itOnPages('prints every panel, and cuts nothing off', async (name) => {
    const { page, complaints } = await open(fileOf(name), { viewport: { width: 660, height: 900 } });
    for (const tab of await tabsOf(page)) await showWholeTab(page, tab);
    const panels = await page.locator('[data-panel]').count();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('[data-panel]:visible').count()).to.equal(panels);
    const cut = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('.panel :is(table, p, dl, ol, ul, h3, .chart, .tl)')]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.closest('[data-panel]').dataset.panel + ': ' + one.localName + ' ' + one.getBoundingClientRect().right)`);
    expect(cut).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });
});
