/** What the kernels of a group did, added up, with the time of those that tell it: the others are in no rate. */
import type { Annotated } from '../annotate.js';

/** A sum over the kernels that tell a value. */
export interface KnownSum {
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

/** Adds what a kernel did to the numbers from `base` on. @param time of the kernel, ns */
function addTo(numbers: Float64Array, base: number, { flops, bytes, placement, tc }: Annotated, time: number): void {
  const plus = (place: number, amount: number): void => {
    numbers[base + place] = (numbers[base + place] as number) + amount;
  };
  const tell = (place: number, value: number | null): void => {
    if (value === null) return;
    plus(place, 1);
    plus(place + 1, time);
    plus(place + 2, value);
  };
  const times = (value: number | null): number | null => (value === null ? null : value * time);
  tell(FLOPS, flops);
  tell(BYTES, bytes);
  tell(PEAK, times(placement.computeShare));
  tell(BANDWIDTH, times(placement.memoryShare));
  tell(MATRIX_UNIT, tc === null || tc === '?' ? null : tc === 1 ? time : 0);
  if (placement.above.compute) plus(ABOVE_COMPUTE, 1);
  if (placement.above.memory) plus(ABOVE_MEMORY, 1);
}

/** What the kernels of a row did. */
export class GroupWork {
  constructor(private readonly numbers: readonly number[]) {}

  #told(place: number): KnownSum {
    return { kernels: this.#at(place), time: this.#at(place + 1), sum: this.#at(place + 2) };
  }

  #at(place: number): number {
    return this.numbers[place] as number;
  }

  get flops(): KnownSum {
    return this.#told(FLOPS);
  }
  get bytes(): KnownSum {
    return this.#told(BYTES);
  }
  /** Shares of the peak FLOP/s in percent, each times the time of its kernel. */
  get peak(): KnownSum {
    return this.#told(PEAK);
  }
  /** Shares of the peak bandwidth, likewise. */
  get bandwidth(): KnownSum {
    return this.#told(BANDWIDTH);
  }
  /** Time on the matrix unit, of kernels of which it is told. */
  get matrixUnit(): KnownSum {
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

/** Groups that are given room for at once. */
const CHUNK = 4096;

/** What the kernels of each group did: 136 bytes a group, outside of the heap. */
export class GroupWorkSums {
  readonly #chunks: Float64Array[] = [];

  /** @param group any known one, or the next */
  add(group: number, row: Annotated, time: number): void {
    const chunk = Math.floor(group / CHUNK);
    while (this.#chunks.length <= chunk) this.#chunks.push(new Float64Array(PLACES * CHUNK));
    addTo(this.#chunks[chunk] as Float64Array, PLACES * (group % CHUNK), row, time);
  }

  /** What groups did together, those from `from` to before `to` of `order`; of groups without amounts nothing. */
  of(order: Uint32Array, from: number, to: number): GroupWork {
    const sum = new Array<number>(PLACES).fill(0);
    for (let i = from; i < to; i++) {
      const group = order[i] as number;
      const chunk = this.#chunks[Math.floor(group / CHUNK)];
      if (chunk === undefined) continue;
      const base = PLACES * (group % CHUNK);
      for (let place = 0; place < PLACES; place++) {
        sum[place] = (sum[place] as number) + (chunk[base + place] as number);
      }
    }
    return new GroupWork(sum);
  }
}
