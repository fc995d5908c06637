/** Interned texts of a trace: names, shapes and types repeat millions of times, and each is stored once, as its bytes. */
import { decodeText, decodeValue, QUOTE, SPACE } from './json-bytes.js';

export class ByteTexts {
  /** Each text with a character per byte, and its number. */
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  /** Texts in quotes that hold control characters, which JSON does not allow. */
  withControls = 0;

  get count(): number {
    return this.#texts.length;
  }

  /** The number of the text in `bytes[from, to)`; equal bytes have equal numbers, in order of first appearance. */
  numberOf(bytes: Buffer, from: number, to: number): number {
    const text = bytes.toString('latin1', from, to);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (bytes[from - 1] === QUOTE && bytes.subarray(from, to).some((byte) => byte < SPACE)) this.withControls++;
    this.#numbers.set(text, this.count);
    return this.#texts.push(text) - 1;
  }

  /** The number of a text that stands in no bytes: as it would be written between quotes. */
  numberOfText(text: string): number {
    const bytes = Buffer.from(JSON.stringify(text));
    return this.numberOf(bytes, 1, bytes.length - 1);
  }

  /** The text, escapes undone. */
  text(number: number): string {
    const bytes = this.#bytes(number);
    return decodeText(bytes, 0, bytes.length);
  }

  /** The bytes read as JSON; undefined when they are not JSON. */
  value(number: number): unknown {
    const bytes = this.#bytes(number);
    return decodeValue(bytes, 0, bytes.length);
  }

  #bytes(number: number): Buffer {
    return Buffer.from(this.#texts[number] ?? '', 'latin1');
  }
}
