/**
 * Durations of all kernels with the groups they are in, 12 bytes a kernel: a median needs every one of them, and what
 * else is told of times comes from them too.
 */

/** Kernels that are given room for at once. */
const CHUNK = 65_536;

export class GroupDurations {
  readonly #durations: Float64Array[] = [];
  readonly #groups: Uint32Array[] = [];
  #count = 0;

  /** @param duration ns */
  add(group: number, duration: number): void {
    const at = this.#count % CHUNK;
    if (at === 0) {
      this.#durations.push(new Float64Array(CHUNK));
      this.#groups.push(new Uint32Array(CHUNK));
    }
    (this.#durations.at(-1) as Float64Array)[at] = duration;
    (this.#groups.at(-1) as Uint32Array)[at] = group;
    this.#count++;
  }

  /**
   * All durations, those of a group together.
   * @param order every group once
   * @returns the durations in that order, and where those of each group in `order` begin; a last entry is their end
   */
  inOrder(order: Uint32Array): { readonly durations: Float64Array; readonly begins: Uint32Array } {
    const places = new Uint32Array(order.length);
    order.forEach((group, place) => (places[group] = place));
    const begins = new Uint32Array(order.length + 1);
    this.#each((group) => {
      const next = (places[group] as number) + 1;
      begins[next] = (begins[next] as number) + 1;
    });
    for (let i = 1; i < begins.length; i++) begins[i] = (begins[i] as number) + (begins[i - 1] as number);
    const free = begins.slice();
    const durations = new Float64Array(this.#count);
    this.#each((group, duration) => {
      const place = places[group] as number;
      const at = free[place] as number;
      durations[at] = duration;
      free[place] = at + 1;
    });
    return { durations, begins };
  }

  #each(visit: (group: number, duration: number) => void): void {
    for (let i = 0; i < this.#count; i++) {
      const chunk = Math.floor(i / CHUNK);
      visit((this.#groups[chunk] as Uint32Array)[i % CHUNK] as number, (this.#durations[chunk] as Float64Array)[i % CHUNK] as number); // prettier-ignore
    }
  }
}
