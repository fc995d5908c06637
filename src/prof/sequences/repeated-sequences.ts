/**
 * Sequences of kernels that occur several times, those first that one fused kernel could save most of. In two steps:
 *
 * 1. Sequences of n + 1 kernels are numbered by the numbers of the sequences of n kernels at their first and second kernel,
 *    and only those that occur again are kept: one pass for each length, whatever the number of different sequences.
 * 2. The best one takes its kernels, without overlap; the others are counted again in the kernels that are left.
 *
 * Memory: 60 bytes for each kernel.
 */
import { elementAt } from '../../containers/element.js';
import { PairIndex } from '../../containers/hash-index.js';
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
  /** Share of the time of all kernels, from 0 to 1. */
  readonly share: number;
  /** What one kernel in its place saves at most: the time of small kernels and of the gaps. */
  readonly saved: number;
}

interface Candidate {
  /** Position of its first occurrence. */
  readonly at: number;
  readonly length: number;
  /** Time of small kernels and gaps of its occurrences, or more where these overlap. */
  readonly saved: number;
}

/** Whether it repeats a shorter sequence, so that the shorter one says as much. */
function repeatsShorter(names: Int32Array, { at, length }: Candidate): boolean {
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
  for (const [at, number] of next.entries()) if (number >= 0 && occursAgain[number] !== true) next[at] = BREAK;
  return { next, firsts };
}

export class RepeatedSequences {
  readonly #left: Uint8Array;
  /** Sums of the time of small kernels and of all gaps before each position. */
  readonly #sums: Float64Array;
  /** Position of the next kernel with the same name; 0 for none. */
  readonly #again: Int32Array;
  readonly #first = new Map<number, { at: number; count: number }>();

  constructor(private readonly kernels: OrderedKernels) {
    const { names } = kernels;
    this.#left = new Uint8Array(names.length).fill(1);
    this.#sums = new Float64Array(names.length + 1);
    this.#again = new Int32Array(names.length);
    for (let at = 0; at < names.length; at++)
      this.#sums[at + 1] = elementAt(this.#sums, at) + this.#small(at) + elementAt(kernels.gaps, at);
    for (let at = names.length - 1; at >= 0; at--) {
      const name = elementAt(names, at);
      const known = this.#first.get(name);
      this.#again[at] = known?.at ?? 0;
      this.#first.set(name, { at, count: (known?.count ?? 0) + 1 });
    }
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
      const places = this.#placesOf(candidate);
      if (places.length < 2) continue;
      const sums = this.#sumsOf(places, candidate.length);
      const saved = addTimes(sums.small, sums.gaps);
      if (saved < (waiting.at(-1)?.saved ?? 0)) insert(waiting, { ...candidate, saved });
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
      const saved = new Float64Array(firsts.length);
      for (const [at, number] of next.entries())
        if (number !== BREAK)
          saved[number] = elementAt(saved, number) + elementAt(this.#sums, at + n) - elementAt(this.#sums, at) - elementAt(this.kernels.gaps, at); // prettier-ignore
      const repeated = firsts
        .map((at, number): Candidate => ({ at, length: n, saved: elementAt(saved, number) }))
        .filter((one, number) => next[one.at] === number && (length !== null || !repeatsShorter(names, one)));
      for (const one of repeated.sort((a, b) => b.saved - a.saved).slice(0, MOST_CANDIDATES)) all.push(one);
    }
    return all;
  }

  /** Positions of the occurrences in what is left, without overlap. */
  #placesOf({ at, length }: Candidate): number[] {
    const { names } = this.kernels;
    const wanted = names.subarray(at, at + length);
    const rarest = this.#rarestOf(wanted);
    const places: number[] = [];
    let from = 0;
    for (let place = this.#first.get(elementAt(wanted, rarest))?.at ?? 0; ; place = elementAt(this.#again, place)) {
      const begin = place - rarest;
      if (begin >= from && this.#isAt(begin, wanted)) {
        places.push(begin);
        from = begin + length;
      }
      if (this.#again[place] === 0) return places;
    }
  }

  #rarestOf(wanted: Int32Array): number {
    let rarest = 0;
    const countOf = (at: number): number => this.#first.get(elementAt(wanted, at))?.count ?? 0;
    for (let at = 1; at < wanted.length; at++) if (countOf(at) < countOf(rarest)) rarest = at;
    return rarest;
  }

  #isAt(begin: number, wanted: Int32Array): boolean {
    for (let i = 0; i < wanted.length; i++)
      if (this.kernels.names[begin + i] !== wanted[i] || this.#left[begin + i] !== 1) return false;
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
