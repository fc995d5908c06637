/** Durations of a step's kernels added up: of all that were launched in it, and of those that its own threads launched. */
import { PS_PER_NS } from '../../containers/interval-union.js';

export class KernelTimes {
  /** In picoseconds. */
  #all = 0;
  #own: number | null = 0;

  /**
   * @param time in picoseconds
   * @param isOwn whether a thread of the step itself launched the kernel; null where unknown
   */
  add(time: number, isOwn: boolean | null): void {
    this.#all += time;
    if (isOwn === null) this.#own = null;
    else if (isOwn && this.#own !== null) this.#own += time;
  }

  /** ns */
  get all(): number {
    return this.#all / PS_PER_NS;
  }

  /** ns; null where the launching thread of one is unknown. */
  get own(): number | null {
    return this.#own === null ? null : this.#own / PS_PER_NS;
  }
}
