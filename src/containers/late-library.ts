/** Libraries that not every run needs, loaded when they are first used: a report of a small profile is to start at once. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Gives a library, loaded on the first call. @param name of its package, or of a part of it */
export const lateLibrary =
  <T>(name: string) =>
  (): T =>
    load(name) as T;
