/** What the kernels of a group did, added up, with the time of those that tell it: the others are in no rate. */
import type { Annotated } from '../annotate.js';

/** A sum over the kernels that tell a value. */
export interface Told {
  readonly kernels: number;
  /** ns of these kernels. */
  readonly time: number;
  readonly sum: number;
}

/** What is summed: a place for the kernels, the next ones for their time and for the sum. */
const FLOPS = 0;
const BYTES = 3;
const PEAK = 6;
const BANDWIDTH = 9;
const MATRIX_UNIT = 12;
const ABOVE_COMPUTE = 15;
const ABOVE_MEMORY = 16;
const PLACES = 17;

export class Amounts {
  /** One array of numbers takes half the memory of a field each, and a tree may have many rows. */
  readonly #numbers: number[] = new Array<number>(PLACES).fill(0);

  /** @param time of the kernel, ns */
  add({ flops, bytes, placement, tc }: Annotated, time: number): void {
    const times = (value: number | null): number | null => (value === null ? null : value * time);
    this.#tell(FLOPS, flops, time);
    this.#tell(BYTES, bytes, time);
    this.#tell(PEAK, times(placement.computeShare), time);
    this.#tell(BANDWIDTH, times(placement.memoryShare), time);
    this.#tell(MATRIX_UNIT, tc === null || tc === '?' ? null : tc === 1 ? time : 0, time);
    if (placement.above.compute) this.#plus(ABOVE_COMPUTE, 1);
    if (placement.above.memory) this.#plus(ABOVE_MEMORY, 1);
  }

  merge(other: Amounts): void {
    other.#numbers.forEach((amount, place) => {
      this.#plus(place, amount);
    });
  }

  #tell(place: number, value: number | null, time: number): void {
    if (value === null) return;
    this.#plus(place, 1);
    this.#plus(place + 1, time);
    this.#plus(place + 2, value);
  }

  #plus(place: number, amount: number): void {
    this.#numbers[place] = this.#at(place) + amount;
  }

  #at(place: number): number {
    return this.#numbers[place] ?? 0;
  }

  #told(place: number): Told {
    return { kernels: this.#at(place), time: this.#at(place + 1), sum: this.#at(place + 2) };
  }

  get flops(): Told {
    return this.#told(FLOPS);
  }
  get bytes(): Told {
    return this.#told(BYTES);
  }
  /** Shares of the peak FLOP/s in percent, each times the time of its kernel. */
  get peak(): Told {
    return this.#told(PEAK);
  }
  /** Shares of the peak bandwidth, likewise. */
  get bandwidth(): Told {
    return this.#told(BANDWIDTH);
  }
  /** Time on the matrix unit, of kernels of which it is told. */
  get matrixUnit(): Told {
    return this.#told(MATRIX_UNIT);
  }

  /** Kernels with a rate that the device cannot reach. */
  get aboveCompute(): number {
    return this.#at(ABOVE_COMPUTE);
  }
  get aboveMemory(): number {
    return this.#at(ABOVE_MEMORY);
  }
}

/** What was done together; of one alone itself. */
export function allOf(parts: readonly Amounts[]): Amounts {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Amounts();
  for (const part of parts) all.merge(part);
  return all;
}
