/** Waits for what a page of the browser does; each has a limit and says what it waited for. */
import type { Page } from 'playwright-core';
import { WAIT_LIMIT, within } from './waits.js';

/**
 * Waits until an expression is true in the page.
 * @param what it means, for the error of a wait that takes too long
 */
export async function waitUntil(page: Page, what: string, expression: string): Promise<void> {
  // Not at frames, as usual: a page may draw none.
  await within(what, page.waitForFunction(expression, undefined, { polling: 20, timeout: 2 * WAIT_LIMIT }));
}

/** Waits until what is changed now is drawn. */
export const drawn = async (page: Page): Promise<void> => {
  await within('the next frame', page.evaluate('afterFrame().then(afterFrame)'));
};

/** Waits until no timer and no frame of the page is due: what it was made to do is done, and its address is written. */
export const atRest = async (page: Page): Promise<void> => {
  await within('the page to have no timer and no frame due', page.evaluate('atRest()'));
};

/** What the address of a page says behind `#`. */
export const parametersOf = (page: Page): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));

/**
 * Waits until the address says what is expected.
 * @param what that is, for the error of a wait that takes too long
 */
export const untilAddress = (
  page: Page,
  what: string,
  isReached: (parameters: URLSearchParams) => boolean,
): Promise<void> =>
  within(
    `the address to have ${what}`,
    page.waitForURL(({ hash }) => isReached(new URLSearchParams(hash.slice(1))), { timeout: 2 * WAIT_LIMIT }),
  );
