/**
 * Pages in a headless Chromium, as users open them: from a file, on a machine without a network. Chromium is no
 * dependency: CHROME_PATH names it, else it is looked for where systems put it, and tests skip, saying so, when there is
 * none.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { mark, runs } from './sets.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Turns off all requests of the browser itself, so that any request is the page's. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** As root, Chromium has no sandbox to run in. */
const ARGUMENTS = process.getuid?.() === 0 ? ['--no-sandbox', ...QUIET] : QUIET;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of a Chromium; null when there is none. */
export function findBrowser(): string | null {
  const given = process.env['CHROME_PATH'];
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...found, ...PLACES].find(isProgram) ?? null;
}

/** A Chromium without a window, that does nothing on its own. */
export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ARGUMENTS });

/** ms: as long as that a machine that does much else is not taken for a fault. */
const PATIENCE = 120_000;

/**
 * JavaScript of a function that waits for the next frame. A browser on a machine that does much else may draw none for
 * as long as nothing changes, so that a second is enough.
 */
export const NEXT_FRAME = '() => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 1000); })';

/** Waits until what is changed now is drawn: in the next frame but one at the latest. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(`(async (frame) => { await frame(); await frame(); })(${NEXT_FRAME})`);
}

/** An open page, with its errors and its requests. */
interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that nobody caught. */
  readonly complaints: readonly string[];
  /** Addresses of all requests, the document's own first. */
  readonly requests: readonly string[];
}

/**
 * Opens a file; settles when it is loaded.
 * @param options of the context: colorScheme, viewport, hasTouch …
 * @param fragment what follows `#` in the address
 */
export type OpenFile = (path: string, options?: BrowserContextOptions, fragment?: string) => Promise<OpenPage>;

/** Says once why tests are skipped, whatever the reporter shows of them. */
let noted = false;

function noteMissing(): void {
  if (!noted) process.stderr.write('tests in a browser are skipped: no Chromium found; CHROME_PATH names one\n');
  noted = true;
}

/**
 * Tests in one browser, which is started before the first and closed after the last. Every page has a context of its
 * own, closed after its test.
 * @param set `smoke` for the tests that `npm test` runs
 */
export function describeInBrowser(
  title: string,
  body: (open: OpenFile) => void,
  set: 'smoke' | 'browser' = 'browser',
): void {
  const executablePath = findBrowser();
  if (executablePath === null) {
    if (runs(set)) noteMissing();
    mark(
      set,
      describe(title, () => {
        it('(skipped: needs Chromium; CHROME_PATH names it)');
      }),
    );
    return;
  }
  const suite = describe(title, () => {
    let browser: Browser | null = null;
    after(async () => {
      await browser?.close();
    });
    afterEach(async () => {
      for (const context of browser?.contexts() ?? []) await context.close();
    });
    body(async (path, options = {}, fragment = '') => {
      browser ??= await startBrowser(executablePath);
      // Offline: a page that needs the network shows it.
      const context = await browser.newContext({ offline: true, ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
      page.on('request', (request) => {
        // Requests for data within the page are no requests.
        if (!/^(?:data|blob):/.test(request.url())) requests.push(request.url());
      });
      await page.goto(`${pathToFileURL(path).href}${fragment === '' ? '' : `#${fragment}`}`, { waitUntil: 'load' });
      return { page, complaints, requests };
    });
  });
  mark(set, suite);
}
