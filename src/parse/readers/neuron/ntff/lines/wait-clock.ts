/**
 * Wait cycles of an instruction → nanoseconds. Like the vendor's tool, it computes in single precision through truncated
 * picoseconds, so that results are identical.
 */
import { PS_PER_NS } from '../rows/rows.js';

const GIGA = 1e9;

export class WaitClock {
  readonly #gigahertz: number;

  /** @param clockHz clock of the wait counter */
  constructor(clockHz: number) {
    this.#gigahertz = Math.fround(clockHz / GIGA);
  }

  nanoseconds(cycles: number): number {
    const picoseconds = Math.trunc(Math.fround(Math.fround(cycles * PS_PER_NS) / this.#gigahertz));
    return Math.floor(picoseconds / PS_PER_NS);
  }
}
