/** Tests that fast runs leave out. No other test may start a process, whatever the run: setup.mjs sees to it. */
import { IS_FAST } from './is-fast.js';

/** Marks a test, or a suite for all of its tests, as one that fast runs leave out. */
export const leftOutOfFast = <T extends object>(runnable: T): T => Object.assign(runnable, { leftOutOfFast: true });

/** A test that starts a process. */
export function itWithProcess(title: string, body: (this: Mocha.Context) => void | Promise<void>): void {
  if (IS_FAST) it.skip(title, body);
  else leftOutOfFast(it(title, body));
}

/** Tests that start processes. */
export function describeWithProcess(title: string, body: (this: Mocha.Suite) => void): void {
  if (IS_FAST) describe.skip(title, body);
  else leftOutOfFast(describe(title, body));
}
