/** The timeline in a browser, alone on a page, as users work with it. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { drawn, untilAddress, waitUntil } from '../support/page-waits.js';
import { BREAKING, place, simple, viewOf } from './timeline/on-screen.js';
import { opensTimelines } from './timeline/opened-timelines.js';
import { NO_EVENT } from '../../src/prof/html/timeline/timeline-data.js';
import { generated, packed, timelineOf, type FixtureEvent } from './timeline/fixture.js';

const canvasText = (page: Page): Promise<string> =>
  page.locator('.tl-canvas').evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());

describeInBrowser('timeline in a browser', (open) => {
  const { openSimple, folder } = opensTimelines(open);

  it('zooms and pans by wheel, drag and keys', async () => {
    const { page, complaints } = await openSimple();
    const middle = await place(page, 1000, 'stream 7');
    await page.mouse.move(middle.x, middle.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    const [from = 0, to = 0] = await viewOf(page);
    // e^(200/300) times narrower around 1000.
    expect(to - from).to.be.closeTo(2080 / Math.exp(2 / 3), 5);
    expect((from + to) / 2).to.be.closeTo(1000, 5);
    await page.mouse.down();
    await page.mouse.move(middle.x - 100, middle.y, { steps: 4 });
    await page.mouse.up();
    const [dragged = 0] = await viewOf(page);
    const width = (await page.locator('.tl-canvas').boundingBox())?.width ?? 1;
    expect(dragged - from).to.be.closeTo((100 / width) * (to - from), 3);
    await page.locator('.tl-canvas').press('0');
    expect(await viewOf(page)).to.deep.equal([-40, 2040]);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const [zoomedFrom = 0, zoomedTo = 0] = await viewOf(page);
    expect(zoomedTo - zoomedFrom).to.be.closeTo(2080 / 1.5, 3);
    expect(complaints).to.deep.equal([]);
  });

  it('leaves the wheel to the page until it has the focus', async () => {
    const { page } = await openSimple();
    const { x, y } = await place(page, 1000, 'stream 7');
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -200);
    expect(await viewOf(page)).to.deep.equal([-40, 2040]);
    await page.mouse.click(x, y);
    await page.mouse.wheel(0, -200);
    expect(await viewOf(page)).not.to.deep.equal([-40, 2040]);
  });

  it('shows details of the selected event, with links to its launch and back', async () => {
    const { page, complaints } = await openSimple();
    const { x, y } = await place(page, 375, 'stream 7');
    await page.mouse.move(x, y);
    await page.waitForSelector('.tl-tip:not([hidden])');
    expect(await page.locator('.tl-tip').innerText()).to.include('add\nkind: kernel\nstart: 1.35 us\nduration: 50 ns');
    await page.mouse.click(x, y);
    const details = page.locator('.tl-details');
    expect(await details.locator('h3').innerText()).to.equal('add');
    expect(await details.locator('code').innerText()).to.equal('dprof --explain 0:4 net.jsonl');
    // In groups, and each fact has a hover text.
    expect(await details.locator('h4').allInnerTexts()).to.deep.equal([
      ...['What', 'Timing', 'Operands', 'Memory', 'Ids and links'],
    ]);
    expect(await details.getByRole('region', { name: 'Timing' }).locator('dt').allInnerTexts()).to.deep.equal([
      ...['start', 'duration', 'lane', 'in the queue'],
    ]);
    expect(await details.locator('dl > div:not([title])').count()).to.equal(0);
    await details.getByRole('button', { name: BREAKING }).click();
    // A name is a name, whatever it tries to be.
    expect(await details.locator('h3').innerText()).to.equal(BREAKING);
    expect(await page.locator('#page img').count()).to.equal(0);
    await details.getByRole('button', { name: 'add' }).click();
    expect(await details.innerText()).to.include("1.35 us (1,350 ns) from the profile's start");
    expect(complaints).to.deep.equal([]);
  });

  it('keeps its height and hides the tip when an event is selected', async () => {
    const { page } = await openSimple();
    const before = await page.locator('.tl-body').boundingBox();
    const { x, y } = await place(page, 375, 'stream 7');
    await page.mouse.move(x, y);
    await page.waitForSelector('.tl-tip:not([hidden])');
    await page.mouse.click(x, y);
    await page.mouse.move(x + 1, y);
    await page.locator('.tl-details h3').waitFor();
    expect(await page.locator('.tl-tip').isVisible()).to.equal(false);
    expect((await page.locator('.tl-body').boundingBox())?.height).to.equal(before?.height);
    // The next event has a tip again.
    const next = await place(page, 475, 'stream 7');
    await page.mouse.move(next.x, next.y);
    await page.waitForSelector('.tl-tip:not([hidden])');
  });

  it('draws the arrows of the selected event alone, and none over a name', async () => {
    // The arrow from the launch to the kernel of stream 7 crosses the name that fills stream 9.
    const { page } = await openSimple(
      '',
      timelineOf([
        { start: 0, dur: 40, lane: 0, kind: 'launch', name: 'launch' },
        { start: 0, dur: 2000, lane: 2, name: 'W'.repeat(60), id: 1 },
        { start: 60, dur: 50, lane: 1, name: 'add', id: 2, launcher: 0 },
      ]),
    );
    const name = await place(page, 30, 'stream 9');
    const canvas = await page.locator('.tl-canvas').boundingBox();
    /** Whether the upper canvas has anything in a row of pixels. */
    const isPainted = (y: number): Promise<unknown> =>
      page.evaluate(`(() => {
        const canvas = document.querySelector('.tl-canvas');
        const { data } = canvas.getContext('2d').getImageData(0, ${Math.round(y - (canvas?.y ?? 0))}, canvas.width, 1);
        return data.some((value) => value !== 0);
      })()`);
    const { x, y } = await place(page, 85, 'stream 7');
    await page.mouse.click(x, y);
    await page.mouse.move(5, 5);
    await drawn(page);
    expect(await isPainted(name.y + 12)).to.equal(true);
    expect(await isPainted(name.y)).to.equal(false);
    await page.locator('.tl-canvas').press('Escape');
    await drawn(page);
    expect(await isPainted(name.y + 12)).to.equal(false);
  });

  it('searches, sums the matches and steps through them', async () => {
    const { page, complaints } = await openSimple();
    const field = page.getByRole('searchbox');
    await field.fill('op:linear');
    const answer = page.locator('.tl-matches');
    await page.locator('.tl-matches', { hasText: /./ }).waitFor();
    // Ten of twenty kernels of 50 ns.
    expect(await answer.innerText()).to.equal('10 matches: 10 on devices, 500 ns (50.0 %)');
    await field.press('Enter');
    await field.press('Enter');
    expect(await page.locator('.tl-details').innerText()).to.include('(1,250 ns)');
    await field.press('Shift+Enter');
    expect(await page.locator('.tl-details').innerText()).to.include('(1,050 ns)');
    await field.fill('nothing of it');
    await page.locator('.tl-matches', { hasText: /^no match$/ }).waitFor();
    await page.locator('.tl-legend button', { hasText: 'add' }).click();
    expect(await answer.innerText()).to.include('10 matches');
    expect(complaints).to.deep.equal([]);
  });

  it('draws no further than the piece reaches', async () => {
    // A range that lasts to 4000, in a piece that ends at 2000.
    const events: FixtureEvent[] = [
      { start: 0, dur: 4000, lane: 0, kind: 'range', name: 'step' },
      { start: 500, dur: 2500, lane: 1, name: 'a', id: 1 },
    ];
    const { page, complaints } = await openSimple('', { ...timelineOf(events), end: 3000 });
    expect(await page.locator('.tl-what').innerText()).to.equal(
      "step 5, 1.00 us to 3.00 us from the profile's start: 2 events",
    );
    await page.locator('.tl-canvas').press('x');
    await page.locator('.tl-span', { hasText: /1 event,/ }).waitFor();
    const text = await page.locator('.tl-span').innerText();
    // From 500 to the end at 2000, three quarters of what is drawn.
    expect(text).to.match(/device 0\s+1\s+1,500\s+75\.0/);
    expect(complaints).to.deep.equal([]);
  });

  it('says of a bar how many events it stands for', async () => {
    const bars = timelineOf([{ start: 0, dur: 2000, lane: 1, name: 'gemm', op: 'linear', id: 1, flops: 4000 }]);
    const merged = { resolution: 3000, count: packed('f64', [40]), time: packed('f64', [500]) };
    const { page, complaints } = await openSimple('', { ...bars, merged });
    expect(await page.locator('.tl-what').innerText()).to.include(
      '40 events in 1 bars; neighbouring events shorter than 3.00 us are merged into one bar, named after the longest',
    );
    const { x, y } = await place(page, 1000, 'stream 7');
    await page.mouse.click(x, y);
    const details = await page.locator('.tl-details').innerText();
    expect(details).to.match(/stands for\s+40 events, 500 ns in total; named after the longest/);
    // Those of the longest over the time of all would be no figures of anything.
    for (const single of ['FLOPs', 'bytes', 'explain']) expect(details).to.not.include(single);
    await page.locator('.tl-canvas').press('x');
    await page.locator('.tl-span', { hasText: /40 events/ }).waitFor();
    expect(await page.locator('.tl-span').innerText()).to.match(/device 0\s+40\s+500\s+25\.0/);
    expect(await page.locator('.tl-span').innerText()).to.include('Approximate: one bar merges several events');
    expect(complaints).to.deep.equal([]);
  });

  it('places markers by a right click, and by M before any click', async () => {
    const { page, complaints } = await openSimple();
    const { x, y } = await place(page, 1000, 'stream 7');
    await page.mouse.click(x, y, { button: 'right' });
    const marker = page.locator('.tl-markers li');
    await marker.waitFor();
    // Times of the fixture begin at 1000 ns.
    expect(await marker.locator('button').first().innerText()).to.match(/^(?:1\.99|2\.0\d) us$/);
    await page.keyboard.press('m');
    await marker.nth(1).waitFor();
    await marker.locator('input').first().press('m');
    expect(await marker.count()).to.equal(2);
    expect(complaints).to.deep.equal([]);
  });

  it('keeps markers in a file', async () => {
    const { page, complaints } = await openSimple();
    await page.getByText('Markers', { exact: true }).click();
    await page.getByRole('button', { name: 'Add marker' }).click();
    await page.getByLabel('Name of the marker').fill('<b>here</b>');
    await page.getByLabel('Name of the marker').press('Enter');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save markers' }).click(),
    ]);
    const path = join(folder, 'markers.json');
    await download.saveAs(path);
    expect(download.suggestedFilename()).to.equal('markers.json');
    // The middle of the view, 1000, from the timeline's start at 1000.
    expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal({
      type: 'dprof-markers',
      v: 1,
      markers: [{ at: 2000, name: '<b>here</b>' }],
    });
    await page.getByRole('button', { name: /^Remove/ }).click();
    expect(await page.getByLabel('Name of the marker').count()).to.equal(0);
    await page.getByLabel('File of markers').setInputFiles(path);
    await page.waitForSelector('.tl-markers li');
    expect(await page.getByLabel('Name of the marker').inputValue()).to.equal('<b>here</b>');
    writeFileSync(path, '{"markers":"<script>"}');
    await page.getByLabel('File of markers').setInputFiles(path);
    await page.locator('.tl-status', { hasText: /^not read/ }).waitFor();
    expect(await page.locator('.tl-status').innerText()).to.equal('not read: the file contains no dprof markers');
    expect(await page.locator('.tl-markers li').count()).to.equal(1);
    expect(complaints).to.deep.equal([]);
  });

  it('has its markers in the address', async () => {
    const { page, complaints } = await openSimple('t.markers=2000%3Aslow%2520part&t.view=1300_1900');
    expect(await page.getByLabel('Name of the marker').inputValue()).to.equal('slow part');
    await page.getByText('Markers (1)', { exact: true }).click();
    await page.getByRole('button', { name: 'Add marker' }).click();
    await untilAddress(page, 'a second marker', (now) => now.get('t.markers')?.split(',').length === 2);
    await page.getByRole('button', { name: 'Remove slow part' }).click();
    await untilAddress(page, 'one marker', (now) => now.get('t.markers') === encodeURIComponent('1600:marker 2'));
    expect(complaints).to.deep.equal([]);
  });

  it('has wider names after a drag of their edge, and arrows move it too', async () => {
    const { page, complaints } = await openSimple();
    const widths = async (): Promise<readonly number[]> =>
      Promise.all(['.tl-names', '.tl-canvas'].map(async (at) => (await page.locator(at).boundingBox())?.width ?? 0));
    const [names = 0, canvas = 0] = await widths();
    const edge = page.getByRole('separator', { name: 'Width of the names' });
    const box = await edge.boundingBox();
    if (box === null) expect.fail();
    await page.mouse.move(box.x + 4, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 104, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const [wider = 0, narrower = 0] = await widths();
    expect(wider - names).to.be.closeTo(100, 2);
    expect(narrower - canvas).to.be.closeTo(-100, 2);
    await edge.press('ArrowLeft');
    const [back = 0] = await widths();
    expect(wider - back).to.be.closeTo(16, 1);
    await edge.dblclick({ position: { x: 4, y: 60 } });
    expect(await widths()).to.deep.equal([names, canvas]);
    expect(complaints).to.deep.equal([]);
  });

  it('is restored from its address, and keeps parameters of others', async () => {
    const fragment =
      'theme=dark&t.view=1300_1900&t.event=7&t.colour=kind&t.search=gemm&t.closed=process%25207&t.span=1400_1500';
    const { page, complaints } = await openSimple(fragment);
    expect(await page.locator('.tl-details h3').innerText()).to.equal('add');
    expect(await page.getByRole('searchbox').inputValue()).to.equal('gemm');
    expect(await page.getByLabel('Colour by').inputValue()).to.equal('kind');
    expect(await page.locator('.tl-group').last().getAttribute('aria-expanded')).to.equal('false');
    expect(await page.locator('.tl-span').innerText()).to.match(/span\s+100 ns/i);
    await page.locator('.tl-group').last().click();
    expect(await viewOf(page)).to.deep.equal([300, 900]);
    expect(new URL(page.url()).hash).to.match(/^#theme=dark&/);
    expect(new URL(page.url()).hash).not.to.include('t.closed');
    expect(complaints).to.deep.equal([]);
  });

  it('folds deep call stacks, and keeps devices in sight while an open one scrolls', async () => {
    const stack = Array.from({ length: 100 }, (_, depth): FixtureEvent => {
      return { start: depth, dur: 2000 - 2 * depth, lane: 0, depth, kind: 'range', name: `frame ${depth}` };
    });
    const { page, complaints } = await openSimple(
      '',
      timelineOf([...stack, { start: 500, dur: 100, lane: 1, name: 'gemm', id: 1 }]),
    );
    const fold = page.getByRole('button', { name: 'Rows of thread 1' });
    expect((await fold.boundingBox())?.height).to.be.below(60);
    await fold.click();
    await page.locator('.tl-fold[aria-expanded="true"]').first().waitFor();
    const device = page.locator('.tl-lane', { hasText: 'stream 7' });
    const before = await device.boundingBox();
    await page.evaluate(`document.querySelector('.tl-body').scrollTop = 300`);
    expect(await device.boundingBox()).to.deep.equal(before);
    const { x, y } = await place(page, 550, 'stream 7');
    await page.mouse.click(x, y);
    expect(await page.locator('.tl-details h3').innerText()).to.equal('gemm');
    // Below the devices are frames, 300 pixels further down.
    await page.mouse.click(x, (before?.y ?? 0) + 120);
    expect(await page.locator('.tl-details h3').innerText()).to.match(/^frame [23]\d$/);
    expect(new URL(page.url()).hash).to.include('t.open=');
    expect(complaints).to.deep.equal([]);
  });

  it('reports damaged data in one line', async () => {
    const good = simple();
    const bad = { ...good, columns: { ...good.columns, dur: { ...good.columns.dur, data: 'AAAA' } } };
    const { page, complaints } = await openSimple('', bad);
    expect(await page.locator('#page').innerText()).to.match(/^the timeline cannot be shown: dur: [^\n]+$/);
    expect(complaints).to.deep.equal([]);
  });

  it('draws in light and dark, and light when it is printed', async () => {
    const { page } = await openSimple();
    /** Waits until the red of a corner without events is on one side of a bound. */
    const corner = (bound: string): Promise<void> =>
      waitUntil(
        page,
        `the red of the corner to be ${bound}`,
        `(() => {
          const canvas = document.querySelector(matchMedia('print').matches ? '.tl-paper' : '.tl-stage canvas');
          return canvas.getContext('2d').getImageData(canvas.width - 3, canvas.height - 3, 1, 1).data[0] ${bound};
        })()`,
      );
    await corner('> 200');
    await page.emulateMedia({ colorScheme: 'dark' });
    await corner('< 60');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await corner('> 200');
  });

  it('prints all lanes with a canvas of the width of paper', async () => {
    const { page } = await openSimple();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const paper = page.locator('.tl-paper');
    const box = await paper.boundingBox();
    const names = await page.locator('.tl-names').boundingBox();
    expect((box?.width ?? 0) + (names?.width ?? 0)).to.be.closeTo(660, 2);
    // The lowest lane is on it, and something is drawn: more than one colour.
    const lane = await page.locator('.tl-lane').last().boundingBox();
    expect((lane?.y ?? 0) + (lane?.height ?? 0)).to.be.at.most((box?.y ?? 0) + (box?.height ?? 0) + 1);
    const colours = await paper.evaluate((canvas) => {
      const { width, height } = canvas as unknown as { width: number; height: number };
      const context = (
        canvas as unknown as {
          getContext(kind: '2d'): {
            getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
          };
        }
      ).getContext('2d');
      return new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size;
    });
    expect(colours).to.be.greaterThan(5);
    expect(await page.locator('.tl-canvas').isVisible()).to.equal(false);
  });

  it('colours by name where no op is known', async () => {
    const events: FixtureEvent[] = ['LOAD', 'MATMUL'].map((name, i) => ({
      start: i * 100,
      dur: 50,
      lane: 1,
      name,
      id: i + 1,
    }));
    const { page } = await openSimple('', timelineOf(events));
    const colour = page.getByRole('combobox', { name: 'Colour by' });
    expect(await colour.inputValue()).to.equal('kernel');
    await colour.selectOption('op');
    await untilAddress(page, 'the colours of ops', (now) => now.get('t.colour') === 'op');
    await colour.selectOption('kernel');
    await untilAddress(page, 'no t.colour', (address) => !address.has('t.colour'));
  });

  it('leads from an instruction to what it waited for, and back', async () => {
    const timeline = simple();
    const texts = [...timeline.texts, 'flow, S[4] (Scalar)'];
    // Events 1 and 3 are the first gemm and the first add.
    const [later, earlier] = [packed('u32', [3, 3]), packed('u32', [1, NO_EVENT])];
    const what = packed('u32', [texts.length - 1, texts.length - 1]);
    const { page, complaints } = await openSimple('', { ...timeline, texts, dependencies: { later, earlier, what } });
    await page.getByRole('searchbox').fill('op:add');
    await page.getByRole('searchbox').press('Enter');
    const details = page.locator('.tl-details');
    await page.locator('.tl-details', { hasText: 'waited for' }).waitFor();
    expect((await details.innerText()).replace(/\s+/g, ' ')).to.include(
      'waited for gemm (flow, S[4] (Scalar)) not shown (flow, S[4] (Scalar))',
    );
    await details.getByRole('button', { name: 'gemm' }).click();
    expect((await details.innerText()).replace(/\s+/g, ' ')).to.include('waited for by add (flow, S[4] (Scalar))');
    expect(complaints).to.deep.equal([]);
  });

  it('leaves nothing behind when closed', async () => {
    const { page, complaints } = await openSimple();
    await page.evaluate('closeTimeline()');
    expect(await page.locator('#page').innerHTML()).to.equal('');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 500, height: 500 });
    expect(complaints).to.deep.equal([]);
  });

  it('draws a hundred thousand events, and finds among them', async () => {
    const { page, complaints } = await openSimple('', generated(100_000));
    await page.getByRole('searchbox').fill('op:linear kind:kernel');
    await page.locator('.tl-matches', { hasText: 'matches' }).waitFor();
    const before = await canvasText(page);
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.tl-details', { hasText: 'linear' }).waitFor();
    expect(await page.locator('.tl-details').innerText()).to.include('launched by');
    // Its outline and arrow, in the next frame but one at the latest.
    await drawn(page);
    expect(await canvasText(page)).not.to.equal(before);
    expect(complaints).to.deep.equal([]);
  });
});
