/** How many kernels there are of a kind, how long they took, and how much of that on the matrix unit. */
import { addTimes } from '../../../record/fields/times.js';
import type { Annotated } from '../../annotate.js';
import { matrixUnitShare } from '../../by/group-work.js';

/** A sum over kernels, as `dprof --by` has it of a group; times ns. */
export class KernelTally {
  count = 0;
  time = 0;
  /** Longest and shortest. */
  max = 0;
  min = Infinity;
  /** Time of the kernels that used the matrix unit, and of those of which it is known whether they did. */
  #used = 0;
  #known = 0;

  /** @param time of the kernel */
  tally(tc: Annotated['tc'], time: number): void {
    this.count++;
    this.time = addTimes(this.time, time);
    this.max = Math.max(this.max, time);
    this.min = Math.min(this.min, time);
    if (tc === null || tc === '?') return;
    this.#known = addTimes(this.#known, time);
    if (tc === 1) this.#used = addTimes(this.#used, time);
  }

  /** Share of the time in kernels that are known to use the unit, as `tcshare` has it. */
  get matrixUnitShare(): number | null {
    return matrixUnitShare(this.#used, this.#known, this.time);
  }
}
