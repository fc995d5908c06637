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
 * Lookups, as a multiple of the size, after which the cache is switched off unless one in LEAST_HITS was a hit. A step
 * with more keys than are kept never hits, so that a longer trial would come to the same.
 */
const TRIAL = 4;
const LEAST_HITS = 16;
/** Trials for which a cache that was switched off rests before it is tried again: what follows may repeat. */
const REST = 8;

/**
 * An LRU cache that switches itself off for a while where keys do not repeat: keeping values that are never used again
 * costs more than making them. In most profiles a training step repeats the texts of the step before, once it has begun.
 */
export class AdaptiveCache<K, V> {
  #recent: LruCache<K, V> | null;
  readonly #trial: number;
  /** Since the cache was switched on or off. */
  #lookups = 0;
  #hits = 0;

  constructor(private readonly size: number) {
    this.#recent = new LruCache(size);
    this.#trial = TRIAL * size;
  }

  /** Whether values are kept just now. */
  get isOn(): boolean {
    return this.#recent !== null;
  }

  get(key: K): V | undefined {
    this.#lookups++;
    if (this.#recent === null) {
      if (this.#lookups === REST * this.#trial) this.#switch(new LruCache(this.size));
      return undefined;
    }
    const known = this.#recent.get(key);
    if (known !== undefined) this.#hits++;
    if (this.#lookups === this.#trial && this.#hits * LEAST_HITS < this.#trial) this.#switch(null);
    return known;
  }

  #switch(recent: LruCache<K, V> | null): void {
    this.#recent = recent;
    this.#lookups = 0;
    this.#hits = 0;
  }

  set(key: K, value: V): void {
    this.#recent?.set(key, value);
  }

  /** The cached value, made when there is none, and kept while the cache is on. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}
