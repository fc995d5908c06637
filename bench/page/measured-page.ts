/** One opening of a page in a browser: how soon it is there, and how smoothly its timeline moves. */
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

const FRAMES = 120;

export interface Figures {
  readonly bytes: number;
  /** ms from the navigation on: first contents painted; the program done, so that the page answers; all of the file read. */
  readonly paint: number;
  readonly ready: number;
  readonly loaded: number;
  /** ms from the timeline in sight until its canvas is drawn. */
  readonly timeline: number;
  /** ms until another piece of the profile is drawn: the next one, and the whole profile. */
  readonly next: number;
  readonly whole: number;
  /** ms between frames while the view moves: the middle one, and the 95th percentile. */
  readonly frame: number;
  readonly slowFrame: number;
  /** ms of the browser's main thread in a frame, from its beginning until it is painted: the 95th percentile. */
  readonly work: number;
}

const PAINT = `new Promise((done) => {
  const paintTime = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const look = () => (paintTime() === undefined ? setTimeout(look, 5) : done(paintTime()));
  look();
})`;

const TIMELINE = `new Promise((done) => {
  const began = performance.now();
  document.getElementById('tab-timeline').click();
  const look = () => (document.querySelector('.tl-canvas')?.height > 0 ? done(performance.now() - began) : requestAnimationFrame(look));
  look();
})`;

/** Shows another piece; settles when its canvas is drawn. @param place in the list: the one after the first shown, or the first of all */
const show = (place: string): string => `new Promise((done) => {
  const box = document.querySelector('.tl-picker select');
  if (box === null) return done(NaN);
  const began = performance.now();
  const before = document.querySelector('.tl-canvas');
  box.selectedIndex = Math.max(0, Math.min(box.options.length - 1, ${place}));
  box.dispatchEvent(new Event('change'));
  const look = () => {
    const canvas = document.querySelector('.tl-canvas');
    return canvas !== null && canvas !== before && canvas.height > 0 ? done(performance.now() - began) : requestAnimationFrame(look);
  };
  look();
})`;

/** The view moves by a key in each frame, zoomed in before. A message posted at the beginning of a frame comes after its paint. */
const PAN = `new Promise((done) => {
  const canvas = document.querySelector('.tl-canvas');
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  for (let i = 0; i < 6; i++) press('+');
  const [frames, works] = [[], []];
  const { port1, port2 } = new MessageChannel();
  let [last, began] = [null, 0];
  port1.onmessage = () => {
    works.push(performance.now() - began);
    if (frames.length === ${FRAMES}) return done({ frames, works });
    requestAnimationFrame(next);
    press(frames.length % 40 < 20 ? 'ArrowRight' : 'ArrowLeft');
  };
  const next = (time) => {
    if (last !== null) frames.push(time - last);
    last = time;
    began = performance.now();
    port2.postMessage(null);
  };
  requestAnimationFrame(next);
})`;

interface Panning {
  readonly frames: readonly number[];
  readonly works: readonly number[];
}

export const part = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;

/** @param hasTimeline else the figures of the timeline are NaN */
export async function openingOf(browser: Browser, path: string, hasTimeline: boolean): Promise<Figures> {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
    const paint = await page.evaluate<number>(PAINT);
    const ready = await page.evaluate<number>(`performance.getEntriesByName('ready')[0].startTime`);
    const loaded = await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].loadEventEnd`);
    return {
      bytes: statSync(path).size,
      paint,
      ready,
      loaded,
      ...(hasTimeline ? await timelineOf(page) : NO_TIMELINE),
    };
  } finally {
    await context.close();
  }
}

type TimelineFigures = Omit<Figures, 'bytes' | 'paint' | 'ready' | 'loaded'>;

const NO_TIMELINE: TimelineFigures = {
  timeline: NaN,
  next: NaN,
  whole: NaN,
  frame: NaN,
  slowFrame: NaN,
  work: NaN,
};

async function timelineOf(page: Page): Promise<TimelineFigures> {
  const timeline = await page.evaluate<number>(TIMELINE);
  await page.waitForSelector('.tl-canvas');
  const before = await page.evaluate<string>('location.hash');
  const { frames, works } = await page.evaluate<Panning>(PAN);
  await page.waitForFunction(`location.hash !== ${JSON.stringify(before)}`);
  const next = await page.evaluate<number>(show('box.selectedIndex + 1'));
  const whole = await page.evaluate<number>(show('0'));
  return { timeline, next, whole, frame: part(frames, 0.5), slowFrame: part(frames, 0.95), work: part(works, 0.95) };
}
