/**
 * Sequences of kernels that occur several times, in order of the time that one fused kernel could save. In two steps:
 *
 * 1. Sequences of n + 1 kernels are numbered by the numbers of the sequences of n kernels at their first and second kernel,
 *    and only those that occur again are kept: one pass for each length, whatever the number of different sequences.
 * 2. The best one takes its kernels, without overlap; the others are counted again in the kernels that are left, which looks
 *    only at their own occurrences: each sequence that is found costs at most one look at each kernel for each length.
 *
 * Memory: 80 bytes for each kernel.
 */
import { elementAt } from '../../containers/element.js';
import { PairIndex } from '../../containers/hash-index.js';
import { allRows, groupAt, groupRows } from '../../containers/row-order.js';
import { addTimes } from '../../record/fields/times.js';
import { BREAK, type OrderedKernels } from './kernel-order.js';

export const SHORTEST = 2;
export const LONGEST = 8;

/** Kernels shorter than this, in ns, take about as long to launch as to run. */
export const SMALL = 10_000;

/** Maximum number of sequences of a length that are compared, those with the largest sums. */
const MOST_CANDIDATES = 2_000;
/** Maximum number of times that sequences are counted again. */
const MOST_COUNTS = 20_000;

/** Sums of the occurrences whose launch calls are all known, in ns. */
interface LaunchedOccurrences {
  readonly count: number;
  /** Time of the launch calls. */
  readonly launch: number;
  /** Time of the kernels, and between them. */
  readonly device: number;
}

/** A sequence with its sums over all its occurrences. Times are in ns. */
export interface RepeatedSequence {
  /** Numbers of the names of its kernels. */
  readonly names: readonly number[];
  readonly count: number;
  /** Sum of the kernels' durations. */
  readonly time: number;
  /** Part of it in kernels shorter than `SMALL`. */
  readonly small: number;
  /** Time between its kernels. */
  readonly gaps: number;
  /** Occurrences in which the launch call of each kernel is known. */
  readonly launched: LaunchedOccurrences;
}

/** A sequence in the answer. Times are in ns, sums over all occurrences. */
export interface SequenceRow extends Omit<RepeatedSequence, 'names'> {
  readonly sequence: readonly string[];
  /** Share of the time of all kernels that could be fused, from 0 to 1. */
  readonly share: number;
  /** The most that one fused kernel in its place could save: the time of the small kernels and of the gaps. */
  readonly saved: number;
}

interface Candidate {
  /** Position of its first occurrence. */
  readonly at: number;
  readonly length: number;
  /** Positions of all its occurrences, also those that overlap, except some whose kernels are taken. */
  readonly places: Uint32Array;
  /** Time of small kernels and gaps of its occurrences, or more where these overlap. */
  readonly saved: number;
}

/** Whether it repeats a shorter sequence, so that the shorter one says as much. */
function repeatsShorter(names: Int32Array, at: number, length: number): boolean {
  for (let period = 1; 2 * period <= length; period++) {
    let same = 0;
    while (same + period < length && names[at + same] === names[at + same + period]) same++;
    if (same + period === length) return length > SHORTEST;
  }
  return false;
}

/** Number of the sequence of one more kernel at each position; `BREAK` for one that occurs once. */
function lengthened(sequences: Int32Array): { readonly next: Int32Array; readonly firsts: number[] } {
  const next = new Int32Array(sequences.length).fill(BREAK);
  const firsts: number[] = [];
  const index = new PairIndex(
    (row) => elementAt(sequences, elementAt(firsts, row)),
    (row) => elementAt(sequences, elementAt(firsts, row) + 1),
  );
  const occursAgain: boolean[] = [];
  for (let at = 0; at + 1 < sequences.length; at++) {
    const [first, second] = [elementAt(sequences, at), elementAt(sequences, at + 1)];
    if (first === BREAK || second === BREAK) continue;
    const known = index.get(first, second);
    next[at] = known < 0 ? firsts.length : known;
    if (known < 0) {
      firsts.push(at);
      occursAgain.push(false);
      index.put(firsts.length - 1);
    } else occursAgain[known] = true;
  }
  const repeated = next.map((number) => (number >= 0 && occursAgain[number] === true ? number : BREAK));
  return { next: repeated, firsts };
}

/**
 * Positions at which the wanted sequences occur, in order.
 * @param sequences number of the sequence at each position
 * @param count how many sequences have numbers
 * @param kept numbers of the wanted sequences; the result takes an index into this list
 */
function occurrencesOf(sequences: Int32Array, count: number, kept: Uint32Array): (index: number) => Uint32Array {
  const indexes = new Int32Array(count).fill(BREAK);
  for (const [index, number] of kept.entries()) indexes[number] = index;
  const indexAt = (at: number): number => {
    const number = elementAt(sequences, at);
    return number === BREAK ? BREAK : elementAt(indexes, number);
  };
  const places = allRows(sequences.length).filter((at) => indexAt(at) !== BREAK);
  const groups = groupRows(places, indexAt, kept.length);
  return (index) => groupAt(groups, index);
}

/** The occurrences that do not overlap an earlier one. */
function apart(places: Uint32Array, length: number): number[] {
  const found: number[] = [];
  let from = 0;
  for (const at of places)
    if (at >= from) {
      found.push(at);
      from = at + length;
    }
  return found;
}

export class RepeatedSequences {
  readonly #left: Uint8Array;
  /** Sums of the time of small kernels and of all gaps before each position. */
  readonly #sums: Float64Array;

  constructor(private readonly kernels: OrderedKernels) {
    const { names } = kernels;
    this.#left = new Uint8Array(names.length).fill(1);
    this.#sums = new Float64Array(names.length + 1);
    for (let at = 0; at < names.length; at++)
      this.#sums[at + 1] = elementAt(this.#sums, at) + this.#small(at) + elementAt(kernels.gaps, at);
  }

  #small(at: number): number {
    const duration = elementAt(this.kernels.durations, at);
    return duration < SMALL ? duration : 0;
  }

  /**
   * The best sequences, which have no kernel in common.
   * @param length number of kernels of a sequence; null for any from `SHORTEST` to `LONGEST`
   */
  best(most: number, length: number | null): RepeatedSequence[] {
    const waiting = this.#candidates(length).sort((a, b) => a.saved - b.saved || a.length - b.length || b.at - a.at);
    const found: RepeatedSequence[] = [];
    for (let counts = 0; counts < MOST_COUNTS && found.length < most; counts++) {
      const candidate = waiting.pop();
      if (candidate === undefined) break;
      const left = candidate.places.filter((at) => this.#isLeft(at, candidate.length));
      const places = apart(left, candidate.length);
      if (places.length < 2) continue;
      const sums = this.#sumsOf(places, candidate.length);
      const saved = addTimes(sums.small, sums.gaps);
      if (saved < (waiting.at(-1)?.saved ?? 0)) insert(waiting, { ...candidate, places: left, saved });
      else {
        for (const at of places) this.#left.fill(0, at, at + candidate.length);
        found.push(sums);
      }
    }
    return found;
  }

  #candidates(length: number | null): Candidate[] {
    const { names } = this.kernels;
    const all: Candidate[] = [];
    let sequences = names;
    for (let n = SHORTEST; n <= (length ?? LONGEST); n++) {
      const { next, firsts } = lengthened(sequences);
      sequences = next;
      if (length !== null && n < length) continue;
      const saved = this.#savedBy(next, firsts.length, n);
      const kept = allRows(firsts.length)
        .filter((number) => next[elementAt(firsts, number)] === number)
        .filter((number) => length !== null || !repeatsShorter(names, elementAt(firsts, number), n))
        .sort((a, b) => elementAt(saved, b) - elementAt(saved, a))
        .slice(0, MOST_CANDIDATES);
      const placesOf = occurrencesOf(next, firsts.length, kept);
      for (const [index, number] of kept.entries())
        all.push({
          at: elementAt(firsts, number),
          length: n,
          saved: elementAt(saved, number),
          places: placesOf(index),
        });
    }
    return all;
  }

  /** Time of small kernels and gaps of each sequence of a length, by its number. */
  #savedBy(sequences: Int32Array, count: number, length: number): Float64Array {
    const saved = new Float64Array(count);
    for (let at = 0; at < sequences.length; at++) {
      const number = elementAt(sequences, at);
      if (number === BREAK) continue;
      const time = elementAt(this.#sums, at + length) - elementAt(this.#sums, at);
      saved[number] = elementAt(saved, number) + time - elementAt(this.kernels.gaps, at);
    }
    return saved;
  }

  /** Whether no sequence has taken any kernel of an occurrence. */
  #isLeft(begin: number, length: number): boolean {
    for (let at = begin; at < begin + length; at++) if (this.#left[at] !== 1) return false;
    return true;
  }

  #sumsOf(places: readonly number[], length: number): RepeatedSequence {
    const { names, durations, gaps, launches } = this.kernels;
    const sums = { time: 0, small: 0, gaps: 0 };
    const launched = { count: 0, launch: 0, device: 0 };
    for (const place of places) {
      let [launch, device] = [0, 0];
      for (let at = place; at < place + length; at++) {
        const gap = at === place ? 0 : elementAt(gaps, at);
        sums.time = addTimes(sums.time, elementAt(durations, at));
        sums.small = addTimes(sums.small, this.#small(at));
        sums.gaps = addTimes(sums.gaps, gap);
        launch = addTimes(launch, elementAt(launches, at));
        device = addTimes(device, elementAt(durations, at) + gap);
      }
      if (Number.isNaN(launch)) continue;
      launched.count++;
      launched.launch = addTimes(launched.launch, launch);
      launched.device = addTimes(launched.device, device);
    }
    const [first = 0] = places;
    return { ...sums, names: [...names.subarray(first, first + length)], count: places.length, launched };
  }
}

/** Inserts a candidate into a list that is sorted by what it saves. */
function insert(sorted: Candidate[], candidate: Candidate): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (elementAt(sorted, middle).saved <= candidate.saved) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, candidate);
}
