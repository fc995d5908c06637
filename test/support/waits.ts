/** Waits with a limit, far below a test's own: one that ends in vain says what it waited for. */
import { setTimeout as delay } from 'node:timers/promises';

/** ms: long enough for a machine that does much else. */
export const WAIT_LIMIT = 60_000;

const inVain = (what: string): Error => new Error(`waited ${WAIT_LIMIT / 1000} s for ${what}`);

/** @throws Error where the promise has not settled in time */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = delay(WAIT_LIMIT, undefined, { signal: settled.signal }).then(() => {
    throw inVain(what);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
    late.catch(() => undefined);
  }
}

/**
 * What there is once there is any: of what another process does.
 * @throws Error where there is nothing in time
 */
export async function awaited<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + WAIT_LIMIT; performance.now() < end;) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(5);
  }
  throw inVain(what);
}
