/**
 * Groups as a tree: the entries of a list are levels, outermost first, and every key after it is one level more. Where
 * no tree is asked for, a key is a level whatever it holds, and all groups stand beneath the root.
 *
 * A place is a number, and what is known of places stands in lists of integers: of a deep tree there are many more than
 * groups. The root is 0.
 */
import { type CellValue } from '../../table/column.js';
import { mixed } from '../../containers/hash.js';
import { HashIndex } from '../../containers/hash-index.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { KeyValues } from './key-values.js';

export const ROOT = 0;
/** No place, or no group at a place. */
export const NONE = -1;

/** Stands for a key by which a place is not divided yet. */
export const ALL = '*';

/** Steps are numbers, two for each key: to its value as a whole, and to an entry of its list. */
const stepOf = (key: number, entry: boolean): number => 2 * key + Number(entry);
const keyOf = (step: number): number => step >> 1;
const isEntry = (step: number): boolean => step % 2 === 1;

/** What is told of a place. */
export interface GroupPath {
  /** One for each key of --by. */
  readonly keys: readonly CellValue[];
  /** The key that the place is about. */
  readonly key: number;
  /** Steps from the root. */
  readonly level: number;
}

export class GroupTree {
  readonly #values_ = new KeyValues();
  readonly #parents = NumericColumn.int32();
  readonly #steps = NumericColumn.int32();
  readonly #values = NumericColumn.int32();
  readonly #groups = NumericColumn.int32();
  readonly #first = NumericColumn.int32();
  readonly #last = NumericColumn.int32();
  readonly #next = NumericColumn.int32();
  /** Its groups and those beneath it, in the order of the tree. */
  readonly #from = NumericColumn.int32();
  readonly #to = NumericColumn.int32();
  /** Place of each group. */
  readonly #places = NumericColumn.int32();
  readonly #lookup = new HashIndex((at) => hashOf(this.#parents.at(at), this.#steps.at(at), this.#values.at(at)));

  /**
   * @param keys how many each group has
   * @param tree whether lists are divided, and groups stand beneath their branches
   */
  constructor(
    private readonly keys: number,
    private readonly tree: boolean,
  ) {
    this.#push(NONE, 0, 0);
  }

  /** Places, the root too. */
  get size(): number {
    return this.#parents.length;
  }
  get groups(): number {
    return this.#places.length;
  }
  /** Bytes of the texts of keys. */
  get bytes(): number {
    return this.#values_.bytes;
  }

  /** The number of the group with these keys, from 0 in the order in which they come. */
  groupOf(keys: readonly CellValue[]): number {
    let at = ROOT;
    keys.forEach((value, key) => {
      if (!this.tree || typeof value !== 'object' || value === null || value.length === 0) {
        at = this.#beneath(at, stepOf(key, false), this.#values_.numberOf(value));
      } else for (const entry of value) at = this.#beneath(at, stepOf(key, true), this.#values_.numberOf(entry));
    });
    const known = this.#groups.at(at);
    if (known !== NONE) return known;
    const group = this.groups;
    this.#groups.set(at, group);
    this.#places.push(at);
    return group;
  }

  /** The place one step beneath another, made when there is none. */
  #beneath(parent: number, step: number, value: number): number {
    const hash = hashOf(parent, step, value);
    const known = this.#lookup.find(
      hash,
      (at) => this.#parents.at(at) === parent && this.#values.at(at) === value && this.#steps.at(at) === step,
    );
    if (known !== NONE) return known;
    const at = this.#push(parent, step, value);
    const last = this.#last.at(parent);
    if (last === NONE) this.#first.set(parent, at);
    else this.#next.set(last, at);
    this.#last.set(parent, at);
    this.#lookup.add(hash, at);
    return at;
  }

  #push(parent: number, step: number, value: number): number {
    this.#parents.push(parent);
    this.#steps.push(step);
    this.#values.push(value);
    for (const list of [this.#groups, this.#first, this.#last, this.#next]) list.push(NONE);
    return this.size - 1;
  }

  /**
   * Gives every place its range.
   * @returns the groups in the order of the tree: those at and beneath a place stand together, its own first
   */
  inOrder(): Uint32Array {
    const order = new Uint32Array(this.groups);
    if (!this.tree) return order.map((_, group) => group);
    let count = 0;
    for (let at = 0; at < this.size; at++) {
      this.#from.push(0);
      this.#to.push(0);
    }
    const enter = (at: number): void => {
      this.#from.set(at, count);
      const group = this.#groups.at(at);
      if (group !== NONE) order[count++] = group;
    };
    let at = ROOT;
    enter(at);
    for (;;) {
      let next = this.#first.at(at);
      while (next === NONE) {
        this.#to.set(at, count);
        if (at === ROOT) return order;
        next = this.#next.at(at);
        if (next === NONE) at = this.#parents.at(at);
      }
      enter((at = next));
    }
  }

  /** Where the groups at and beneath a place begin and end in that order. */
  rangeOf(at: number): readonly [from: number, to: number] {
    const group = this.#groups.at(at);
    return this.tree ? [this.#from.at(at), this.#to.at(at)] : [group, group + 1];
  }

  isGroup(at: number): boolean {
    return this.#groups.at(at) !== NONE;
  }

  /** The places right beneath one, in the order in which they came. */
  *beneath(parent: number): Generator<number> {
    if (!this.tree) {
      if (parent === ROOT) for (let group = 0; group < this.groups; group++) yield this.#places.at(group);
      return;
    }
    for (let at = this.#first.at(parent); at !== NONE; at = this.#next.at(at)) yield at;
  }

  keysOf(place: number): GroupPath {
    const way: number[] = [];
    for (let at = place; at !== ROOT; at = this.#parents.at(at)) way.push(at);
    const keys = new Array<CellValue>(this.keys).fill(ALL);
    let entries: (number | string)[] = [];
    let before = NONE;
    for (const at of way.reverse()) {
      const step = this.#steps.at(at);
      const value = this.#values_.at(this.#values.at(at));
      if (step !== before) entries = [];
      if (isEntry(step)) entries.push(value as number | string);
      keys[keyOf(step)] = isEntry(step) ? entries : value;
      before = step;
    }
    return { keys, key: keyOf(this.#steps.at(place)), level: this.tree ? way.length : 1 };
  }
}

const hashOf = (parent: number, step: number, value: number): number => mixed(mixed(mixed(0, parent), step), value);
