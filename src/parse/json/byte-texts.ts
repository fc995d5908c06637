/**
 * Interned texts of a trace: names, shapes and types repeat millions of times, and each is stored once, as bytes.
 * A text is looked up by its bytes in the window: a Map of strings costs 1.07 times the CPU of `dparse -q` on a trace of
 * 167 MB.
 */
import { decodeText, decodeValue, QUOTE, SPACE } from './json-bytes.js';

export class ByteTexts {
  #arena: Buffer<ArrayBuffer> = Buffer.allocUnsafe(64 * 1024);
  /** Where each text starts in the arena; one entry more holds the end of the last. */
  #starts = new Uint32Array(1024);
  #count = 0;
  #slots = new Int32Array(4096).fill(-1);

  /** Texts in quotes that hold control characters, which JSON does not allow. */
  withControls = 0;

  get count(): number {
    return this.#count;
  }

  /** The number of the text in `bytes[from, to)`; equal bytes have equal numbers, in order of first appearance. */
  numberOf(bytes: Buffer, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(bytes, from, to) & mask;
    for (;;) {
      const number = this.#slots[slot] as number;
      if (number === -1) return this.#add(slot, bytes, from, to);
      if (this.#equals(number, bytes, from, to)) return number;
      slot = (slot + 1) & mask;
    }
  }

  /** The text, escapes undone. */
  text(number: number): string {
    return decodeText(this.#arena, this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0);
  }

  /** The bytes read as JSON; undefined when they are none. */
  value(number: number): unknown {
    return decodeValue(this.#arena, this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0);
  }

  #equals(number: number, bytes: Buffer, from: number, to: number): boolean {
    let at = this.#starts[number] as number;
    if ((this.#starts[number + 1] as number) - at !== to - from) return false;
    const arena = this.#arena;
    for (let i = from; i < to; i++, at++) if (arena[at] !== bytes[i]) return false;
    return true;
  }

  #add(slot: number, bytes: Buffer, from: number, to: number): number {
    const start = this.#starts[this.#count] as number;
    const end = start + (to - from);
    if (end > this.#arena.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#arena.length * 2));
      this.#arena.copy(larger, 0, 0, start);
      this.#arena = larger;
    }
    bytes.copy(this.#arena, start, from, to);
    if (bytes[from - 1] === QUOTE && bytes.subarray(from, to).some((byte) => byte < SPACE)) this.withControls++;
    const number = this.#count++;
    if (this.#count === this.#starts.length) {
      const larger = new Uint32Array(this.#starts.length * 2);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    this.#starts[this.#count] = end;
    this.#slots[slot] = number;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = hash(this.#arena, this.#starts[number] as number, this.#starts[number + 1] as number) & mask;
      while (slots[slot] !== -1) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

/** Samples of a long text are enough: what hashes alike is compared byte by byte. */
const SAMPLES = 24;

function hash(bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  const step = length > SAMPLES * 2 ? Math.floor(length / SAMPLES) : 1;
  let value = length;
  for (let at = from; at < to; at += step) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  for (let at = Math.max(from, to - 8); at < to; at++) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  return (value ^ (value >>> 15)) & 0x7fffffff;
}
