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

/** Hexadecimal digits of a pseudonym with a key: among a million texts, two have the same with a probability below 1 in 500. */
const KEYED_DIGITS = 12;

/** Letters in the hashes that torch.compile writes. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The key of a keyed hash; null to number the texts of one output. */
export type PseudonymKey = string | null;

export class Pseudonyms {
  readonly #known = new Map<PseudonymKind, Map<string, string>>();

  constructor(private readonly key: PseudonymKey) {}

  /** Number of distinct texts that were replaced, by kind. */
  get counts(): ReadonlyMap<PseudonymKind, number> {
    return new Map([...this.#known].map(([kind, texts]) => [kind, texts.size]));
  }

  /** `path-3` */
  of(kind: PseudonymKind, text: string): string {
    return `${kind}-${this.#number(kind, text)}`;
  }

  /** `op_3`, for texts that readers parse as identifiers. */
  identifier(kind: PseudonymKind, text: string): string {
    return `${kind}_${this.#number(kind, text)}`;
  }

  /** Sixteen letters for texts that readers parse as hashes; the first eight differ between texts. */
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
      return createHmac('sha256', this.key).update(`${kind}\0${text}`).digest('hex').slice(0, KEYED_DIGITS);
    });
  }
}
