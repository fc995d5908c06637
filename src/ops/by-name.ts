/** Tables by the names of ops: `op`, or `mod.op` where only that module's op is meant. */
import type { OpCall } from '../record/record.js';
import { opName } from './operands.js';

export type ByName<T> = Readonly<Record<string, T>>;

/** One entry for several ops, names separated by blanks: `{ ...named('sort msort', sorted) }`. */
export const named = <T>(ops: string, entry: T): ByName<T> =>
  Object.fromEntries(ops.split(' ').map((op) => [op, entry]));

export const mapEntries = <From, To>(table: ByName<From>, make: (entry: From) => To): ByName<To> =>
  Object.fromEntries(Object.entries(table).map(([op, entry]) => [op, make(entry)]));

/** The entry for a call, its module's before one for all modules; undefined when the table has none. */
export function entryOf<T>(table: ByName<T>, call: OpCall): T | undefined {
  const op = opName(call);
  const ofModule = `${call.mod}.${op}`;
  if (Object.hasOwn(table, ofModule)) return table[ofModule];
  return Object.hasOwn(table, op) ? table[op] : undefined;
}

/** Names for `Family.ops` of ops read in their dispatcher's form alone: `einsum` → `aten.einsum`; `mod.op` stays. */
export const dispatcherNames = (ops: readonly string[]): string[] =>
  ops.map((op) => (op.includes('.') ? op : `aten.${op}`));
