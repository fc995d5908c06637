/** Durations of all kernels with their groups, 12 bytes per kernel; a median needs all of them. */
import { elementAt } from '../../containers/element.js';

/** Number of kernels per allocation. */
const CHUNK = 65_536;

interface Chunk {
  readonly durations: Float64Array;
  readonly groups: Uint32Array;
}

export class GroupDurations {
  readonly #chunks: Chunk[] = [];
  #last: Chunk | null = null;
  /** Kernels in the last chunk. */
  #used = CHUNK;

  /** @param duration in ns */
  add(group: number, duration: number): void {
    if (this.#last === null || this.#used === CHUNK) {
      this.#last = { durations: new Float64Array(CHUNK), groups: new Uint32Array(CHUNK) };
      this.#chunks.push(this.#last);
      this.#used = 0;
    }
    this.#last.durations[this.#used] = duration;
    this.#last.groups[this.#used++] = group;
  }

  /**
   * All durations, grouped.
   * @param order every group once
   * @returns the durations in that order, and where those of each group in `order` begin, with a last entry for the end
   */
  inOrder(order: Uint32Array): { readonly durations: Float64Array; readonly begins: Uint32Array } {
    const positions = new Uint32Array(order.length);
    order.forEach((group, position) => (positions[group] = position));
    const begins = new Uint32Array(order.length + 1);
    this.#forEach((group) => {
      const next = elementAt(positions, group) + 1;
      begins[next] = elementAt(begins, next) + 1;
    });
    for (let i = 1; i < begins.length; i++) begins[i] = elementAt(begins, i) + elementAt(begins, i - 1);
    const free = begins.slice();
    const durations = new Float64Array(elementAt(begins, order.length));
    this.#forEach((group, duration) => {
      const position = elementAt(positions, group);
      const at = elementAt(free, position);
      durations[at] = duration;
      free[position] = at + 1;
    });
    return { durations, begins };
  }

  #forEach(visit: (group: number, duration: number) => void): void {
    for (const chunk of this.#chunks) {
      const { durations, groups } = chunk;
      const count = chunk === this.#last ? this.#used : CHUNK;
      for (let i = 0; i < count; i++) visit(elementAt(groups, i), elementAt(durations, i));
    }
  }
}
