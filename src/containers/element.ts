/**
 * Array helpers. Lists can be very long: `f(...list)` would put each entry on the stack, which overflows at about 100,000.
 */

/** The largest of the numbers and `otherwise`. */
export function largest(numbers: Iterable<number>, otherwise = -Infinity): number {
  let most = otherwise;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

/** The smallest number; Infinity for an empty list. */
export function least(numbers: Iterable<number>): number {
  let smallest = Infinity;
  for (const number of numbers) if (number < smallest) smallest = number;
  return smallest;
}

/** Adds entries at the end of a list. */
export function append<T>(list: T[], entries: Iterable<T>): void {
  for (const entry of entries) list.push(entry);
}

/** Whether two lists have the same entries, in the same order. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));

/**
 * Returns the element at an index that must exist.
 * @throws RangeError when it does not exist, which is a defect of the caller
 */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}
