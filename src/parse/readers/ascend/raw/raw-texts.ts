/** Texts of raw data among those of traces, which are the bytes between quotes of JSON. */
import { ByteTexts } from '../../../json/byte-texts.js';

export class RawTexts {
  readonly bytes = new ByteTexts();
  readonly #numbers = new Map<string, number>();

  /** The number of a text; few are new. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.bytes.numberOfText(text);
      this.#numbers.set(text, number);
    }
    return number;
  }
}
