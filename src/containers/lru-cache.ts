/**
 * A bounded cache: keeps at least the `size` most recently used entries and at most twice as many. Two generations
 * of a Map: when the young one is full it becomes the old one, and what is used again moves back.
 */
export class LruCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(private readonly size: number) {}

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** The cached value, made and kept when there is none. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}

/**
 * Keys after which remembering is given up unless one in TOO_FEW was met again, as a multiple of the size: a step of
 * more keys than are kept is never met again, so that a longer trial would tell no more.
 */
const TRIAL = 4;
const TOO_FEW = 16;

/**
 * A bounded cache for what mostly repeats: a training step repeats its texts in the next step. Where they turn out
 * not to, nothing more is remembered: keeping values that never come back costs more than making them.
 */
export class AdaptiveCache<K, V> {
  #recent: LruCache<K, V> | null;
  readonly #trial: number;
  #asked = 0;
  #found = 0;

  constructor(size: number) {
    this.#recent = new LruCache(size);
    this.#trial = TRIAL * size;
  }

  /** Whether values are remembered (still). */
  get isOn(): boolean {
    return this.#recent !== null;
  }

  get(key: K): V | undefined {
    if (this.#recent === null) return undefined;
    if (++this.#asked === this.#trial && this.#found * TOO_FEW < this.#trial) this.#recent = null;
    const known = this.#recent?.get(key);
    if (known !== undefined) this.#found++;
    return known;
  }

  set(key: K, value: V): void {
    this.#recent?.set(key, value);
  }

  /** The remembered value, made when there is none, and kept while that pays. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}
