/** Counts with nouns, for messages and reports. */

/** Words whose plural is not formed with -s. */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['activity', 'activities'],
  ['branch', 'branches'],
  ['copy', 'copies'],
  ['launch', 'launches'],
  ['loss', 'losses'],
  ['pass', 'passes'],
  ['process', 'processes'],
]);

/**
 * The noun in the number that a count needs: `kernel` for 1, `kernels` for 0 and 2.
 * @param noun singular; of several words the last one is inflected: `graph launch`
 */
export function plural(count: number, noun: string): string {
  if (count === 1) return noun;
  const last = noun.slice(noun.lastIndexOf(' ') + 1);
  return noun.slice(0, noun.length - last.length) + (PLURALS.get(last) ?? `${last}s`);
}

/** `1 kernel`, `2 kernels`. */
export const counted = (count: number, noun: string): string => `${count} ${plural(count, noun)}`;

/**
 * `-1234567.125` → `-1,234,567.125`, for readable output. Intl's number formats do the same, but the first use of one
 * takes as long as reading a small profile.
 * @param decimal a number in decimal notation
 */
export function withThousands(decimal: string): string {
  const first = decimal.startsWith('-') ? 1 : 0;
  let text = decimal;
  for (let position = decimal.search(/[.e]|$/) - 3; position > first; position -= 3)
    text = `${text.slice(0, position)},${text.slice(position)}`;
  return text;
}

/** 1234567 → `1,234,567`. */
export const grouped = (count: number): string => withThousands(String(count));

/** `1 kernel`, `1,234 kernels`. */
export const many = (count: number, noun: string): string => `${grouped(count)} ${plural(count, noun)}`;

/** `1 more row`, `1,234 more rows`. */
export const moreOf = (count: number, noun: string): string => `${grouped(count)} more ${plural(count, noun)}`;

/** The work that the edges of a chosen time cut: `one kernel or copy`, `1,234 kernels or copies`. */
export const cutText = (count: number): string =>
  count === 1 ? 'one kernel or copy' : `${grouped(count)} kernels or copies`;
