/**
 * What was found of a kernel, kept by its calls and its name: the kernels of a loop repeat with both, and equal calls are
 * mostly the same object, in records (see `repeated-fields.ts`) as in a profile that is read. Memory: up to `kept` times
 * MOST_ALIKE entries.
 */
import { isSameList } from '../../containers/element.js';
import { LruCache, entryOf } from '../../containers/map-entry.js';
import type { OpCall } from '../../record/record.js';

const KEPT = 2048;
/** More entries than this of the same innermost call and name differ in every launch: nothing is gained by keeping them. */
const MOST_ALIKE = 16;

interface Known<Entry> {
  readonly calls: readonly OpCall[];
  readonly entry: Entry;
}

export class KernelMemo<Entry> {
  /** By the innermost call, and by name. */
  #entries: LruCache<OpCall | null, Map<string, Known<Entry>[]>>;
  /** At most so many entries are there. */
  #made = 0;

  /** @param kept calls */
  constructor(private readonly kept = KEPT) {
    this.#entries = new LruCache(kept);
  }

  /**
   * The entry of a kernel, made when there is none.
   * @param isOf whether a known entry, of a kernel with the same calls and name, is that of this one
   */
  of(calls: readonly OpCall[], name: string, isOf: (entry: Entry) => boolean, make: () => Entry): Entry {
    const known = this.#alike(calls, name);
    const same = known.find((one) => isSameList(one.calls, calls) && isOf(one.entry));
    if (same !== undefined) return same.entry;
    const entry = make();
    this.#keep(known, { calls, entry });
    return entry;
  }

  /** Those of the same innermost call and name. */
  #alike(calls: readonly OpCall[], name: string): Known<Entry>[] {
    const names = this.#entries.of(calls.at(-1) ?? null, () => new Map<string, Known<Entry>[]>());
    return entryOf(names, name, () => []);
  }

  #keep(known: Known<Entry>[], one: Known<Entry>): void {
    if (known.length >= MOST_ALIKE) known.length = 0;
    known.push(one);
    if (++this.#made === this.kept * MOST_ALIKE) this.#forget();
  }

  #forget(): void {
    this.#entries = new LruCache(this.kept);
    this.#made = 0;
  }
}
