/**
 * Groups as a tree. The entries of a list are levels, outermost first, and every further key adds one level. Without a
 * tree, each key is one level whatever its value, and all groups are listed at the root.
 *
 * A node is a number, and its fields are columns of integers, because a deep tree has many more nodes than groups.
 */
import type { CellValue } from '../../table/column.js';
import { mixed, HashIndex, NO_ROW } from '../../containers/hash-index.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { LruCache } from '../../containers/map-entry.js';
import { TextPool } from '../../containers/text-pool.js';

/** JSON cannot represent non-finite numbers: they are written as in JavaScript, which is not JSON. */
const textOf = (value: CellValue): string =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);

const valueOf = (text: string): CellValue =>
  /^(?:NaN|-?Infinity)$/.test(text) ? Number(text) : (JSON.parse(text) as CellValue);

class KeyValues {
  readonly #texts = new TextPool();
  /** Most kernels have one of only a few values. */
  readonly #recent = new LruCache<number | string, number>(4096);

  get bytes(): number {
    return this.#texts.bytes;
  }

  /** Number of a value, from 0; equal values have the same number. */
  numberOf(value: CellValue): number {
    return typeof value === 'object' ? this.#find(value) : this.#recent.of(value, () => this.#find(value));
  }

  at(number: number): CellValue {
    return valueOf(this.#texts.at(number));
  }

  #find(value: CellValue): number {
    return this.#texts.numberOf(textOf(value));
  }
}

export const ROOT = 0;
/** No node, or no group at a node. */
const NONE = -1;

/** Value of a key that does not yet divide a branch. */
const ALL = '*';

/** The step from a parent to a node, with two numbers for each key: for its whole value, or for an entry of its list. */
const stepOf = (key: number, isEntry: boolean): number => 2 * key + Number(isEntry);
const keyOf = (step: number): number => step >> 1;
const isEntry = (step: number): boolean => step % 2 === 1;

export interface GroupPath {
  /** One value for each key of --by. */
  readonly keys: readonly CellValue[];
  /** Index of the last key that separates the node's groups from others. */
  readonly key: number;
  /** Number of steps from the root. */
  readonly level: number;
}

export class GroupTree {
  readonly #keyValues = new KeyValues();
  readonly #parents = NumericColumn.int32();
  readonly #steps = NumericColumn.int32();
  /** Value of each node's step. */
  readonly #values = NumericColumn.int32();
  /** Group at each node. */
  readonly #groups = NumericColumn.int32();
  /** First and last child, and next sibling, of each node. */
  readonly #first = NumericColumn.int32();
  readonly #last = NumericColumn.int32();
  readonly #next = NumericColumn.int32();
  /** Range of the groups at and below each node, in tree order. */
  readonly #from = NumericColumn.int32();
  readonly #to = NumericColumn.int32();
  /** Node of each group. */
  readonly #nodes = NumericColumn.int32();
  readonly #index = new HashIndex((node) =>
    hashOf(this.#parents.at(node), this.#steps.at(node), this.#values.at(node)),
  );

  /**
   * @param keys number of keys per group
   * @param tree whether lists are divided into levels, and groups listed below their branches
   */
  constructor(
    private readonly keys: number,
    private readonly tree: boolean,
  ) {
    this.#push(NONE, 0, 0);
  }

  /** Number of nodes, including the root. */
  get size(): number {
    return this.#parents.length;
  }
  get groups(): number {
    return this.#nodes.length;
  }
  get bytes(): number {
    return this.#keyValues.bytes;
  }

  /** Number of the group with these keys, from 0 in order of first appearance. */
  groupOf(keys: readonly CellValue[]): number {
    let node = ROOT;
    keys.forEach((value, key) => {
      if (!this.tree || typeof value !== 'object' || value === null || value.length === 0) {
        node = this.#child(node, stepOf(key, false), this.#keyValues.numberOf(value));
      } else for (const entry of value) node = this.#child(node, stepOf(key, true), this.#keyValues.numberOf(entry));
    });
    const known = this.#groups.at(node);
    if (known !== NONE) return known;
    const group = this.groups;
    this.#groups.set(node, group);
    this.#nodes.push(node);
    return group;
  }

  /** The child of a node, created when there is none. */
  #child(parent: number, step: number, value: number): number {
    const hash = hashOf(parent, step, value);
    const known = this.#index.find(
      hash,
      (node) => this.#parents.at(node) === parent && this.#values.at(node) === value && this.#steps.at(node) === step,
    );
    if (known !== NO_ROW) return known;
    const node = this.#push(parent, step, value);
    const last = this.#last.at(parent);
    if (last === NONE) this.#first.set(parent, node);
    else this.#next.set(last, node);
    this.#last.set(parent, node);
    this.#index.add(hash, node);
    return node;
  }

  #push(parent: number, step: number, value: number): number {
    this.#parents.push(parent);
    this.#steps.push(step);
    this.#values.push(value);
    for (const column of [this.#groups, this.#first, this.#last, this.#next]) column.push(NONE);
    return this.size - 1;
  }

  /**
   * Computes the range of every node.
   * @returns the groups in tree order: groups at and below a node are contiguous, with the node's own group first
   */
  inOrder(): Uint32Array {
    const order = new Uint32Array(this.groups);
    if (!this.tree) return order.map((_, group) => group);
    let count = 0;
    for (let node = 0; node < this.size; node++) {
      this.#from.push(0);
      this.#to.push(0);
    }
    const enter = (node: number): void => {
      this.#from.set(node, count);
      const group = this.#groups.at(node);
      if (group !== NONE) order[count++] = group;
    };
    let node = ROOT;
    enter(node);
    for (;;) {
      let next = this.#first.at(node);
      while (next === NONE) {
        this.#to.set(node, count);
        if (node === ROOT) return order;
        next = this.#next.at(node);
        if (next === NONE) node = this.#parents.at(node);
      }
      enter((node = next));
    }
  }

  /** The range of the groups at and below a node in tree order. */
  rangeOf(node: number): readonly [from: number, to: number] {
    const group = this.#groups.at(node);
    return this.tree ? [this.#from.at(node), this.#to.at(node)] : [group, group + 1];
  }

  isGroup(node: number): boolean {
    return this.#groups.at(node) !== NONE;
  }

  /** The children of a node, in order of creation; without a tree, the groups are children of the root. */
  *childrenOf(parent: number): Generator<number> {
    if (!this.tree) {
      if (parent === ROOT) for (let group = 0; group < this.groups; group++) yield this.#nodes.at(group);
      return;
    }
    for (let node = this.#first.at(parent); node !== NONE; node = this.#next.at(node)) yield node;
  }

  pathOf(node: number): GroupPath {
    const path: number[] = [];
    for (let at = node; at !== ROOT; at = this.#parents.at(at)) path.push(at);
    const keys = new Array<CellValue>(this.keys).fill(ALL);
    let entries: (number | string)[] = [];
    let before = NONE;
    for (const at of path.reverse()) {
      const step = this.#steps.at(at);
      const value = this.#keyValues.at(this.#values.at(at));
      if (step !== before) entries = [];
      if (isEntry(step)) entries.push(value as number | string);
      keys[keyOf(step)] = isEntry(step) ? entries : value;
      before = step;
    }
    return { keys, key: keyOf(this.#steps.at(node)), level: this.tree ? path.length : 1 };
  }
}

const hashOf = (parent: number, step: number, value: number): number => mixed(mixed(mixed(0, parent), step), value);
