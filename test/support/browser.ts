/**
 * Pages in a headless Chromium, as users open them: from a file, on a machine without a network. Chromium is no
 * dependency: CHROME_PATH names it, else it is looked for where systems put it, and tests skip, saying so, when there is
 * none.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SharedPages, type OpenPage, type PageLook } from './open-pages.js';
import { mark, runs } from './sets.js';

export { startBrowser } from './open-pages.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

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

/**
 * Opens a file; settles when it is loaded.
 * @param fragment what follows `#` in the address
 */
export type OpenFile = (path: string, look?: PageLook, fragment?: string) => Promise<OpenPage>;

/** Says once why tests are skipped, whatever the reporter shows of them. */
let noted = false;

function noteMissing(): void {
  if (!noted) process.stderr.write('tests in a browser are skipped: no Chromium found; CHROME_PATH names one\n');
  noted = true;
}

/** Those of all tests of this process; null until the first test that wants one. */
let pages: SharedPages | null = null;

/**
 * Tests in the one browser of this process, which is closed after the last of them. What a test opens is its own until
 * it ends.
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
    afterEach(async function () {
      await pages?.release(this.currentTest?.state === 'passed');
    });
    body((path, look = {}, fragment = '') => {
      pages ??= new SharedPages(executablePath);
      return pages.open(path, look, fragment);
    });
  });
  mark(set, suite);
  // Of the file, and so of all files that run in this process.
  after(async () => {
    await pages?.close();
    pages = null;
  });
}
