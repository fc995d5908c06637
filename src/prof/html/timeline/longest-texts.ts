/**
 * The strings of a profile with the most time, which get the strong colours of a page. They are chosen over the whole
 * profile, so that a string has the same colour in every piece and on every rank.
 */
import { elementAt } from '../../../containers/element.js';

/** Columns of strings by which events are coloured. */
const COLOURED_COLUMNS = ['op', 'layer', 'dtype', 'name', 'tc'] as const;
export type ColouredColumn = (typeof COLOURED_COLUMNS)[number];

/** A string by its hash, and ns of its events on devices and on threads. */
export type HashedTime = readonly [hash: number, device: number, host: number];

/** The longest strings of each column, those on devices first. The lists of several ranks are added. */
export type LongestTexts = Readonly<Record<ColouredColumn, readonly HashedTime[]>>;

export const NO_LONGEST: LongestTexts = { op: [], layer: [], dtype: [], name: [], tc: [] };

/** More strings than a page has colours, because their order differs between ranks. */
const MOST_LISTED = 16;

/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: 32 bits, over UTF-16 units. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // The low bits of similar strings are similar, so mix in the high ones.
  return (value ^ (value >>> 15)) >>> 0;
}

/** Work on devices comes before work on threads; strings of equal times are in the order of their hashes. */
const byTime = (a: HashedTime, b: HashedTime): number => b[1] - a[1] || b[2] - a[2] || a[0] - b[0];

/** Merges the lists of several profiles. */
export function addedTimes(lists: readonly (readonly HashedTime[])[]): HashedTime[] {
  const sums = new Map<number, HashedTime>();
  for (const [text, device, host] of lists.flat()) {
    const [, onDevice, onHost] = sums.get(text) ?? [text, 0, 0];
    sums.set(text, [text, onDevice + device, onHost + host]);
  }
  return [...sums.values()].sort(byTime);
}

/**
 * @param numbers numbers of the events' strings, by column
 * @param timeOf time of an event in ns
 * @param textAt text by
 *   number; '' when unknown
 */
export function longestTexts(
  numbers: Readonly<Record<ColouredColumn, ArrayLike<number>>>,
  timeOf: (event: number) => number,
  isOnDevice: (event: number) => boolean,
  textAt: (number: number) => string,
): LongestTexts {
  const longest = (column: ColouredColumn): readonly HashedTime[] => {
    const sums = new Map<number, [device: number, host: number]>();
    const cells = numbers[column];
    for (let event = 0; event < cells.length; event++) {
      const number = elementAt(cells, event);
      const sum = sums.get(number) ?? [0, 0];
      sum[isOnDevice(event) ? 0 : 1] += timeOf(event);
      sums.set(number, sum);
    }
    const known = [...sums].map(([number, times]) => [textAt(number), times] as const).filter(([text]) => text !== '');
    const times = known.map(([text, [device, host]]): HashedTime => [hash(text), Math.round(device), Math.round(host)]);
    return addedTimes([times]).slice(0, MOST_LISTED);
  };
  return Object.fromEntries(COLOURED_COLUMNS.map((column) => [column, longest(column)])) as unknown as LongestTexts;
}
