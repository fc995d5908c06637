/**
 * Pages of the browser that tests share. A page of a browser is a window with processes of its own and takes a second to
 * make: one that a test has left is emptied and serves the next. A test that fails leaves none.
 */
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { within, WAIT_LIMIT } from './waits.js';

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

/** A Chromium without a window, that does nothing on its own. */
export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ARGUMENTS });

/** How a page is shown; what is not given is as usual. */
export type PageLook = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'forcedColors' | 'permissions'>;

/** An open page, with its errors and its requests. */
export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that nobody caught. */
  readonly complaints: readonly string[];
  /** Addresses of all requests, the document's own first. */
  readonly requests: readonly string[];
}

/**
 * Runs before the scripts of a page: counts the timers and frames that are due, so that a test can wait until none is,
 * which is when what it did has had its effects. Timers of a second and more are for what nobody waits for.
 */
const COUNT_DUE = `(() => {
  const due = { setTimeout: new Set(), requestAnimationFrame: new Set() };
  const [later, frame] = [setTimeout, requestAnimationFrame].map((one) => one.bind(globalThis));
  const counted = (name, cancelName, start) => {
    const cancel = globalThis[cancelName].bind(globalThis);
    globalThis[name] = (work, ms = 0, ...values) => {
      const id = start((...given) => {
        due[name].delete(id);
        work(...values, ...given);
      }, ms);
      if (!(ms >= 1000)) due[name].add(id);
      return id;
    };
    globalThis[cancelName] = (id) => {
      due[name].delete(id);
      cancel(id);
    };
  };
  counted('setTimeout', 'clearTimeout', later);
  counted('requestAnimationFrame', 'cancelAnimationFrame', frame);
  // A browser on a machine that does much else may draw no frame while nothing changes.
  globalThis.afterFrame = () => new Promise((done) => {
    frame(() => later(done));
    later(done, 1000);
  });
  globalThis.atRest = async () => {
    do await afterFrame();
    while (due.setTimeout.size + due.requestAnimationFrame.size > 0);
  };
})()`;

/** A page, and what the test that has it wants to know. */
class SharedPage {
  complaints: string[] = [];
  requests: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.setDefaultTimeout(WAIT_LIMIT);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      // Requests for data within the page are no requests.
      if (!/^(?:data|blob):/.test(request.url())) this.requests.push(request.url());
    });
  }

  static async in(browser: Browser): Promise<SharedPage> {
    // Offline: a page that needs the network shows it. A button's colour changes at once.
    const context = await browser.newContext({ offline: true, reducedMotion: 'reduce' });
    await context.addInitScript(COUNT_DUE);
    return new SharedPage(context, await context.newPage());
  }

  async show(address: string, { viewport, colorScheme, forcedColors, permissions = [] }: PageLook): Promise<OpenPage> {
    const { page, context } = this;
    [this.complaints, this.requests] = [[], []];
    await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
    await page.emulateMedia({ media: null, colorScheme: colorScheme ?? null, forcedColors: forcedColors ?? null });
    await context.clearPermissions();
    if (permissions.length > 0) await context.grantPermissions(permissions);
    await page.goto(address, { waitUntil: 'load' });
    return { page, complaints: this.complaints, requests: this.requests };
  }

  /** The next address is then another document's, and neither script nor pointer of the last is left. */
  async empty(): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.mouse.move(0, 0);
  }
}

/** The pages of one browser, which starts with the first of them. */
export class SharedPages {
  readonly #executablePath: string;
  #browser: Promise<Browser> | null = null;
  #free: SharedPage[] = [];
  #used: SharedPage[] = [];

  constructor(executablePath: string) {
    this.#executablePath = executablePath;
  }

  /** @param fragment what follows `#` in the address */
  async open(path: string, look: PageLook, fragment: string): Promise<OpenPage> {
    this.#browser ??= startBrowser(this.#executablePath);
    const shared = this.#free.pop() ?? (await SharedPage.in(await this.#browser));
    this.#used.push(shared);
    const address = `${pathToFileURL(path).href}${fragment === '' ? '' : `#${fragment}`}`;
    return within(`${path} to be loaded`, shared.show(address, look));
  }

  /** After a test. @param isReusable whether the next test may have them */
  async release(isReusable: boolean): Promise<void> {
    const used = this.#used.splice(0);
    for (const shared of used) {
      if (isReusable) await shared.empty();
      else await shared.context.close();
    }
    if (isReusable) this.#free.push(...used.toReversed());
  }

  async close(): Promise<void> {
    const browser = await this.#browser;
    [this.#browser, this.#free, this.#used] = [null, [], []];
    await browser?.close();
  }
}
