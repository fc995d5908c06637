/** How much of the time of some kernels was spent on the matrix unit. */
import type { Annotated } from '../annotate.js';
import { matrixUnitShare } from '../by/group-work.js';
import { addTimes } from '../../record/fields/times.js';

export class MatrixUnitTimer {
  #time = 0;
  #used = 0;
  #known = 0;

  /** @param time of the kernel, ns */
  add(tc: Annotated['tc'], time: number): void {
    this.#time = addTimes(this.#time, time);
    if (tc === null || tc === '?') return;
    this.#known = addTimes(this.#known, time);
    if (tc === 1) this.#used = addTimes(this.#used, time);
  }

  /** Share of the time in kernels that are known to use the unit, as `tcshare` has it. */
  get share(): number | null {
    return matrixUnitShare(this.#used, this.#known, this.#time);
  }
}
