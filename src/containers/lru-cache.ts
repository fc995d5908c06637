/**
 * LRU cache: keeps at least the `size` most recently used entries and at most twice as many, in two generations. A full
 * young generation becomes the old one; entries of the old one move back when they are used.
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
 * Lookups, as a multiple of the size, after which what is kept is given up unless one in LEAST_HITS was a hit. A step
 * with more keys than are kept never hits, so that a longer trial would come to the same.
 */
const TRIAL = 4;
const LEAST_HITS = 16;
/**
 * Whether it pays to keep values: where keys do not repeat, keeping what is never used again costs more than making it. In
 * most profiles a training step repeats the keys of the step before, once it has begun.
 */
export class CacheTrial {
  readonly #trial: number;
  #isOn = true;
  #lookups = 0;
  #hits = 0;

  /** @param size values that are kept */
  constructor(size: number) {
    this.#trial = TRIAL * size;
  }

  /** Whether values are kept (still). */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Notes a lookup. @returns whether nothing is kept from now on */
  note(isHit: boolean): boolean {
    if (!this.#isOn) return false;
    if (isHit) this.#hits++;
    if (++this.#lookups !== this.#trial || this.#hits * LEAST_HITS >= this.#trial) return false;
    this.#isOn = false;
    return true;
  }
}

/** An LRU cache that keeps values while that pays. */
export class AdaptiveCache<K, V> {
  #recent: LruCache<K, V> | null;
  readonly #trial: CacheTrial;

  constructor(size: number) {
    this.#recent = new LruCache(size);
    this.#trial = new CacheTrial(size);
  }

  /** Whether values are kept (still). */
  get isOn(): boolean {
    return this.#trial.isOn;
  }

  get(key: K): V | undefined {
    const known = this.#recent?.get(key);
    if (this.#trial.note(known !== undefined)) this.#recent = null;
    return known;
  }

  set(key: K, value: V): void {
    this.#recent?.set(key, value);
  }

  /** The cached value, made when there is none, and kept while that pays. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}
