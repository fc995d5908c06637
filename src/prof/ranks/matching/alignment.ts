/** Where a list that lacks operations at its edges lies in a longer one. */
import { elementAt } from '../../../containers/element.js';

/** Comparisons of one search: lists of one repeated pattern would take as many as both lengths multiplied. */
const MOST_COMPARISONS = 20_000_000;

/**
 * How far the list is shifted in the base.
 * @param edges whether operations may be missing before it, and after it
 * @param fits whether an entry of the list may be one of the base
 * @returns null where it fits nowhere, or, with both edges open, in several places, or in none that is found within the bound
 */
export function alignments(
  list: readonly number[],
  base: readonly number[],
  edges: { readonly begins: boolean; readonly ends: boolean },
  fits: (entry: number, of: number) => boolean,
): number | null {
  const most = base.length - list.length;
  let left = MOST_COMPARISONS;
  const isAt = (shift: number): boolean =>
    list.every((entry, k) => left-- > 0 && fits(entry, elementAt(base, k + shift)));
  if (edges.begins && !edges.ends) return isAt(most) ? most : null;
  if (edges.ends && !edges.begins) return isAt(0) ? 0 : null;
  if (!edges.begins) return null;
  let found: number | null = null;
  for (let shift = 0; shift <= most; shift++) {
    if (!isAt(shift)) continue;
    if (found !== null) return null;
    found = shift;
  }
  return left > 0 ? found : null;
}
