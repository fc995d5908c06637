/** Tables by op name: `op`, or `mod.op` for the op of only that module. */
import type { OpCall } from '../record/record.js';
import { opName } from './operands.js';

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
