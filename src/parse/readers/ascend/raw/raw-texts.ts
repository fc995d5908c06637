/** Texts of raw data among those of traces, which are the bytes between quotes of JSON. */
import { ByteTexts } from '../../../json/byte-texts.js';

export class RawTexts {
  readonly bytes = new ByteTexts();
  readonly #numbers = new Map<string, number>();

  /** The number of a text. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      const quoted = Buffer.from(JSON.stringify(text));
      number = this.bytes.numberOf(quoted, 1, quoted.length - 1);
      this.#numbers.set(text, number);
    }
    return number;
  }
}
