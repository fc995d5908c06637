/** What the kernels of a group did, added up, with the time of the kernels whose value is known: rates use only these. */
import { elementAt } from '../../containers/element.js';
import { roundingError } from '../../containers/exact-sum.js';
import { addTimes } from '../../record/fields/times.js';
import type { Annotated } from '../annotate.js';

/** A sum over the kernels whose value is known. */
interface KnownSum {
  readonly kernels: number;
  /** ns of these kernels. */
  readonly time: number;
  readonly sum: number;
}

/**
 * Share of a time that is spent on the matrix unit; null where none is known to be and of some it is not known.
 * @param known ns of the kernels of which it is known whether they use it
 * @param used ns of those that do
 */
export const matrixUnitShare = (used: number, known: number, whole: number): number | null =>
  whole > 0 && (used > 0 || known >= whole) ? used / whole : null;

const NOTHING: KnownSum = { kernels: 0, time: 0, sum: 0 };

export interface GroupWork {
  readonly flops: KnownSum;
  readonly bytes: KnownSum;
  /** Bytes of the kernels whose rate is known. */
  readonly ratedBytes: KnownSum;
  /** Shares of the peak FLOP/s in percent, each times the time of its kernel. */
  readonly peak: KnownSum;
  /** Shares of the peak bandwidth, likewise. */
  readonly bandwidth: KnownSum;
  /** Time on the matrix unit, of kernels of which it is known whether they used it. */
  readonly matrixUnit: KnownSum;
  /** Kernels with a rate above the peak of the device. */
  readonly aboveCompute: number;
  readonly aboveMemory: number;
}

/**
 * Offsets of what is added up, in the numbers of a group: of a `KnownSum` its kernels, then its time, its sum, and what
 * the rounding of the sum left out, so that sums do not depend on the order of kernels.
 */
const FLOPS = 0;
const BYTES = 4;
const PEAK = 8;
const BANDWIDTH = 12;
const MATRIX_UNIT = 16;
const RATED_BYTES = 20;
const ABOVE_COMPUTE = 24;
const ABOVE_MEMORY = 25;
/** Numbers of a group, and those of each of the `KnownSum`s, which are the first ones. */
export const WORK_SIZE = 26;
export const KNOWN_SUM_SIZE = 4;
const [TIME, SUM] = [1, 2];

type Numbers = Float64Array | number[];

/** Adds to one of the numbers; `at` is its place, `offset` the one in its group. */
function add(numbers: Numbers, at: number, offset: number, amount: number): void {
  const before = elementAt(numbers, at);
  const part = offset < ABOVE_COMPUTE ? offset % KNOWN_SUM_SIZE : null;
  if (part === SUM) numbers[at + 1] = elementAt(numbers, at + 1) + roundingError(before, amount);
  numbers[at] = part === TIME ? addTimes(before, amount) : before + amount;
}

/** Adds what a kernel did to the numbers from `base` on. @param time of the kernel, ns */
function addKernel(
  numbers: Float64Array,
  base: number,
  { flops, bytes, placement, tc }: Annotated,
  time: number,
): void {
  const addKnown = (offset: number, value: number | null): void => {
    if (value === null) return;
    [1, time, value].forEach((amount, i) => add(numbers, base + offset + i, offset + i, amount));
  };
  const timesDuration = (value: number | null): number | null => (value === null ? null : value * time);
  addKnown(FLOPS, flops);
  addKnown(BYTES, bytes);
  addKnown(RATED_BYTES, placement.gbps === null ? null : bytes);
  addKnown(PEAK, timesDuration(placement.computeShare));
  addKnown(BANDWIDTH, timesDuration(placement.memoryShare));
  addKnown(MATRIX_UNIT, tc === null || tc === '?' ? null : tc === 1 ? time : 0);
  if (placement.above.compute) add(numbers, base + ABOVE_COMPUTE, ABOVE_COMPUTE, 1);
  if (placement.above.memory) add(numbers, base + ABOVE_MEMORY, ABOVE_MEMORY, 1);
}

/** Adds the numbers of a group from `from` on to those of another from `base` on. */
function addAll(numbers: Numbers, base: number, of: ArrayLike<number>, from: number): void {
  for (let offset = 0; offset < WORK_SIZE; offset++) add(numbers, base + offset, offset, elementAt(of, from + offset));
}

function groupWork(numbers: readonly number[]): GroupWork {
  const at = (offset: number): number => elementAt(numbers, offset);
  const known = (offset: number): KnownSum => {
    return { kernels: at(offset), time: at(offset + 1), sum: at(offset + SUM) + at(offset + SUM + 1) };
  };
  // Kernels without arithmetic or traffic have a share of 0 whatever the peak: those alone do not stand for the group.
  const rated = (offset: number): KnownSum => (known(offset).sum === 0 ? NOTHING : known(offset));
  return {
    flops: known(FLOPS),
    bytes: known(BYTES),
    ratedBytes: rated(RATED_BYTES),
    peak: rated(PEAK),
    bandwidth: rated(BANDWIDTH),
    matrixUnit: { ...known(MATRIX_UNIT), sum: addTimes(at(MATRIX_UNIT + SUM), at(MATRIX_UNIT + SUM + 1)) },
    aboveCompute: at(ABOVE_COMPUTE),
    aboveMemory: at(ABOVE_MEMORY),
  };
}

/** Groups allocated at once. */
const CHUNK = 4096;

/** What the kernels of each group did: 208 bytes a group, outside of the heap. */
export class GroupWorkSums {
  readonly #chunks: Float64Array[] = [];

  /** @param group at most the number of groups so far */
  add(group: number, row: Annotated, time: number): void {
    addKernel(this.#chunkOf(group), WORK_SIZE * (group % CHUNK), row, time);
  }

  /** Adds numbers that another one of these had of a group. */
  addNumbers(group: number, numbers: ArrayLike<number>): void {
    addAll(this.#chunkOf(group), WORK_SIZE * (group % CHUNK), numbers, 0);
  }

  /** What was added up of a group: see `addNumbers`. Null where nothing was. */
  numbersOf(group: number): Float64Array | null {
    const base = WORK_SIZE * (group % CHUNK);
    return this.#chunks[Math.floor(group / CHUNK)]?.slice(base, base + WORK_SIZE) ?? null;
  }

  #chunkOf(group: number): Float64Array {
    const chunk = Math.floor(group / CHUNK);
    while (this.#chunks.length <= chunk) this.#chunks.push(new Float64Array(WORK_SIZE * CHUNK));
    return elementAt(this.#chunks, chunk);
  }

  /** What groups did together, those from `from` to before `to` of `order`; all 0 for groups of which nothing was added. */
  of(order: Uint32Array, from: number, to: number): GroupWork {
    const sum = new Array<number>(WORK_SIZE).fill(0);
    for (let i = from; i < to; i++) {
      const group = elementAt(order, i);
      const chunk = this.#chunks[Math.floor(group / CHUNK)];
      if (chunk !== undefined) addAll(sum, 0, chunk, WORK_SIZE * (group % CHUNK));
    }
    return groupWork(sum);
  }
}
