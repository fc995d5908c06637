/** How much of the time of some kernels was spent on the matrix unit. */
import type { Annotated } from '../annotate.js';

export class MatrixUnitTimer {
  #known = 0;
  #used = 0;

  /** @param time of the kernel, ns */
  add(tc: Annotated['tc'], time: number): void {
    if (tc === null || tc === '?') return;
    this.#known += time;
    if (tc === 1) this.#used += time;
  }

  /** Share of the time of the kernels whose use of the unit is known; null where none is. */
  get share(): number | null {
    return this.#known === 0 ? null : this.#used / this.#known;
  }
}
