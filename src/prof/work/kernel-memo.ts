/**
 * What was found of a kernel, kept by its calls and its name: the kernels of a loop repeat with both, and equal calls are
 * mostly the same object (see `repeated-fields.ts` and `pair.ts`). Memory: up to `kept` times MOST_ALIKE entries.
 */
import { AdaptiveCache } from '../../containers/lru-cache.js';
import type { OpCall } from '../../record/record.js';

const KEPT = 2048;
/** More entries than this of the same calls and name differ in every launch: nothing is gained by keeping them. */
const MOST_ALIKE = 16;

export class KernelMemo<Entry> {
  #entries: AdaptiveCache<readonly OpCall[], Map<string, Entry[]>>;
  /** At most so many entries are there. */
  #made = 0;

  /** @param kept lists of calls */
  constructor(private readonly kept = KEPT) {
    this.#entries = new AdaptiveCache(kept);
  }

  /** Whether entries are kept just now: not where calls do not repeat. */
  get isOn(): boolean {
    return this.#entries.isOn;
  }

  /**
   * The entry of a kernel, made when there is none.
   * @param isOf whether a known entry, of a kernel with the same calls and name, is that of this one
   */
  of(calls: readonly OpCall[], name: string, isOf: (entry: Entry) => boolean, make: () => Entry): Entry {
    let names = this.#entries.get(calls);
    if (!this.isOn) return make();
    if (names === undefined) this.#entries.set(calls, (names = new Map<string, Entry[]>()));
    let known = names.get(name);
    if (known === undefined) names.set(name, (known = []));
    const same = known.find(isOf);
    if (same !== undefined) return same;
    const made = make();
    if (known.length >= MOST_ALIKE) known.length = 0;
    known.push(made);
    if (++this.#made === this.kept * MOST_ALIKE) this.#forget();
    return made;
  }

  #forget(): void {
    this.#entries = new AdaptiveCache(this.kept);
    this.#made = 0;
  }
}
