/**
 * Tables by the names of ops: `op`, or `mod.op` where only that module's op is meant.
 */
import type { OpCall } from '../record/record.js';
import { opName } from './operands.js';

export type ByName<T> = Readonly<Record<string, T>>;

/** One entry for several ops, names apart by blanks: `{ ...named('sort msort', sorted) }`. */
export const named = <T>(ops: string, entry: T): ByName<T> =>
  Object.fromEntries(ops.split(' ').map((op) => [op, entry]));

/** The same names with what is made of their entries. */
export const mapEntries = <From, To>(table: ByName<From>, make: (entry: From) => To): ByName<To> =>
  Object.fromEntries(Object.entries(table).map(([op, entry]) => [op, make(entry)]));

/** The entry for a call, its module's before one for all modules; undefined when the table has none. */
export function entryOf<T>(table: ByName<T>, call: OpCall): T | undefined {
  const op = opName(call);
  const ofModule = `${call.mod}.${op}`;
  if (Object.hasOwn(table, ofModule)) return table[ofModule];
  return Object.hasOwn(table, op) ? table[op] : undefined;
}

/**
 * Names for the table of ops, of ops that are known as the dispatcher runs them and not as Python calls them: `einsum` →
 * `aten.einsum`; a name with a module of its own stays.
 */
export const dispatcherNames = (ops: readonly string[]): string[] =>
  ops.map((op) => (op.includes('.') ? op : `aten.${op}`));
