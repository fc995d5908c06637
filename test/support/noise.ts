/** Pseudo-random noise that is the same everywhere: mulberry32 and the transform of Box and Muller. */
export class Noise {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds give streams that have nothing in common.
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** From 0 up to 1. */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** With a mean of 0 and a standard deviation of 1. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** A factor about 1 whose logarithm has this standard deviation. */
  logNormal(deviation: number): number {
    return Math.exp(deviation * this.normal());
  }
}
