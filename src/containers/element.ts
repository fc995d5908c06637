/** Elements of arrays that are there by construction. */

/**
 * The element at an index that must exist.
 * @throws RangeError when it does not: an impossible case, so a defect of the caller
 */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}
