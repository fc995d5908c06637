/** Times of text files, in ns. */
import { middleOf, TIMES_READ } from './trace-clock.js';

/** Valid times; a time of 0 was not recorded. */
const NANOSECONDS = /^0*[1-9]\d*$/;

/**
 * Converts the text of a time to ns after one of the profile's times. The result is exact and near 0 even if all times
 * are large; it is null for a text that is not a time.
 * @param times times of the profile; the first few are read, because one may be damaged
 */
export function textClock(times: Iterable<string>): (text: string) => number | null {
  const first: bigint[] = [];
  for (const text of times) if (NANOSECONDS.test(text) && first.push(BigInt(text)) === TIMES_READ) break;
  const base = middleOf(first) ?? 0n;
  return (text) => (NANOSECONDS.test(text) ? Number(BigInt(text) - base) : null);
}
