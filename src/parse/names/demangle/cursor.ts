/** A mangled name being read, and the parts of it that later parts may refer to. */
import type { Node } from './mangled-node.js';

/** The name is malformed, or says something that is not read here. Never leaves this folder. */
export class GaveUp extends Error {}

const gaveUp = new GaveUp('not demangled');

/** A shared error: making one for every odd name would cost more than reading the name. */
export function giveUp(): never {
  throw gaveUp;
}

/** Deeper nesting is refused; real names nest some 30 deep. */
const MAX_DEPTH = 300;

export class Cursor {
  at = 0;
  /** <substitution> candidates in order. */
  readonly substitutions: Node[] = [];
  /** Last identifier read: the name of a constructor. */
  lastName = '';
  #depth = 0;

  constructor(readonly text: string) {}

  /** The character `ahead` of the present one; '' at the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.at + ahead);
  }

  /** Takes the expected text if it is next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  expect(expected: string): void {
    if (!this.take(expected)) giveUp();
  }

  /** Takes the next `length` characters. */
  slice(length: number): string {
    if (length > this.text.length - this.at) giveUp();
    this.at += length;
    return this.text.slice(this.at - length, this.at);
  }

  isDigit(ahead = 0): boolean {
    const character = this.peek(ahead);
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

  /** Takes characters up to the next `E`, which is taken as well. */
  untilEnd(): string {
    const end = this.text.indexOf('E', this.at);
    if (end < 0) giveUp();
    const taken = this.text.slice(this.at, end);
    this.at = end + 1;
    return taken;
  }

  /** Reads items until `E`, which is taken as well. */
  listUntilEnd<T>(read: () => T): T[] {
    const items: T[] = [];
    while (!this.take('E')) items.push(read());
    return items;
  }

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
