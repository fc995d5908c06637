/** Times that are texts of whole ns, as in CSV files: a database has `DatabaseClock`, a trace `TraceClock`. */
import { middleOf, TIMES_READ } from './exact-times.js';

/** A time of 0 was not recorded. */
const NANOSECONDS = /^0*[1-9]\d*$/;

/**
 * The time in a text, in ns after one of a profile's times, so that it is exact and near 0 however large all of them are;
 * null for a text that is no time.
 * @param times of the profile, of which the first are looked at: one of them may be damaged
 */
export function textClock(times: Iterable<string>): (text: string) => number | null {
  const first: bigint[] = [];
  for (const text of times) if (NANOSECONDS.test(text) && first.push(BigInt(text)) === TIMES_READ) break;
  const base = middleOf(first) ?? 0n;
  return (text) => (NANOSECONDS.test(text) ? Number(BigInt(text) - base) : null);
}
