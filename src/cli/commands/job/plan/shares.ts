/** Splits tasks into shares, one for each process. */
import type { JobTask } from './job-plan.js';

/** Share `index` (from 0) of `count` shares. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/**
 * Every `count`-th item, so that shares differ by at most one item, and neighbours of similar size are in different shares.
 */
export const itemsOf = <T>(items: readonly T[], { index, count }: Share): T[] =>
  items.filter((_, i) => i % count === index);

/** Bytes of profiles that are worth a separate process: starting one takes as long as parsing some MB. */
const SHARE_BYTES = 32 * 1024 * 1024;

/**
 * Groups small profiles, and gives each large one its own share, in order.
 * @param most maximum tasks in a share
 */
export function sharesBySize(tasks: readonly JobTask[], most: number): (readonly JobTask[])[] {
  const shares: JobTask[][] = [];
  let [share, bytes]: [JobTask[], number] = [[], 0];
  for (const task of tasks) {
    const size = task.size ?? 0;
    if (share.length > 0 && (share.length >= most || bytes + size > SHARE_BYTES)) {
      shares.push(share);
      [share, bytes] = [[], 0];
    }
    share.push(task);
    bytes += size;
  }
  return share.length > 0 ? [...shares, share] : shares;
}

/** Formats ascending numbers as `0-3,8`. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
