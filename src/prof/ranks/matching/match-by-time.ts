/**
 * Matches operations of two ranks by their ends, for profiles with missing operations, where the order is not usable: the
 * clock offset is the one at which most ends coincide.
 */
import { elementAt } from '../../../containers/element.js';
import { countBelow } from '../../../containers/row-order.js';

/** An operation with its end in ns; the caller decides whether it may be one of the other rank's. */
export interface EndedOperation {
  readonly end: number;
  /** Operations of different kinds never match. */
  readonly kind: string | null;
}

/** Maximum offset between clocks, in ns. */
const FARTHEST = 2e9;
/** Maximum difference between ends of one operation in ns, including the drift over a profile. */
const WINDOW = 1e6;
/** Number of operations of a rank with which offsets are tried. */
const MOST_TRIED = 1000;
/** Minimum number of coinciding ends, and their minimum share of the shorter list. */
const FEWEST = 3;
const LEAST_SHARE = 0.25;
/** At other offsets, ends coincide by chance. Such an offset must have at most this ratio of coinciding ends. */
const MOST_BY_CHANCE = 0.6;

/**
 * @param first operations in order of their end
 * @param second operations in order of their end
 * @returns for each of the second, the index in the first, or -1; null when no offset stands out
 */
export function matchByTime(first: readonly EndedOperation[], second: readonly EndedOperation[]): number[] | null {
  const differences = differencesOf(first, second);
  const best = densest(differences, () => true);
  if (best === null) return null;
  const chance = densest(differences, (difference) => Math.abs(difference - best.middle) > WINDOW);
  const least = Math.max(FEWEST, LEAST_SHARE * Math.min(first.length, second.length, MOST_TRIED));
  if (best.count < least || (chance?.count ?? 0) > MOST_BY_CHANCE * best.count) return null;
  return paired(first, second, best.middle);
}

/** Differences between ends of the second and ends of the first, in ascending order. */
function differencesOf(first: readonly EndedOperation[], second: readonly EndedOperation[]): Float64Array {
  const differences: number[] = [];
  const tried = first.slice(0, MOST_TRIED);
  for (const { end, kind } of second.slice(0, MOST_TRIED)) {
    const from = countBelow(tried.length, (index) => elementAt(tried, index).end, end - FARTHEST);
    for (let at = from; at < tried.length; at++) {
      const other = elementAt(tried, at);
      if (other.end > end + FARTHEST) break;
      if (other.kind === kind) differences.push(end - other.end);
    }
  }
  return Float64Array.from(differences).sort();
}

/** Size and median of the densest window of time differences; null when there are none. */
function densest(
  sorted: Float64Array,
  counts: (difference: number) => boolean,
): { readonly count: number; readonly middle: number } | null {
  const chosen = sorted.filter(counts);
  let best: { count: number; middle: number } | null = null;
  let from = 0;
  for (let to = 0; to < chosen.length; to++) {
    while (elementAt(chosen, to) - elementAt(chosen, from) > WINDOW) from++;
    const count = to - from + 1;
    if (best === null || count > best.count) best = { count, middle: elementAt(chosen, (from + to) >> 1) };
  }
  return best;
}

/** Pairs the nearest ends within the window, each once and in order. */
function paired(first: readonly EndedOperation[], second: readonly EndedOperation[], offset: number): number[] {
  const pairs = new Array<number>(second.length).fill(-1);
  let next = 0;
  for (const [index, { end, kind }] of second.entries()) {
    const expected = end - offset;
    while (next < first.length && elementAt(first, next).end < expected - WINDOW) next++;
    let nearest = -1;
    for (let at = next; at < first.length && elementAt(first, at).end <= expected + WINDOW; at++) {
      const isNearer =
        nearest < 0 ||
        Math.abs(elementAt(first, at).end - expected) < Math.abs(elementAt(first, nearest).end - expected);
      if (elementAt(first, at).kind === kind && isNearer) nearest = at;
    }
    if (nearest < 0) continue;
    pairs[index] = nearest;
    next = nearest + 1;
  }
  return pairs;
}
