/**
 * Libraries that not every run needs are loaded when they are first used, so that a report of a small profile starts at
 * once.
 */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Returns a function that loads a library on its first call. @param name name of its package, or of a part of it */
export const lateLibrary =
  <T>(name: string) =>
  (): T =>
    load(name) as T;
