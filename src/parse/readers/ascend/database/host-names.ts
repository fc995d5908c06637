/**
 * Texts of host events: names numbered in order of first appearance, so that tables by name stay small; shapes and types
 * of arguments by string id plus one, 0 when there are none.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { Arg } from '../../../../record/record.js';
import type { HostTexts } from '../../../torch/host-events.js';
import { isDtypeList, readFrameworkArguments, readFrameworkExtents } from '../framework-arguments.js';
import type { CallChains } from './call-chains.js';
import type { StringTable } from './string-table.js';

/** Domain that is not shown in names. */
const DEFAULT_DOMAIN = 'default';

export class HostNames implements HostTexts {
  /** By number: a string id, a text of our own, or the string ids of a domain and a message. */
  readonly #names: (number | string | readonly [domain: number, message: number])[] = [];
  readonly #numbers = new Map<number | string, number>();
  /** Whether a string of the columns of arguments lists types. */
  readonly #dtypeLists = new Map<number, boolean>();

  constructor(
    private readonly strings: StringTable,
    private readonly chains: CallChains,
  ) {}

  numberOf(name: number | string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }

  numberIn(domain: number, message: number): number {
    const name = this.strings.text(domain) ?? DEFAULT_DOMAIN;
    if (name === DEFAULT_DOMAIN || name === '') return this.numberOf(message);
    const key = `${domain}:${message}`;
    return entryOf(this.#numbers, key, () => this.#names.push([domain, message]) - 1);
  }

  /** The text of a name; '' when the database lacks its string. */
  text(number: number): string {
    const name = this.#names[number];
    if (name === undefined) return '';
    if (typeof name === 'string') return name;
    if (typeof name === 'number') return this.#string(name);
    return `${this.#string(name[0])}:${this.#string(name[1])}`;
  }

  /** The domain with which the text of a name begins, before a colon; null without one. */
  domainOf(number: number): string | null {
    const name = this.#names[number];
    return typeof name === 'object' ? this.#string(name[0]) : null;
  }

  #string(id: number): string {
    return this.strings.text(id) ?? '';
  }

  areSwapped(shapes: number, types: number): boolean {
    return this.#isDtypeList(shapes) && !this.#isDtypeList(types);
  }

  #isDtypeList(string: number): boolean {
    if (Number.isNaN(string)) return false;
    return entryOf(this.#dtypeLists, string, () => isDtypeList(this.#string(string)));
  }

  readArguments(dims: number, types: number): Arg[] | null {
    if (dims === 0 && types === 0) return null;
    return readFrameworkArguments(this.#string(dims - 1), this.#string(types - 1));
  }

  readExtents(dims: number): number[][] | null {
    return readFrameworkExtents(this.#string(dims - 1));
  }

  readFrames(callStack: number): readonly string[] {
    return this.chains.frames(callStack - 1);
  }

  stackTexts(callStack: number): readonly string[] {
    return this.chains.texts(callStack - 1);
  }
}
