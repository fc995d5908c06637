/**
 * Texts that a trace has once, packets refer to them by number. When there are too many the reader is told to forget
 * them all; a number is never given twice, as the format demands.
 */
import type { INTERNED } from './fields.js';

export type InternedKind = keyof typeof INTERNED;

export interface InternedEntry {
  readonly kind: InternedKind;
  readonly iid: number;
  readonly text: string;
}

/** What is kept of texts before they are forgotten: how many, and characters of all of them. */
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

  /** Forgets all texts when they are too many. @returns whether it did; to be asked between packets only */
  renew(): boolean {
    if (this.#texts < this.mostTexts && this.#characters < this.mostCharacters) return false;
    for (const numbers of Object.values(this.#numbers)) numbers.clear();
    this.#texts = 0;
    this.#characters = 0;
    return true;
  }

  /** What the packet has to tell, once. */
  fresh(): readonly InternedEntry[] {
    return this.#fresh.length === 0 ? NO_ENTRIES : this.#fresh.splice(0);
  }
}

const NO_ENTRIES: readonly InternedEntry[] = [];
