/** Counts in words, for messages and reports. */

/** Words whose plural is more than an s. */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['activity', 'activities'],
  ['branch', 'branches'],
  ['copy', 'copies'],
  ['launch', 'launches'],
]);

/**
 * The word for so many: `kernel` of 1, `kernels` of 0 and of 2.
 * @param what one of it; of several words the last one is counted: `graph launch`
 */
export function plural(count: number, what: string): string {
  if (count === 1) return what;
  const last = what.slice(what.lastIndexOf(' ') + 1);
  return what.slice(0, what.length - last.length) + (PLURALS.get(last) ?? `${last}s`);
}

/** `1 kernel`, `2 kernels`. */
export const counted = (count: number, what: string): string => `${count} ${plural(count, what)}`;
