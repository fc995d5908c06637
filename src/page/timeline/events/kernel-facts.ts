/**
 * The facts of `dprof --explain` about the kernels of a timeline, and the kernels with the same forward and backward
 * sequence number.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { PackedFacts } from '../../../prof/html/timeline/timeline-data.js';
import { rankOf, type RankedLanes } from './coverage.js';
import { unpackColumn, type UnpackedColumn } from './column-unpacking.js';

/** A label ('' when it is the same as that of the previous fact) and a string. */
export type KernelFact = readonly [label: string, text: string];

export interface FactLists {
  readonly texts: readonly string[];
  readonly pairs: UnpackedColumn;
  readonly ends: UnpackedColumn;
}

/** @throws Error with one line when a column cannot be read */
export async function loadFacts({ texts, pairs, ends }: PackedFacts): Promise<FactLists> {
  const [numbers, limits] = await Promise.all([unpackColumn('facts', pairs), unpackColumn('ends of facts', ends)]);
  return { texts, pairs: numbers, ends: limits };
}

/** Call stacks of kernels, outermost frame first, by the number of a list; null when the list has only a part. */
export class CallStacks {
  readonly #known = new Map<number, readonly string[] | null>();

  constructor(private readonly facts: FactLists) {}

  of(list: number): readonly string[] | null {
    return entryOf(this.#known, list, () => {
      const stack = factsOf(this.facts, list).find(([label]) => label === 'trace')?.[1];
      if (stack === undefined || stack.includes('…')) return null;
      return stack === '-' ? [] : stack.split(' > ');
    });
  }
}

/** The facts of a list; empty when it does not exist. */
export function factsOf({ texts, pairs, ends }: FactLists, list: number): readonly KernelFact[] {
  if (list < 1 || list >= ends.length) return [];
  const [from, to] = [elementAt(ends, list - 1), Math.min(elementAt(ends, list), pairs.length)];
  const facts: KernelFact[] = [];
  const text = (place: number): string => texts[elementAt(pairs, place)] ?? 'na';
  for (let place = from; place + 1 < to; place += 2) facts.push([text(place), text(place + 1)]);
  return facts;
}

/** The text of one fact of a list; null for a list without it. */
export function factText({ texts, pairs, ends }: FactLists, list: number, label: string): string | null {
  if (list < 1 || list >= ends.length) return null;
  const to = Math.min(elementAt(ends, list), pairs.length);
  for (let place = elementAt(ends, list - 1); place + 1 < to; place += 2)
    if (texts[elementAt(pairs, place)] === label) return texts[elementAt(pairs, place + 1)] ?? null;
  return null;
}

/**
 * Other events of its rank with the event's sequence number: the forward and backward kernels of its op. Searches all
 * events.
 */
export function sameSequence(events: RankedLanes & { readonly seq: Float64Array }, event: number): readonly number[] {
  const { seq } = events;
  const [wanted, rank] = [elementAt(seq, event), rankOf(events, event)];
  const found: number[] = [];
  if (wanted < 0) return found;
  for (let other = 0; other < seq.length; other++)
    if (other !== event && elementAt(seq, other) === wanted && rankOf(events, other) === rank) found.push(other);
  return found;
}
