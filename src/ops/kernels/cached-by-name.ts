/** Facts that follow from a name, cached. */
import { LruCache } from '../../containers/map-entry.js';

/** Number of names whose facts are cached: a program has hundreds of kernels, a profile millions of their launches. */
const NAMES_KEPT = 1024;

/**
 * Maximum characters of a name that are matched, because some patterns take quadratic time, and templates can nest without
 * limit.
 */
const MOST_NAME = 16 * 1024;

/** Caches a function of names, for recently used names. */
export function byName<T>(compute: (name: string) => T): (name: string) => T {
  const known = new LruCache<string, T>(NAMES_KEPT);
  return (name) => known.of(name.length > MOST_NAME ? name.slice(0, MOST_NAME) : name, compute);
}
