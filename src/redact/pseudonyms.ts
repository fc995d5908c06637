/**
 * Pseudonyms: names that stand for texts. The same text of a kind has the same pseudonym. They are numbered in order of first
 * use, or computed with a key, so that the files of a job agree. Memory: an entry for each distinct text that is replaced.
 */
import { createHmac } from 'node:crypto';
import { entryOf } from '../containers/map-entry.js';

/** Kinds of pseudonyms, as in `path-3`. */
export type PseudonymKind =
  | 'activity' | 'argument' | 'call' | 'category' | 'device' | 'domain' | 'engine' | 'file' | 'fact' | 'function' | 'graph' | 'group'
  | 'host' | 'id' | 'kernel' | 'label' | 'layer' | 'library' | 'metric' | 'module' | 'op' | 'path' | 'process' | 'range' | 'req'
  | 'tensor' | 'text' | 'thread' | 'tool' | 'type'; // prettier-ignore

/** Hexadecimal digits of a pseudonym with a key: two of a million texts are equal with a probability below 1 in 500. */
const KEYED_DIGITS = 12;

/** Kinds that occur in names of ranges and activities, where a number at the end would mean a repetition. */
const WITH_LETTERS: ReadonlySet<PseudonymKind> = new Set(['range', 'op', 'library', 'call', 'activity']);

/** Decimal digits of the number at the end of a pseudonym with a key. */
const KEYED_NUMBER = 9;

/** Letters of hashes of torch.compile, and of the names of ranges. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The key of a keyed hash; null to number the texts of one output. */
export type PseudonymKey = string | null;

export class Pseudonyms {
  readonly #known = new Map<PseudonymKind, Map<string, string>>();
  /** Numbers at the ends of texts, by kind and the text before the number, then by the whole text. */
  readonly #endNumbers = new Map<string, Map<string, string>>();

  constructor(private readonly key: PseudonymKey) {}

  /** Number of distinct texts that were replaced, by kind. */
  get counts(): ReadonlyMap<PseudonymKind, number> {
    return new Map([...this.#known].map(([kind, texts]) => [kind, texts.size]));
  }

  /** `path-3`, but letters for the names of ranges: `range-c` */
  of(kind: PseudonymKind, text: string): string {
    return this.#joined(kind, text, '-');
  }

  /**
   * `c` for a text, and `c`, `2` for the second of the texts that differ only in a number at the end: answers put these
   * together.
   */
  #letterParts(kind: PseudonymKind, text: string): string[] {
    const stem = text.replace(/(?<!\d)\d{1,18}$/, '');
    const letters = this.#inLetters(this.#number(kind, stem));
    if (stem === text) return [letters];
    const numbers = entryOf(this.#endNumbers, `${kind} ${stem}`, () => new Map<string, string>());
    return [letters, entryOf(numbers, text, () => this.#endNumber(text, numbers.size + 1))];
  }

  #endNumber(text: string, next: number): string {
    if (this.key === null) return String(next);
    return String(Number.parseInt(this.#hash('number', text), 16) % 10 ** KEYED_NUMBER);
  }

  /** A number from 1 in letters: a to z, ba and so on. A keyed one has letters for its digits. */
  #inLetters(number: string): string {
    if (this.key !== null) return number.replace(/\d/g, (digit) => LETTERS.charAt(Number(digit) + 6));
    let [rest, letters] = [Number(number) - 1, ''];
    do {
      letters = LETTERS.charAt(rest % 26) + letters;
      rest = Math.floor(rest / 26);
    } while (rest > 0);
    return letters;
  }

  /** `op_3`, where only an identifier has the same meaning. */
  identifier(kind: PseudonymKind, text: string): string {
    return this.#joined(kind, text, '_');
  }

  #joined(kind: PseudonymKind, text: string, separator: string): string {
    const parts = WITH_LETTERS.has(kind) ? this.#letterParts(kind, text) : [this.#number(kind, text)];
    return [kind, ...parts].join(separator);
  }

  /** Sixteen letters, for places where a hash is expected; the first eight differ between texts. */
  letters(kind: PseudonymKind, text: string): string {
    const number = this.#number(kind, text);
    let [rest, letters] = [this.key === null ? Number(number) : Number.parseInt(number.slice(0, 9), 16), ''];
    for (let i = 0; i < 8; i++) {
      letters = LETTERS.charAt(rest % 26) + letters;
      rest = Math.floor(rest / 26);
    }
    return letters.padEnd(16, 'a');
  }

  #number(kind: PseudonymKind, text: string): string {
    const texts = entryOf(this.#known, kind, () => new Map<string, string>());
    return entryOf(texts, text, () => {
      if (this.key === null) return String(texts.size + 1);
      return this.#hash(kind, text);
    });
  }

  #hash(kind: string, text: string): string {
    return createHmac('sha256', this.key ?? '')
      .update(`${kind}\0${text}`)
      .digest('hex')
      .slice(0, KEYED_DIGITS);
  }
}
