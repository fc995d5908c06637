/**
 * Known keys of an object, told apart by their bytes: lower and upper case are the same, because the spelling of
 * traces changed over the years (`external id`, `External id`).
 */
import { BACKSLASH, decodeText } from './json-bytes.js';

const SLOTS = 1024;

const slotOf = (length: number, first: number, middle: number, last: number): number =>
  (length * 37 + (first | 0x20) * 13 + (middle | 0x20) * 5 + (last | 0x20)) & (SLOTS - 1);

export class KeyTable {
  readonly #slots = new Int16Array(SLOTS).fill(-1);
  readonly #keys: Uint8Array[] = [];

  /** @param keys the place in the list is the key's code */
  constructor(keys: readonly string[]) {
    keys.forEach((key, code) => {
      const bytes = Buffer.from(key.toLowerCase());
      let slot = slotOf(bytes.length, bytes[0] ?? 0, bytes[bytes.length >> 1] ?? 0, bytes[bytes.length - 1] ?? 0);
      while (this.#slots[slot] !== -1) slot = (slot + 1) & (SLOTS - 1);
      this.#slots[slot] = code;
      this.#keys.push(bytes);
    });
  }

  /** The code of the key in `bytes[from, to)`, or -1. */
  code(bytes: Buffer, from: number, to: number): number {
    const code = this.#plainCode(bytes, from, to);
    if (code !== -1) return code;
    // No writer of traces escapes letters of a key, but JSON allows it.
    for (let at = from; at < to; at++) {
      if (bytes[at] !== BACKSLASH) continue;
      const key = Buffer.from(decodeText(bytes, from, to));
      return this.#plainCode(key, 0, key.length);
    }
    return -1;
  }

  #plainCode(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length === 0) return -1;
    let slot = slotOf(length, bytes[from] as number, bytes[from + (length >> 1)] as number, bytes[to - 1] as number);
    for (;;) {
      const code = this.#slots[slot] as number;
      if (code === -1 || sameKey(this.#keys[code] as Uint8Array, bytes, from, length)) return code;
      slot = (slot + 1) & (SLOTS - 1);
    }
  }
}

function sameKey(key: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++)
    if (((bytes[from + i] as number) | 0x20) !== ((key[i] as number) | 0x20)) return false;
  return true;
}
