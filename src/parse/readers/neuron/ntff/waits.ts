/**
 * Cycles that an instruction waited → nanoseconds. The vendor's tool reckons in single precision, by way of
 * picoseconds cut to whole ones; this is the same to the last digit.
 */
const PS_PER_NS = 1000;
const GIGA = 1e9;

export class Waits {
  readonly #gigahertz: number;

  /** @param clockHz clock that the device counts waits in */
  constructor(clockHz: number) {
    this.#gigahertz = Math.fround(clockHz / GIGA);
  }

  nanoseconds(cycles: number): number {
    const picoseconds = Math.trunc(Math.fround(Math.fround(cycles * PS_PER_NS) / this.#gigahertz));
    return Math.floor(picoseconds / PS_PER_NS);
  }
}
