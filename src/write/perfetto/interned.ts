/**
 * Interned texts: a trace holds each once, and packets refer to them by number. When there are too many, a packet clears
 * the state of the reader and all are dropped; as the format demands, no number is used twice.
 */
import type { INTERNED } from './fields.js';

export type InternedKind = keyof typeof INTERNED;

export interface InternedEntry {
  readonly kind: InternedKind;
  readonly iid: number;
  readonly text: string;
}

/** Texts, and characters of all of them, that are kept before all are dropped. */
const MOST_TEXTS = 32_768;
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class InternedTexts {
  readonly #numbers: Readonly<Record<InternedKind, Map<string, number>>> = {
    category: new Map(),
    eventName: new Map(),
    annotationName: new Map(),
    stringValue: new Map(),
  };
  #last = 0;
  #texts = 0;
  #characters = 0;
  #fresh: InternedEntry[] = [];

  constructor(
    private readonly mostTexts = MOST_TEXTS,
    private readonly mostCharacters = MOST_CHARACTERS,
  ) {}

  /** The text's number; a new one is among the `fresh` entries of this packet. */
  of(kind: InternedKind, text: string): number {
    const known = this.#numbers[kind].get(text);
    if (known !== undefined) return known;
    const iid = ++this.#last;
    this.#numbers[kind].set(text, iid);
    this.#texts++;
    this.#characters += text.length;
    this.#fresh.push({ kind, iid, text });
    return iid;
  }

  /**
   * Drops all texts when there are too many. To be called between packets only.
   * @returns whether it did: the next packet must clear the reader's state then
   */
  renew(): boolean {
    if (this.#texts < this.mostTexts && this.#characters < this.mostCharacters) return false;
    for (const numbers of Object.values(this.#numbers)) numbers.clear();
    this.#texts = 0;
    this.#characters = 0;
    return true;
  }

  /** Entries that are new since the last call: the packet has to hold them. */
  fresh(): readonly InternedEntry[] {
    return this.#fresh.length === 0 ? NO_ENTRIES : this.#fresh.splice(0);
  }
}

const NO_ENTRIES: readonly InternedEntry[] = [];
