/** Selecting in the timeline and listing the matches of its search, in a browser, by mouse and keys. */
import { expect } from 'chai';
import { describeInBrowser } from '../support/browser.js';
import { atRest, untilAddress } from '../support/page-waits.js';
import { opensTimelines } from './timeline/opened-timelines.js';
import { place, selectBetween, viewOf, type ScreenPlace } from './timeline/on-screen.js';

describeInBrowser('selection and matches in a browser', (open) => {
  const { openSimple } = opensTimelines(open);

  it('sums a span that is dragged', async () => {
    const { page, complaints } = await openSimple();
    const [from, to] = [await place(page, 205, 'stream 7'), await place(page, 600, 'stream 7')];
    await selectBetween(page, from, to);
    const text = await page.locator('.tl-span').innerText();
    // Kernels at 250, 350, 450 and 550: half of the time.
    expect(text).to.match(/1 of 3: device 0\/stream 7/);
    expect(text).to.match(/4 events, 200 ns in total/);
    expect(text).to.match(/200 ns \(50\.\d % of the span\)/);
    expect(text).to.include('4.00 kB in all 4 events').and.include('20.00 GB/s while they ran');
    expect(text).to.match(/on threads\s+0 events/i);
    expect(text)
      .to.include('Exact: every event counts')
      .and.include('If an edge cuts an event, only the part inside counts');
    expect(text).to.match(/device 0\s+4\s+200\s+50\.\d/);
    expect(text).to.include("Covers only the drawn events: step 5, 1.00 us to 3.00 us from the profile's start.");
    expect(new URL(page.url()).hash).to.match(/^(?:#t\.span=.*t\.lanes=|$)/);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.tl-span:empty').waitFor({ state: 'attached' });
    expect(complaints).to.deep.equal([]);
  });

  it('hides the tip while something is dragged', async () => {
    const { page } = await openSimple();
    const [from, to] = [await place(page, 255, 'stream 7'), await place(page, 600, 'stream 7')];
    await page.mouse.move(from.x, from.y);
    await page.waitForSelector('.tl-tip:not([hidden])');
    await selectBetween(page, from, to);
    await page.locator('.tl-span', { hasText: /event/ }).waitFor();
    await page.keyboard.press('f');
    expect(await page.locator('.tl-tip').isVisible()).to.equal(false);
  });

  it('zooms to what a drag along the axis covers, and keeps the selection', async () => {
    const { page, complaints } = await openSimple();
    const [from, to] = [await place(page, 400, 'stream 7'), await place(page, 900, 'stream 7')];
    await selectBetween(page, from, { ...to, x: from.x + 30 });
    await page.locator('.tl-span', { hasText: /event/ }).waitFor();
    const before = await page.locator('.tl-span').innerText();
    const axis = (await page.locator('.tl-canvas').boundingBox())?.y ?? 0;
    const [left, right] = [await place(page, 700, 'stream 7'), await place(page, 1100, 'stream 7')];
    await page.mouse.move(left.x, axis + 5);
    await page.mouse.down();
    await page.mouse.move(right.x, axis + 40, { steps: 4 });
    await page.mouse.up();
    const [start = 0, end = 0] = await viewOf(page);
    expect(start).to.be.closeTo(700, 5);
    expect(end).to.be.closeTo(1100, 5);
    await atRest(page);
    expect(await page.locator('.tl-span').innerText()).to.equal(before);
    expect(complaints).to.deep.equal([]);
  });

  it('selects lanes that a drag covers, and moves the edges of the selection', async () => {
    const { page, complaints } = await openSimple();
    const names = async (): Promise<URLSearchParams> => {
      await atRest(page);
      return new URLSearchParams(new URL(page.url()).hash.slice(1));
    };
    const [from, thread] = [await place(page, 400, 'stream 7'), await place(page, 800, 'thread 1')];
    await selectBetween(page, from, thread);
    expect((await names()).get('t.lanes')).to.equal(null);
    const device = await place(page, 800, 'stream 7');
    await selectBetween(page, from, device);
    const lanesOf = async (): Promise<string[]> => decodeURIComponent((await names()).get('t.lanes') ?? '').split(',');
    expect(await lanesOf()).to.deep.equal(['device 0/stream 7']);
    const spanOf = async (): Promise<number[]> =>
      ((await names()).get('t.span') ?? '').split('_').map((time) => Number(time) - 1000);
    const drag = async (one: ScreenPlace, other: ScreenPlace): Promise<void> => {
      await page.mouse.move(one.x, one.y);
      await page.mouse.down();
      await page.mouse.move(other.x, other.y, { steps: 4 });
      await page.mouse.up();
    };
    // The end of its time, without shift: the lanes stay.
    await drag(device, await place(page, 1200, 'stream 7'));
    const [start = 0, end = 0] = await spanOf();
    expect(start).to.be.closeTo(400, 5);
    expect(end).to.be.closeTo(1200, 5);
    expect(await lanesOf()).to.deep.equal(['device 0/stream 7']);
    // The lower edge, over stream 9.
    const below = await place(page, 800, 'stream 9');
    await page.mouse.move(below.x, below.y - 10);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.tl-canvas')).cursor")).to.equal('ns-resize');
    await drag({ x: below.x, y: below.y - 10 }, below);
    expect(await lanesOf()).to.deep.equal(['device 0/*']);
    expect(await spanOf()).to.deep.equal([start, end]);
    // From the axis: all lanes.
    const axis = (await page.locator('.tl-canvas').boundingBox())?.y ?? 0;
    await selectBetween(page, { x: from.x, y: axis + 5 }, { x: device.x, y: axis + 90 });
    expect((await names()).get('t.lanes')).to.equal(null);
    expect(complaints).to.deep.equal([]);
  });

  it('selects a lane or a group by its name, by mouse and keys, and the address restores it', async () => {
    const { page, complaints } = await openSimple();
    const selected = page.locator('.tl-name[aria-pressed="true"]');
    const kept = (text: string): Promise<void> =>
      untilAddress(page, `t.lanes=${text}`, (address) => address.get('t.lanes') === text);
    await page.getByRole('button', { name: 'stream 7' }).click();
    expect(await selected.allInnerTexts()).to.deep.equal(['stream 7']);
    await page.locator('.tl-span', { hasText: /20 events/ }).waitFor();
    expect(await page.locator('.tl-span').innerText()).to.match(/span\s+2\.00 us \(100\.0 % of what is drawn\)/i);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Enter');
    expect(await selected.allInnerTexts()).to.deep.equal(['device 0 (2)', 'stream 7', 'stream 9']);
    await kept('device%200%2F*');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await selected.allInnerTexts()).to.deep.equal(['process 7 (1)', 'thread 1']);
    await kept('process%207%2F*');
    await page.reload();
    await page.waitForSelector('body[data-ready]');
    expect(await selected.allInnerTexts()).to.deep.equal(['process 7 (1)', 'thread 1']);
    // The span is summed in the frame after the first.
    await page.locator('.tl-span', { hasText: /on devices/i }).waitFor();
    expect(await page.locator('.tl-span').innerText())
      .to.match(/on devices\s+0 events/i)
      .and.match(/launch 1\s+1\s+40/);
    await page.getByRole('button', { name: 'All lanes' }).click();
    expect(await selected.count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
  });

  it('lists the matches of a search: sorted, filtered, marked, and each leads to its event', async () => {
    const { page, complaints } = await openSimple();
    const answer = page.locator('.tl-matches');
    await page.getByRole('searchbox', { name: /^Search/ }).fill('op==linear');
    await page.locator('.tl-found summary').click();
    const rows = page.locator('.tl-match-list tbody tr');
    await rows.first().waitFor();
    expect(await page.locator('.tl-found summary').innerText()).to.equal('List the 10 matches');
    expect(await rows.count()).to.equal(10);
    const current = page.locator('.tl-match-list tr[aria-current="true"]');
    await rows.nth(2).locator('button').click();
    // 1,000 bytes in 50 ns
    const cells = ['gemm', 'kernel', 'linear', '1,450', '50', '20.00 GB/s', 'device 0 / stream 7', '5'];
    expect((await current.innerText()).split('\t')).to.deep.equal(cells);
    expect(await answer.innerText()).to.match(/^3 of 10 matches: /);
    expect(await page.locator('.tl-details').innerText()).to.include('(1,450 ns)');
    // The last one first: n goes along the order of the table.
    await page.getByRole('button', { name: /^Start/ }).click();
    await rows.nth(0).locator('td').last().click();
    expect(await page.locator('.tl-details').innerText()).to.include('(2,850 ns)');
    await page.locator('.tl-canvas').focus();
    await page.keyboard.press('n');
    expect(await page.locator('.tl-details').innerText()).to.include('(2,650 ns)');
    expect(await answer.innerText()).to.match(/^9 of 10 matches: /);
    await rows.nth(1).locator('button').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.locator('.tl-details').innerText()).to.include('(2,450 ns)');
    await page.keyboard.press('Shift+N');
    expect(await page.locator('.tl-details').innerText()).to.include('(2,650 ns)');
    expect(await page.evaluate("document.activeElement.closest('tr').getAttribute('aria-current')")).to.equal('true');
    expect(complaints).to.deep.equal([]);
  });

  it('words its counts, and says what to use for a column that it lacks', async () => {
    const { page, complaints } = await openSimple();
    const answers = [
      ['id==1', /^1 match: 1 on devices/],
      ['op==linear', /^10 matches: 10 on devices/],
      ['op==nothing', /^no match$/],
      ['peak>50', /^the timeline has no peak: use tflops here, or dprof --where$/],
      ['op=linear && id>', /^search: expected /],
    ] as const;
    for (const [query, answer] of answers) {
      await page.getByRole('searchbox', { name: /^Search/ }).fill(query);
      await page.locator('.tl-matches', { hasText: answer }).waitFor();
    }
    expect(await page.locator('.tl-found').isVisible()).to.equal(false);
    expect(complaints).to.deep.equal([]);
  });
});
