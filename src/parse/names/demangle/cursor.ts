/** A mangled name being read, and the parts of it that later parts may refer to (substitutions). */
import type { Node } from './mangled-node.js';

/** The name is malformed, or uses grammar that is not supported. Never leaves this folder. */
export class NotDemangled extends Error {}

export function giveUp(): never {
  throw new NotDemangled('not demangled');
}

/** Deeper nesting is refused; real names nest some 30 deep. */
const MAX_DEPTH = 300;

export class MangledCursor {
  at = 0;
  /** <substitution> candidates in order. */
  readonly substitutions: Node[] = [];
  /** Last identifier read: the name of a constructor. */
  lastName = '';
  #depth = 0;

  constructor(readonly text: string) {}

  /** The character at an offset from the current one; '' at the end. */
  peek(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  /** Consumes the expected text if it is next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  expect(expected: string): void {
    if (!this.take(expected)) giveUp();
  }

  /** Consumes the next `length` characters. */
  slice(length: number): string {
    if (length > this.text.length - this.at) giveUp();
    this.at += length;
    return this.text.slice(this.at - length, this.at);
  }

  /** Whether the character at an offset from the current one is a digit. */
  isDigit(offset = 0): boolean {
    const character = this.peek(offset);
    return character >= '0' && character <= '9';
  }

  /** <number> without a sign. */
  number(): number {
    const start = this.at;
    while (this.isDigit()) this.at++;
    if (this.at === start || this.at - start > 9) giveUp();
    return Number(this.text.slice(start, this.at));
  }

  /** `_` is 0, `0_` is 1, `1_` is 2 … */
  ordinal(): number {
    if (this.take('_')) return 0;
    const number = this.number();
    this.expect('_');
    return number + 1;
  }

  /** Consumes characters up to and including the next `E`. */
  untilEnd(): string {
    const end = this.text.indexOf('E', this.at);
    if (end < 0) giveUp();
    const taken = this.text.slice(this.at, end);
    this.at = end + 1;
    return taken;
  }

  /** Reads items up to `E`, which is consumed as well. */
  listUntilEnd<T>(read: () => T): T[] {
    const items: T[] = [];
    while (!this.take('E')) items.push(read());
    return items;
  }

  /** Makes a node available to later substitutions. */
  remember(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Reads one level deeper. */
  nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) giveUp();
    const result = read();
    this.#depth--;
    return result;
  }
}
