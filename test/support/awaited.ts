/** Waits for what another process does, with a limit. */
import { setTimeout as delay } from 'node:timers/promises';

/** Longest time that anything is waited for, ms: a loaded machine takes a fraction of it. */
const MOST_MS = 60_000;

/**
 * What there is once there is any.
 * @throws Error that says what it waited for
 */
export async function awaited<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + MOST_MS; performance.now() < end;) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(5);
  }
  throw new Error(`${what}: not within ${MOST_MS} ms`);
}
