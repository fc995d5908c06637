/** How much of the time of some kernels was spent on the matrix unit. */
import type { Annotated } from '../annotate.js';

export class MatrixUnitTime {
  #told = 0;
  #used = 0;

  /** @param time of the kernel, ns */
  add(tc: Annotated['tc'], time: number): void {
    if (tc === null || tc === '?') return;
    this.#told += time;
    if (tc === 1) this.#used += time;
  }

  /** Part of the time of the kernels that tell; null where none does. */
  get share(): number | null {
    return this.#told === 0 ? null : this.#used / this.#told;
  }
}
