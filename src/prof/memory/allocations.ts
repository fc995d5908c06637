/**
 * What ops hold at a time, from allocations in order of their start. Memory: 24 bytes an allocation that is held and
 * will be released, and one entry an op.
 */
import { elementAt } from '../../containers/element.js';

/** What one op, or one kind, holds. */
export interface Owner {
  readonly name: string;
  readonly bytes: number;
  /** Null where the profile has sums only. */
  readonly allocations: number | null;
}

export interface Owners {
  /** Of the newest allocation; null when there is none yet. */
  readonly latest: string | null;
  /** Largest first. */
  readonly ops: readonly Owner[];
  readonly categories: readonly Owner[];
  readonly bytes: number;
}

interface Held {
  readonly bytes: number;
  readonly allocations: number;
}

const NONE: Held = { bytes: 0, allocations: 0 };

const plus = (held: Held, bytes: number, allocations: number): Held => ({
  bytes: held.bytes + bytes,
  allocations: held.allocations + allocations,
});

/** Allocations that will be released, the earliest release first: a binary heap in arrays of numbers. */
class Releases {
  readonly #ends: number[] = [];
  readonly #bytes: number[] = [];
  readonly #ops: number[] = [];

  get next(): number {
    return this.#ends[0] ?? Infinity;
  }

  add(end: number, bytes: number, op: number): void {
    this.#ends.push(end);
    this.#bytes.push(bytes);
    this.#ops.push(op);
    for (let at = this.#ends.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.#endAt(parent) <= this.#endAt(at)) break;
      this.#swap(parent, at);
      at = parent;
    }
  }

  take(): { readonly bytes: number; readonly op: number } {
    const last = this.#ends.length - 1;
    this.#swap(0, last);
    const taken = { bytes: elementAt(this.#bytes, last), op: elementAt(this.#ops, last) };
    for (const column of [this.#ends, this.#bytes, this.#ops]) column.pop();
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#endAt(child) < this.#endAt(least)) least = child;
      if (least === at) return taken;
      this.#swap(least, at);
      at = least;
    }
  }

  #endAt(at: number): number {
    return this.#ends[at] ?? Infinity;
  }

  #swap(a: number, b: number): void {
    for (const column of [this.#ends, this.#bytes, this.#ops]) {
      [column[a], column[b]] = [elementAt(column, b), elementAt(column, a)];
    }
  }
}

/** What is held at a time: numbers alone, so that taking note of it is cheap. */
export interface Holding {
  /** Bytes and allocations by op. */
  readonly bytes: readonly number[];
  readonly allocations: readonly number[];
  /** Of what is released while the profile lasts, and of what is not. */
  readonly released: Held;
  readonly kept: Held;
  /** Op of the newest allocation. */
  readonly latest: number | null;
}

export class Allocations {
  readonly #releases = new Releases();
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #bytes: number[] = [];
  readonly #allocations: number[] = [];
  #released = NONE;
  #kept = NONE;
  #latest: number | null = null;
  count = 0;

  /** @param end null for memory that is not released while the profile lasts */
  add(op: string, bytes: number, end: number | null): void {
    const number = this.#numberOf(op);
    this.count++;
    this.#latest = number;
    this.#change(number, bytes, 1);
    if (end === null) this.#kept = plus(this.#kept, bytes, 1);
    else {
      this.#released = plus(this.#released, bytes, 1);
      this.#releases.add(end, bytes, number);
    }
  }

  /** Counts an allocation of unknown lifetime. */
  note(op: string): void {
    this.#latest = this.#numberOf(op);
  }

  /** Forgets what is released by then. */
  releaseUntil(time: number): void {
    while (this.#releases.next <= time) {
      const { bytes, op } = this.#releases.take();
      this.#change(op, -bytes, -1);
      this.#released = plus(this.#released, -bytes, -1);
    }
  }

  get holding(): Holding {
    return {
      bytes: [...this.#bytes],
      allocations: [...this.#allocations],
      released: this.#released,
      kept: this.#kept,
      latest: this.#latest,
    };
  }

  ownersOf({ bytes, allocations, released, kept, latest }: Holding): Owners {
    const ops = bytes
      .map((size, op) => ({ name: elementAt(this.#names, op), bytes: size, allocations: elementAt(allocations, op) }))
      .filter((owner) => owner.allocations > 0)
      .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    const categories = [
      { name: 'released later', ...released },
      { name: 'never released', ...kept },
    ];
    const newest = latest === null ? null : elementAt(this.#names, latest);
    return { latest: newest, ops, categories, bytes: released.bytes + kept.bytes };
  }

  #numberOf(op: string): number {
    let number = this.#numbers.get(op);
    if (number === undefined) {
      number = this.#names.push(op) - 1;
      this.#numbers.set(op, number);
      this.#bytes.push(0);
      this.#allocations.push(0);
    }
    return number;
  }

  #change(op: number, bytes: number, allocations: number): void {
    this.#bytes[op] = elementAt(this.#bytes, op) + bytes;
    this.#allocations[op] = elementAt(this.#allocations, op) + allocations;
  }
}
