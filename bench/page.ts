/**
 * How soon the page of `dprof html` is there, and how smoothly its timeline moves: in a headless Chromium, which CHROME_PATH
 * names or which is found in its usual places, compared with a page that has nothing but a heading.
 *
 *   npm run build && npm run bench:page                          1,000, 100,000 and 1,000,000 kernels in 1, 10 and 100 steps
 *   npm run bench:page -- --kernels 50000 --steps 10 my.dict     the records of another profile, repeated
 *
 * The page is that which dprof writes by default: the timeline opens at the step of median length.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, startBrowser } from '../test/support/browser.js';
import { built, fromRoot } from './contestants.js';
import { ratio, table } from './report.js';
import { writeRepeatedRecords } from './repeat-records.js';

const SAMPLE = 'samples/lenet.pt.trace.json.gz';
const EMPTY = 'a heading alone';
/** Of each page so many times; the middle one counts. */
const TIMES = 5;
const FRAMES = 120;

interface Figures {
  readonly bytes: number;
  /** ms from the navigation on: first contents painted; all of the program done, so that the page answers. */
  readonly paint: number;
  readonly ready: number;
  /** ms from the timeline in sight until its canvas is drawn. */
  readonly timeline: number | null;
  /** ms until another piece of the profile is drawn: the next one, and the whole profile. */
  readonly next: number | null;
  readonly whole: number | null;
  /** ms between frames while the view moves: the middle one, and the 95th percentile. */
  readonly frame: number | null;
  readonly slowFrame: number | null;
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

/** The view moves by a key in each frame, zoomed in before. */
const PAN = `new Promise((done) => {
  const canvas = document.querySelector('.tl-canvas');
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  for (let i = 0; i < 6; i++) press('+');
  const frames = [];
  let last = null;
  const next = (time) => {
    if (last !== null) frames.push(time - last);
    last = time;
    if (frames.length === ${FRAMES}) return done(frames);
    press(frames.length % 40 < 20 ? 'ArrowRight' : 'ArrowLeft');
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

const part = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;

async function open(browser: Browser, path: string, hasTimeline: boolean): Promise<Figures> {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
    const number = (script: string): Promise<number> => page.evaluate<number>(script);
    const paint = await number(PAINT);
    const ready = await number(`performance.getEntriesByType('navigation')[0].loadEventEnd`);
    const { size: bytes } = statSync(path);
    if (!hasTimeline)
      return { bytes, paint, ready, timeline: null, next: null, whole: null, frame: null, slowFrame: null };
    const timeline = await number(TIMELINE);
    await page.waitForSelector('.tl-canvas');
    const frames = await framesOf(page);
    const next = await number(show('box.selectedIndex + 1'));
    const whole = await number(show('0'));
    return { bytes, paint, ready, timeline, next, whole, frame: part(frames, 0.5), slowFrame: part(frames, 0.95) };
  } finally {
    await context.close();
  }
}

async function framesOf(page: Page): Promise<number[]> {
  const before = await page.evaluate<string>('location.hash');
  const frames = await page.evaluate<number[]>(PAN);
  await page.waitForFunction(`location.hash !== ${JSON.stringify(before)}`);
  return frames;
}

async function middleOf(browser: Browser, path: string, hasTimeline: boolean): Promise<Figures> {
  const all: Figures[] = [];
  for (let i = 0; i < TIMES; i++) all.push(await open(browser, path, hasTimeline));
  const middle = (key: keyof Figures): number =>
    part(
      all.map((figures) => figures[key] ?? NaN),
      0.5,
    );
  const moving = (key: keyof Figures): number | null => (hasTimeline ? middle(key) : null);
  return {
    bytes: middle('bytes'),
    paint: middle('paint'),
    ready: middle('ready'),
    timeline: moving('timeline'),
    next: moving('next'),
    whole: moving('whole'),
    frame: moving('frame'),
    slowFrame: moving('slowFrame'),
  };
}

const whole = (ms: number | null): string => (ms === null || Number.isNaN(ms) ? '' : ms.toFixed(0));
const tenth = (ms: number | null): string => (ms === null ? '' : ms.toFixed(1));

function report(results: ReadonlyMap<string, Figures>): string {
  const least = results.get(EMPTY);
  const rows = [...results].map(([name, figures]) => {
    const { bytes, paint, ready, timeline, next, whole: all, frame, slowFrame } = figures;
    return [
      ...[name, (bytes / 1e6).toFixed(2), whole(paint), ratio(paint, least?.paint)],
      ...[whole(ready), ratio(ready, least?.ready), whole(timeline), whole(next), whole(all)],
      ...[tenth(frame), tenth(slowFrame)],
    ];
  });
  const heads = [
    ...['', 'MB', 'paint ms', '/ heading', 'ready ms', '/ heading', 'timeline ms', 'next step ms', 'whole ms'],
    ...['frame ms', '95 % ms'],
  ];
  return table([heads, ...rows]);
}

const { values, positionals } = parseArgs({
  options: {
    kernels: { type: 'string', multiple: true, default: ['1000', '100000', '1000000'] },
    steps: { type: 'string', multiple: true, default: ['1', '10', '100'] },
  },
  allowPositionals: true,
});
const found = findBrowser();
if (found === null) throw new Error('no Chromium found; CHROME_PATH names one');
if (!built()) throw new Error('the tools are not built: npm run build');
const folder = mkdtempSync(join(tmpdir(), 'dprof-page-'));
const browser = await startBrowser(found);
try {
  const path = (name: string): string => join(folder, name);
  const input = positionals[0] ?? fromRoot(SAMPLE);
  const text = /\.(dict|jsonl)$/.test(input)
    ? readFileSync(input, 'utf8')
    : execFileSync(process.execPath, [fromRoot('bin/dparse.js'), '-q', '--ranges', input], {
        encoding: 'utf8',
        maxBuffer: 2 ** 29,
      });
  writeFileSync(path('empty.html'), '<!doctype html><meta charset="utf-8"><h1>dprof</h1>');
  const results = new Map([[EMPTY, await middleOf(browser, path('empty.html'), false)]]);
  for (const kernels of values.kernels.map(Number)) {
    for (const steps of values.steps.map(Number)) {
      writeRepeatedRecords(text, kernels, path('records.dict'), steps);
      const args = ['html', '-q', '-o', path('page.html'), path('records.dict')];
      execFileSync(process.execPath, [fromRoot('bin/dprof.js'), ...args]);
      const name = `${kernels} kernels, ${steps} steps`;
      results.set(name, await middleOf(browser, path('page.html'), true));
      process.stderr.write(`${name} done\n`);
    }
  }
  process.stdout.write(`\n${browser.version()}, Node ${process.versions.node}\n\n${report(results)}\n`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
