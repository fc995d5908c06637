/**
 * `npm run docs pictures`: the pictures of the README, of the page of `dprof html` of a sample, in light and dark. They need
 * a Chromium, see test/support/browser.ts, and are made anew when the page looks different.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { findBrowser, startBrowser } from '../test/support/browser.js';
import { ROOT } from '../test/support/shared.js';

const SAMPLE = 'samples/transformer.nsys.sqlite';
const FOLDER = join(ROOT, 'docs/pictures');
const SIZE = { width: 1280, height: 720 };
const TABS = ['overview', 'timeline'] as const;
const THEMES = ['light', 'dark'] as const;
/** Of WebP, from 0 to 1. */
const QUALITY = 0.8;
/** ms in which charts and the timeline are drawn. */
const DRAWING = 1500;

/** A browser writes WebP, and nothing else is needed to. */
async function asWebP(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const address = await page.evaluate<string>(`new Promise((done, fail) => {
    const image = new Image();
    image.onerror = fail;
    image.onload = () => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d').drawImage(image, 0, 0);
      done(canvas.toDataURL('image/webp', ${QUALITY}));
    };
    image.src = 'data:image/png;base64,${png.toString('base64')}';
  })`);
  await page.close();
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

const executable = findBrowser();
if (executable === null) throw new Error('pictures need a Chromium: CHROME_PATH');
const temporary = mkdtempSync(join(tmpdir(), 'dprof-pictures-'));
const browser = await startBrowser(executable);
try {
  const file = join(temporary, 'page.html');
  execFileSync(process.execPath, ['bin/dprof.js', 'html', '-q', '-o', file, SAMPLE], { cwd: ROOT });
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of THEMES) {
    for (const tab of TABS) {
      const page = await browser.newPage({ viewport: SIZE, colorScheme });
      await page.goto(`${pathToFileURL(file).href}#tab=${tab}`);
      await page.waitForTimeout(DRAWING);
      writeFileSync(join(FOLDER, `${tab}-${colorScheme}.webp`), await asWebP(browser, await page.screenshot()));
      await page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true, force: true });
}
