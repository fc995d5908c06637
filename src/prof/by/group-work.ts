/** What the kernels of a group did, added up, with the time of the kernels whose value is known: rates use only these. */
import { elementAt } from '../../containers/element.js';
import type { Annotated } from '../annotate.js';

/** A sum over the kernels whose value is known. */
interface KnownSum {
  readonly kernels: number;
  /** ns of these kernels. */
  readonly time: number;
  readonly sum: number;
}

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

/** Offsets of what is added up, in the numbers of a group: of a `KnownSum` its kernels, then its time, then its sum. */
const FLOPS = 0;
const BYTES = 3;
const PEAK = 6;
const BANDWIDTH = 9;
const MATRIX_UNIT = 12;
const ABOVE_COMPUTE = 15;
const ABOVE_MEMORY = 16;
const RATED_BYTES = 17;
const SIZE = 20;

/** Adds what a kernel did to the numbers from `base` on. @param time of the kernel, ns */
function addTo(numbers: Float64Array, base: number, { flops, bytes, placement, tc }: Annotated, time: number): void {
  const add = (offset: number, amount: number): void => {
    numbers[base + offset] = elementAt(numbers, base + offset) + amount;
  };
  const addKnown = (offset: number, value: number | null): void => {
    if (value === null) return;
    add(offset, 1);
    add(offset + 1, time);
    add(offset + 2, value);
  };
  const timesDuration = (value: number | null): number | null => (value === null ? null : value * time);
  addKnown(FLOPS, flops);
  addKnown(BYTES, bytes);
  addKnown(RATED_BYTES, placement.gbps === null ? null : bytes);
  addKnown(PEAK, timesDuration(placement.computeShare));
  addKnown(BANDWIDTH, timesDuration(placement.memoryShare));
  addKnown(MATRIX_UNIT, tc === null || tc === '?' ? null : tc === 1 ? time : 0);
  if (placement.above.compute) add(ABOVE_COMPUTE, 1);
  if (placement.above.memory) add(ABOVE_MEMORY, 1);
}

function groupWork(numbers: readonly number[]): GroupWork {
  const at = (offset: number): number => elementAt(numbers, offset);
  const known = (offset: number): KnownSum => ({ kernels: at(offset), time: at(offset + 1), sum: at(offset + 2) });
  return {
    flops: known(FLOPS),
    bytes: known(BYTES),
    ratedBytes: known(RATED_BYTES),
    peak: known(PEAK),
    bandwidth: known(BANDWIDTH),
    matrixUnit: known(MATRIX_UNIT),
    aboveCompute: at(ABOVE_COMPUTE),
    aboveMemory: at(ABOVE_MEMORY),
  };
}

/** Groups allocated at once. */
const CHUNK = 4096;

/** What the kernels of each group did: 160 bytes a group, outside of the heap. */
export class GroupWorkSums {
  readonly #chunks: Float64Array[] = [];

  /** @param group at most the number of groups so far */
  add(group: number, row: Annotated, time: number): void {
    const chunk = Math.floor(group / CHUNK);
    while (this.#chunks.length <= chunk) this.#chunks.push(new Float64Array(SIZE * CHUNK));
    addTo(elementAt(this.#chunks, chunk), SIZE * (group % CHUNK), row, time);
  }

  /** What groups did together, those from `from` to before `to` of `order`; all 0 for groups of which nothing was added. */
  of(order: Uint32Array, from: number, to: number): GroupWork {
    const sum = new Array<number>(SIZE).fill(0);
    for (let i = from; i < to; i++) {
      const group = elementAt(order, i);
      const chunk = this.#chunks[Math.floor(group / CHUNK)];
      if (chunk === undefined) continue;
      const base = SIZE * (group % CHUNK);
      for (let offset = 0; offset < SIZE; offset++)
        sum[offset] = elementAt(sum, offset) + elementAt(chunk, base + offset);
    }
    return groupWork(sum);
  }
}
