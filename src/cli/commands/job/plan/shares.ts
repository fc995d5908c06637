/** Tasks in shares, each of them for one process. */
import type { JobTask } from './job-plan.js';

/** The `index`-th of `count` shares, from 0. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/** Every `count`-th item: shares differ by one item at most, and neighbours in size are in different ones. */
export const itemsOf = <T>(items: readonly T[], { index, count }: Share): T[] =>
  items.filter((_, i) => i % count === index);

/** Bytes of profiles that are worth a process of their own: its start takes as long as some MB. */
const SHARE_BYTES = 32 * 1024 * 1024;

/**
 * Small profiles together, large ones alone, in order.
 * @param most tasks of a share
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

/** Ascending numbers as `0-3,8`. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
