/**
 * Groups as a tree: the entries of a list are levels, outermost first, and every key after it is one level more. Where
 * no tree is asked for, all groups stand below the root.
 */
import type { Value } from '../columns.js';

/** A place in the tree: a group, a branch with groups beneath it, or both. */
export interface Branch {
  /** Of the group at this place; else of some group beneath it, whose keys up to `key` lead here. */
  keys: readonly Value[];
  /** The key that the place is about; -1 of the root. */
  readonly key: number;
  /** Entries of that key which lead here; null when it is no list. */
  readonly entries: number | null;
  /** Steps from the root. */
  readonly level: number;
  /** Number of the group with exactly these keys; null when there is none. */
  group: number | null;
  /** Null while there is nothing: most places are leaves, and an empty map is large. */
  beneath: Map<string, Branch> | null;
  /** Its groups and those beneath it, in the order of the tree. */
  from: number;
  to: number;
}

interface Step {
  readonly key: number;
  readonly entries: number | null;
  /** Tells apart what has the same parent. */
  readonly name: string;
}

/** From the root to a group. */
const stepsTo = (keys: readonly Value[]): Step[] =>
  keys.flatMap((value, key): Step[] => {
    if (typeof value !== 'object' || value === null || value.length === 0) {
      return [{ key, entries: null, name: JSON.stringify([key, value]) }];
    }
    return value.map((entry, i) => ({ key, entries: i + 1, name: JSON.stringify([key, 'entry', entry]) }));
  });

const oneStep = (keys: readonly Value[], group: number): Step[] => [
  { key: keys.length - 1, entries: null, name: String(group) },
];

const place = (keys: readonly Value[], { key, entries }: Omit<Step, 'name'>, level: number): Branch => ({
  ...{ keys, key, entries, level, group: null, beneath: null, from: 0, to: 0 },
});

/**
 * The root above all groups.
 * @param groups the keys of each group, no two alike
 */
export function rootOf(groups: readonly (readonly Value[])[], tree: boolean): Branch {
  const root = place([], { key: -1, entries: null }, 0);
  groups.forEach((keys, group) => {
    let at = root;
    for (const step of tree ? stepsTo(keys) : oneStep(keys, group)) {
      const beneath: Map<string, Branch> = (at.beneath ??= new Map<string, Branch>());
      let next = beneath.get(step.name);
      if (next === undefined) beneath.set(step.name, (next = place(keys, step, at.level + 1)));
      at = next;
    }
    at.group = group;
    at.keys = keys;
  });
  return root;
}

/**
 * Gives every place its range.
 * @returns the groups in the order of the tree: those at and beneath a place stand together, its own first
 */
export function inOrder(branch: Branch, order: number[] = []): number[] {
  branch.from = order.length;
  if (branch.group !== null) order.push(branch.group);
  if (branch.beneath !== null) for (const child of branch.beneath.values()) inOrder(child, order);
  branch.to = order.length;
  return order;
}

/** Stands for a key by which a place is not divided yet. */
export const ALL = '*';

/** The keys of a place. */
export function keysOf({ keys, key, entries, group }: Branch): readonly Value[] {
  if (group !== null) return keys;
  return keys.map((value, i) => {
    if (i > key) return ALL;
    return i === key && entries !== null && typeof value === 'object' ? (value?.slice(0, entries) ?? null) : value;
  });
}
