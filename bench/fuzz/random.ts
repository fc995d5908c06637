/** Random numbers that are the same for the same seed, on every machine. */

const WORD = 2 ** 32;

/** Mixes a number's bits (the finalizer of MurmurHash3, which is public domain). */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export class Random {
  #state: number;

  /** One stream of numbers for each run of each seed. */
  constructor(seed: number, run: number) {
    this.#state = mix(seed ^ mix(run + 0x9e3779b9));
  }

  word(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    return mix(this.#state);
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return limit <= 0 ? 0 : Math.floor((this.word() / WORD) * limit);
  }

  chance(probability: number): boolean {
    return this.word() < probability * WORD;
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** From 1 to `most`, small ones more often. */
  few(most: number): number {
    return 1 + this.below(this.below(most) + 1);
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i++) bytes[i] = this.word() & 0xff;
    return bytes;
  }

  /** Numbers that readers stumble over: near powers of two, near a value, or any. */
  number(near = 0n): bigint {
    const power = 1n << BigInt(this.below(65));
    const numbers = [
      0n,
      1n,
      power,
      power - 1n,
      power + 1n,
      near + 1n,
      near - 1n,
      near * 2n,
      near + power,
      (1n << 64n) - 1n,
      BigInt(this.word()),
    ];
    return BigInt.asUintN(64, numbers[this.below(numbers.length)] ?? 0n);
  }
}

/** A seed of its own for each name, so that what one reader is given does not depend on which others run. */
export function seedFor(seed: number, name: string): number {
  let own = seed;
  for (const letter of name) own = mix(own ^ (letter.codePointAt(0) ?? 0));
  return own;
}
