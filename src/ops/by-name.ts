/** What follows from a name: tables by op name, `op` or `mod.op` for the op of only that module; facts about kernels. */
import type { OpCall } from '../record/record.js';
import { opName } from './operands.js';
import { LruCache } from '../containers/map-entry.js';

export type ByName<T> = Readonly<Record<string, T>>;

/** Makes one entry for several ops with space-separated names: `{ ...named('sort msort', sorted) }`. */
export const named = <T>(ops: string, entry: T): ByName<T> =>
  Object.fromEntries(ops.split(' ').map((op) => [op, entry]));

export const mapEntries = <From, To>(table: ByName<From>, make: (entry: From) => To): ByName<To> =>
  Object.fromEntries(Object.entries(table).map(([op, entry]) => [op, make(entry)]));

/**
 * Finds the entry for a call. An entry for its module takes precedence over one for all modules. Undefined when the
 * table has none.
 */
export function entryOf<T>(table: ByName<T>, call: OpCall): T | undefined {
  const op = opName(call);
  const ofModule = `${call.mod}.${op}`;
  if (Object.hasOwn(table, ofModule)) return table[ofModule];
  return Object.hasOwn(table, op) ? table[op] : undefined;
}

/**
 * Names for `Family.ops` of ops that are read only in the dispatcher's form: `einsum` → `aten.einsum`; `mod.op` is
 * unchanged.
 */
export const dispatcherNames = (ops: readonly string[]): string[] =>
  ops.map((op) => (op.includes('.') ? op : `aten.${op}`));

/** Number of names whose facts are cached: a program has hundreds of kernels, a profile millions of their launches. */
const NAMES_KEPT = 1024;

/**
 * Maximum characters of a name that are matched, because some patterns take quadratic time, and templates can nest without
 * limit.
 */
const MOST_NAME = 16 * 1024;

/** Caches a function of names, for recently used names. */
export function byName<T>(compute: (name: string) => T): (name: string) => T {
  const known = new LruCache<string, T>(NAMES_KEPT);
  return (name) => known.of(name.length > MOST_NAME ? name.slice(0, MOST_NAME) : name, compute);
}
