/** Map helpers: entries made on first access, and caches of limited size. */

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

  /** Returns the cached value, or makes and stores it. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}

/** The value of a key, made when it is missing. */
export function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make(key)));
  return value;
}

/** Groups values by key; each list is in the order of the values. */
export function groupsOf<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) entryOf(groups, keyOf(value), (): Value[] => []).push(value);
  return groups;
}

/** The value of a key, made when it is missing; null when it is missing and the map already has `most` entries. */
export function boundedEntryOf<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  most: number,
  make: (key: Key) => Value,
): Value | null {
  return map.size >= most ? (map.get(key) ?? null) : entryOf(map, key, make);
}

/** Adds to the number of a key; a missing number counts as 0. */
export function addTo<Key>(map: Map<Key, number>, key: Key, amount: number): void {
  map.set(key, (map.get(key) ?? 0) + amount);
}

/** The entry with the largest number, the first of equal ones; null for an empty map. */
export function largestEntry<Key>(map: ReadonlyMap<Key, number>): readonly [Key, number] | null {
  let largest: readonly [Key, number] | null = null;
  for (const entry of map) if (largest === null || entry[1] > largest[1]) largest = entry;
  return largest;
}
