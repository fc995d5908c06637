/** Distinct texts by number. */
import { elementAt } from '../../../containers/element.js';

/** Numbers each distinct text in order of appearance; number 0, the empty text, stands for unknown. */
export class TextTable {
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #texts: string[] = [''];
  /** Characters of all texts. */
  size = 0;

  /** @param text anything but a string is unknown: lines may have been edited */
  numberOf(text: string | null | undefined): number {
    if (typeof text !== 'string') return 0;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
      this.size += text.length;
    }
    return number;
  }

  /** @param number from `numberOf` */
  at(number: number): string {
    return elementAt(this.#texts, number);
  }

  get all(): readonly string[] {
    return this.#texts;
  }
}
