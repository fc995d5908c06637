/**
 * How many of the first n values, which ascend, are below a limit: a binary search.
 * @param n number of values
 * @param valueAt the value at an index
 * @param equal whether values equal to the limit count as below it
 */
export function countBelow(n: number, valueAt: (index: number) => number, limit: number, equal = false): number {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = valueAt(middle);
    if (value < limit || (equal && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the first n values, which ascend, are at most a limit. */
export const countUpTo = (n: number, valueAt: (index: number) => number, limit: number): number =>
  countBelow(n, valueAt, limit, true);
