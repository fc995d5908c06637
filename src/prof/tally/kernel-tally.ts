/**
 * The tally of kernels by key: their number, time and work. `--by`, partial answers, the summary, and the tables and
 * the roofline of a page are views of it, so that they always agree.
 *
 * Sums do not depend on the order of kernels: times are exact, and all other sums keep their rounding error. A value
 * that is unknown for some kernels also has the number and the time of the kernels for which it is known, and rates use
 * only these.
 */
import { elementAt } from '../../containers/element.js';
import { addTimes } from '../../record/fields/times.js';
import { isMostly, NS_PER_S } from '../../record/units.js';
import type { Annotated } from '../annotate.js';

/** A sum over the kernels for which the value is known. */
interface KnownSum {
  readonly kernels: number;
  /** ns of these kernels. */
  readonly time: number;
  readonly sum: number;
  /** Share of the time of all kernels of the key for which the value is known. */
  readonly share: number;
}

/** What a kernel did. */
export type KernelWork = Pick<Annotated, 'flops' | 'bytes' | 'placement' | 'tc'>;

/**
 * Offsets of the sums in the numbers of a key. A `KnownSum` has its kernels, its time, its sum, and the rounding error
 * of the sum.
 */
export const COUNT = 0;
export const TIME = 1;
/** The first of the `KnownSum`s, which are consecutive. */
export const FIRST_KNOWN = 2;
export const KNOWN_SUM_SIZE = 4;
const FLOPS = FIRST_KNOWN;
const BYTES = 6;
const PEAK = 10;
const BANDWIDTH = 14;
const MATRIX_UNIT = 18;
const RATED_BYTES = 22;
export const ABOVE_COMPUTE = 26;
const ABOVE_MEMORY = 27;
export const TALLY_SIZE = 28;

/** Adds to a number that needs no rounding error. */
function increase(numbers: Float64Array, at: number, amount: number): void {
  numbers[at] = elementAt(numbers, at) + amount;
}

function addTime(numbers: Float64Array, at: number, time: number): void {
  numbers[at] = addTimes(elementAt(numbers, at), time);
}

// Sums of floating-point numbers without loss: the rounding error of each sum is kept next to it (Neumaier's
// summation). Sums of whole numbers are exact up to 2^100; other sums do not depend on the order of their terms, except
// in very rare ties.

/** The rounding error of `sum + value`. */
function roundingError(sum: number, value: number): number {
  const rounded = sum + value;
  if (!Number.isFinite(rounded)) return 0;
  const added = rounded - sum;
  return sum - (rounded - added) + (value - added);
}

/** Adds to the `KnownSum` at a place. @param left rounding error of `sum` */
function addKnown(numbers: Float64Array, at: number, kernels: number, time: number, sum: number, left = 0): void {
  increase(numbers, at, kernels);
  addTime(numbers, at + 1, time);
  const before = elementAt(numbers, at + 2);
  numbers[at + 2] = before + sum;
  increase(numbers, at + 3, roundingError(before, sum) + left);
}

/** Adds a kernel's work to the numbers that begin at `base`. @param time time of the kernel, in ns */
function addWork(numbers: Float64Array, base: number, time: number, work: KernelWork): void {
  const { flops, bytes, placement, tc } = work;
  const { computeShare, memoryShare, gbps, above } = placement;
  if (flops !== null) addKnown(numbers, base + FLOPS, 1, time, flops);
  if (bytes !== null) addKnown(numbers, base + BYTES, 1, time, bytes);
  if (bytes !== null && gbps !== null) addKnown(numbers, base + RATED_BYTES, 1, time, bytes);
  if (computeShare !== null) addKnown(numbers, base + PEAK, 1, time, computeShare * time);
  if (memoryShare !== null) addKnown(numbers, base + BANDWIDTH, 1, time, memoryShare * time);
  if (tc !== null && tc !== '?') addKnown(numbers, base + MATRIX_UNIT, 1, time, tc === 1 ? time : 0);
  if (above.compute) increase(numbers, base + ABOVE_COMPUTE, 1);
  if (above.memory) increase(numbers, base + ABOVE_MEMORY, 1);
}

/** Adds the numbers of a key, from `from` on, to those of another key, from `base` on. */
function addAll(numbers: Float64Array, base: number, added: Float64Array, from: number): void {
  increase(numbers, base + COUNT, elementAt(added, from + COUNT));
  addTime(numbers, base + TIME, elementAt(added, from + TIME));
  for (let at = FIRST_KNOWN; at < ABOVE_COMPUTE; at += KNOWN_SUM_SIZE) {
    const part = (offset: number): number => elementAt(added, from + at + offset);
    addKnown(numbers, base + at, part(0), part(1), part(2), part(3));
  }
  for (let at = ABOVE_COMPUTE; at < TALLY_SIZE; at++) increase(numbers, base + at, elementAt(added, from + at));
}

/** The sums over the kernels of one key, or of several keys together. */
export interface KernelSum {
  /** The numbers in the form of a tally; see `KernelTally.merge`. */
  readonly numbers: Float64Array;
  readonly count: number;
  /** ns */
  readonly time: number;
  readonly flops: KnownSum;
  readonly bytes: KnownSum;
  /** Bytes of the kernels whose rate is known. */
  readonly ratedBytes: KnownSum;
  /** Sum over kernels of percent of the peak FLOP/s times the kernel's time. */
  readonly peak: KnownSum;
  /** Sum of the shares of peak bandwidth. */
  readonly bandwidth: KnownSum;
  /** Time on the matrix unit, over kernels for which it is known whether they used it. */
  readonly matrixUnit: KnownSum;
  /**
   * Share of the time on the matrix unit; null when no kernel is known to have used it and for some kernels it is
   * unknown.
   */
  readonly matrixUnitShare: number | null;
  /** Number of kernels with a rate above the device's peak. */
  readonly aboveCompute: number;
  readonly aboveMemory: number;
}

/** @param numbers numbers of a key; see `KernelTally.merge` */
export function kernelSum(numbers: Float64Array): KernelSum {
  const at = (place: number): number => elementAt(numbers, place);
  const known = (place: number): KnownSum => {
    const [all, some] = [at(TIME), at(place + 1)];
    const share = all > 0 ? some / all : 1;
    return { kernels: at(place), time: some, sum: at(place + 2) + at(place + 3), share };
  };
  const [time, unit] = [at(TIME), known(MATRIX_UNIT)];
  const used = addTimes(unit.sum, 0);
  return {
    ...{ numbers, count: at(COUNT), time, flops: known(FLOPS), bytes: known(BYTES), ratedBytes: known(RATED_BYTES) },
    ...{ peak: known(PEAK), bandwidth: known(BANDWIDTH), matrixUnit: { ...unit, sum: used } },
    matrixUnitShare: time > 0 && (used > 0 || unit.time >= time) ? used / time : null,
    ...{ aboveCompute: at(ABOVE_COMPUTE), aboveMemory: at(ABOVE_MEMORY) },
  };
}

/**
 * Null when the value is known for no kernel. A sum over less than half of the time is a lower bound. If
 * that is 0, it says nothing, so it is null as well.
 */
export const knownSum = ({ kernels, sum, share }: KnownSum): number | null =>
  kernels === 0 || (sum === 0 && !isMostly(share)) ? null : sum;

/** The work of the kernels of a key, for tables of a page. */
export const knownWork = ({ flops, bytes }: Pick<KernelSum, 'flops' | 'bytes'>): KnownWork => ({
  ...{ flops: knownSum(flops), bytes: knownSum(bytes) },
  ...(isMostly(flops.share) || flops.kernels === 0 ? undefined : { flopsKnown: flops.share }),
  ...(isMostly(bytes.share) || bytes.kernels === 0 ? undefined : { bytesKnown: bytes.share }),
});

/** Sums over the kernels whose FLOPs or bytes are known; null when there are none. */
export interface KnownWork {
  readonly flops: number | null;
  readonly bytes: number | null;
  /** Shares of the time for which they are known, if less than half: the sums are then lower bounds. */
  readonly flopsKnown?: number;
  readonly bytesKnown?: number;
}

/**
 * A sum of shares or bytes, or an amount that follows from it, divided by its time; null when nothing is known. Kernels
 * without arithmetic or traffic have a share of 0 whatever the peak, so the result is also null if these are the only
 * known ones. A rate known for less than half of the time does not represent the whole, so it is null.
 */
export const rated = ({ sum, time, share }: KnownSum, amount = sum): number | null =>
  sum !== 0 && time > 0 && isMostly(share) ? amount / time : null;

/** FLOPs per second of the kernels whose FLOPs are known; null when these take less than half of the time. */
export const flopsPerS = ({ sum, time, share }: KnownSum): number | null =>
  time > 0 && isMostly(share) ? (sum * NS_PER_S) / time : null;

/** Number of keys whose numbers are allocated at once. */
const CHUNK = 64;

/** Sums of kernels by the number of their key, from 0: 224 bytes a key, outside of the heap. */
export class KernelTally {
  readonly #chunks: Float64Array[] = [];

  /**
   * Adds a kernel.
   * @param key number of its key, at most the number of keys so far
   * @param time ns
   * @param work null when not requested
   */
  add(key: number, time: number, work: KernelWork | null): void {
    const numbers = this.#chunkOf(key);
    const base = TALLY_SIZE * (key % CHUNK);
    increase(numbers, base + COUNT, 1);
    addTime(numbers, base + TIME, time);
    if (work !== null) addWork(numbers, base, time, work);
  }

  /** Adds the numbers of a sum of another tally. */
  merge(key: number, numbers: Float64Array): void {
    addAll(this.#chunkOf(key), TALLY_SIZE * (key % CHUNK), numbers, 0);
  }

  /** The sums over the kernels of a key; all 0 for a key without kernels. */
  of(key: number): KernelSum {
    const base = TALLY_SIZE * (key % CHUNK);
    const numbers = this.#chunks[Math.floor(key / CHUNK)]?.slice(base, base + TALLY_SIZE);
    return kernelSum(numbers ?? new Float64Array(TALLY_SIZE));
  }

  /** Sum over the keys of a list, from index `from` to before `to`. */
  together(keys: ArrayLike<number>, from = 0, to = keys.length): KernelSum {
    if (to - from === 1) return this.of(elementAt(keys, from));
    const sum = new Float64Array(TALLY_SIZE);
    for (let i = from; i < to; i++) {
      const key = elementAt(keys, i);
      const chunk = this.#chunks[Math.floor(key / CHUNK)];
      if (chunk !== undefined) addAll(sum, 0, chunk, TALLY_SIZE * (key % CHUNK));
    }
    return kernelSum(sum);
  }

  #chunkOf(key: number): Float64Array {
    const chunk = Math.floor(key / CHUNK);
    while (this.#chunks.length <= chunk) this.#chunks.push(new Float64Array(TALLY_SIZE * CHUNK));
    return elementAt(this.#chunks, chunk);
  }
}
