/**
 * Texts of host events: names by number in order of their first appearance, so that what is read from them stands in
 * short lists; shapes and types of arguments by string id plus one, 0 where there are none.
 */
import type { Arg } from '../../../../record/record.js';
import type { HostTexts } from '../../../torch/host-events.js';
import { isDtypeList, readFrameworkArguments, readFrameworkExtents } from '../framework-arguments.js';
import type { CallChains } from './call-chains.js';
import type { Strings } from './strings.js';

/** Domain of a range that needs none to be told. */
const DEFAULT_DOMAIN = 'default';

export class HostNames implements HostTexts {
  /** By number: the string, and where it has one the string of its domain; or a text of our own. */
  readonly #names: (number | string | readonly [domain: number, message: number])[] = [];
  readonly #numbers = new Map<number | string, number>();
  /** By string, whether it lists types; of strings in the columns of arguments. */
  readonly #dtypeLists = new Map<number, boolean>();

  constructor(
    private readonly strings: Strings,
    private readonly chains: CallChains,
  ) {}

  /** Number of the name with a string id, or of a text that is none of the database's. */
  numberOf(name: number | string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }

  /** Number of a message in a domain. */
  numberIn(domain: number, message: number): number {
    const name = this.strings.text(domain) ?? DEFAULT_DOMAIN;
    if (name === DEFAULT_DOMAIN || name === '') return this.numberOf(message);
    const key = `${domain}:${message}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#names.push([domain, message]) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  text(number: number): string {
    const name = this.#names[number];
    if (typeof name === 'string') return name;
    if (typeof name === 'number') return this.strings.text(name) ?? '';
    if (name === undefined) return '';
    return `${this.strings.text(name[0]) ?? ''}:${this.strings.text(name[1]) ?? ''}`;
  }

  /** Whether strings of the columns for shapes and types stand in each other's column. */
  areSwapped(shapes: number, types: number): boolean {
    return this.#isDtypeList(shapes) && !this.#isDtypeList(types);
  }

  #isDtypeList(string: number): boolean {
    if (Number.isNaN(string)) return false;
    let known = this.#dtypeLists.get(string);
    if (known === undefined) this.#dtypeLists.set(string, (known = isDtypeList(this.strings.text(string) ?? '')));
    return known;
  }

  readArguments(dims: number, types: number): Arg[] | null {
    if (dims === 0 && types === 0) return null;
    return readFrameworkArguments(this.strings.text(dims - 1) ?? '', this.strings.text(types - 1) ?? '');
  }

  readExtents(dims: number): number[][] | null {
    return readFrameworkExtents(this.strings.text(dims - 1) ?? '');
  }

  readFrames(callStack: number): readonly string[] {
    return this.chains.frames(callStack - 1);
  }
}
