/** Texts by number: what repeats is kept once. */

export class TextTable {
  /** Number 0 stands for what is not known. */
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #texts: string[] = [''];
  /** Characters of all texts. */
  size = 0;

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

  at(number: number): string {
    return this.#texts[number] ?? '';
  }

  get all(): readonly string[] {
    return this.#texts;
  }
}
