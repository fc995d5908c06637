/** Counts in words, for messages and reports. */

/** Words whose plural is not formed with -s. */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['activity', 'activities'],
  ['branch', 'branches'],
  ['copy', 'copies'],
  ['launch', 'launches'],
  ['process', 'processes'],
]);

/**
 * The noun in the number that a count needs: `kernel` for 1, `kernels` for 0 and 2.
 * @param what singular; of several words the last one is inflected: `graph launch`
 */
export function plural(count: number, what: string): string {
  if (count === 1) return what;
  const last = what.slice(what.lastIndexOf(' ') + 1);
  return what.slice(0, what.length - last.length) + (PLURALS.get(last) ?? `${last}s`);
}

/** `1 kernel`, `2 kernels`. */
export const counted = (count: number, what: string): string => `${count} ${plural(count, what)}`;

/**
 * `-1234567.125` → `-1,234,567.125`, for people. The runtime's formats by language do the same, but the first use of one
 * takes as long as reading a small profile.
 * @param decimal a number in decimal notation
 */
export function withThousands(decimal: string): string {
  const first = decimal.startsWith('-') ? 1 : 0;
  let text = decimal;
  for (let at = decimal.search(/[.e]|$/) - 3; at > first; at -= 3) text = `${text.slice(0, at)},${text.slice(at)}`;
  return text;
}

/** 1234567 → `1,234,567`. */
export const grouped = (count: number): string => withThousands(String(count));

/** `1 kernel`, `1,234 kernels`. */
export const many = (count: number, what: string): string => `${grouped(count)} ${plural(count, what)}`;
