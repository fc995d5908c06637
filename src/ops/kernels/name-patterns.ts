/** Facts by patterns of kernel names. */
import { LruCache } from '../../containers/lru-cache.js';

/** First match wins. */
export type NamePatterns<T> = readonly (readonly [pattern: RegExp, fact: T])[];

/** Names whose facts are kept: a program has hundreds of kernels, a profile millions of their launches. */
const NAMES_KEPT = 1024;

/** So many characters of a name are looked at: some patterns take the square of its length, templates nest without end. */
const MOST_NAME = 16 * 1024;

/** A function of names, computed once for each of the recent ones. */
export function byName<T>(compute: (name: string) => T): (name: string) => T {
  const known = new LruCache<string, T>(NAMES_KEPT);
  return (name) => known.of(name.length > MOST_NAME ? name.slice(0, MOST_NAME) : name, compute);
}

/** Finds the fact of the first pattern that matches a name; null when none does. */
export const matchByName = <T>(patterns: NamePatterns<T>): ((name: string) => T | null) =>
  byName((name) => patterns.find(([pattern]) => pattern.test(name))?.[1] ?? null);
