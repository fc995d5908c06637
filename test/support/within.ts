/** Waits with a limit: a test that waits in vain says for what. */
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a machine that has other work. */
const LIMIT_MS = 60_000;

/** @throws Error where the promise has not settled within a minute */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = delay(LIMIT_MS, undefined, { signal: settled.signal }).then(() => {
    throw new Error(`waited ${LIMIT_MS / 1000} s in vain: ${what}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
    late.catch(() => undefined);
  }
}
