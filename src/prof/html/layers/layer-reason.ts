/** Kernels of one part of a layer → why they take their time: what bounds them, the matrix unit, the slowest of them. */
import { addTo, largestEntry } from '../../../containers/map-entry.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { MatrixUnitTimer } from '../matrix-unit-time.js';
import type { LayerReason } from '../page-data.js';
import type { PageKernel } from '../page-kernel.js';

export class ReasonSum {
  #time = 0;
  readonly #bounds = new Map<RooflineBound, number>();
  readonly #unit = new MatrixUnitTimer();
  #slowest: LayerReason['slowest'] | null = null;

  /** @param time of the kernel, ns */
  add({ record, tc, bound }: PageKernel, time: number): void {
    this.#time += time;
    this.#unit.add(tc, time);
    if (bound !== null) addTo(this.#bounds, bound, time);
    if (time > (this.#slowest?.time ?? -1))
      this.#slowest = { id: record.id, name: record.short, start: record.start, time };
  }

  /** Null where there were no kernels. */
  get reason(): LayerReason | null {
    if (this.#slowest === null) return null;
    const [bound, time] = largestEntry(this.#bounds) ?? [null, 0];
    const boundShare = bound === null || this.#time === 0 ? null : time / this.#time;
    return { bound, boundShare, tc: this.#unit.share, slowest: this.#slowest };
  }
}
