/** Limits of what tests wait for: each ends long before the test's own limit, and says what was waited for. */
import type { Page } from 'playwright-core';

/** ms: as long as that a machine that does much else is not taken for a fault. */
export const PATIENCE = 60_000;

/** @throws Error naming what was waited for, when that takes too long */
export async function withinPatience<T>(what: string, work: Promise<T>): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, fail) => {
    limit = setTimeout(() => fail(new Error(`waited ${PATIENCE / 1000} s for ${what}`)), PATIENCE);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(limit);
  }
}

/**
 * Waits until an expression is true in the page.
 * @param what it means, for the error of a wait that takes too long
 */
export async function waitUntil(page: Page, what: string, expression: string): Promise<void> {
  // Not at frames, as usual: a page may draw none.
  await withinPatience(what, page.waitForFunction(expression, undefined, { polling: 20, timeout: 2 * PATIENCE }));
}

/** Waits until what is changed now is drawn. */
export const drawn = async (page: Page): Promise<void> => {
  await withinPatience('the next frame', page.evaluate('afterFrame().then(afterFrame)'));
};

/** Waits until no timer and no frame of the page is due: what it was made to do is done, and its address is written. */
export const atRest = async (page: Page): Promise<void> => {
  await withinPatience('the page to have no timer and no frame due', page.evaluate('atRest()'));
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
  withinPatience(
    `the address to have ${what}`,
    page.waitForURL(({ hash }) => isReached(new URLSearchParams(hash.slice(1))), { timeout: 2 * PATIENCE }),
  );
