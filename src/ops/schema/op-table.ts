/** Tables of ops with their signatures, written as text. */
import { elementAt } from '../../containers/element.js';
import type { OpCall } from '../../record/record.js';
import { entryOf, named, type ByName } from '../by-name.js';
import { bind, type BoundArguments } from './binding.js';

export interface OpRow<Fact> {
  readonly fact: Fact;
  /** One for each version or overload, as `bind` takes them. */
  readonly signatures: readonly string[];
}

/**
 * A table of ops. A row is a fact, the names of its ops, and their signatures; a line that starts with `//` is a comment.
 * @example
 * opTable`
 *   ${sorted} sort msort: @self dim descending | @self stable dim descending
 *   ${largest} topk: @self k dim largest sorted
 * `
 */
export function opTable<Fact extends object>(
  texts: readonly string[],
  ...values: readonly (Fact | string)[]
): ByName<OpRow<Fact>> {
  const rows: { readonly fact: Fact; text: string }[] = [];
  for (const [i, value] of values.entries()) {
    const [row, text] = [rows.at(-1), elementAt(texts, i + 1)];
    if (typeof value !== 'string') rows.push({ fact: value, text });
    else if (row !== undefined) row.text += value + text;
  }
  return Object.assign({}, ...rows.map(({ fact, text }) => rowOf(fact, text))) as ByName<OpRow<Fact>>;
}

/** What a table states of a call, and the call's arguments; null when it has none of the op, or they do not fit. */
export function boundRow<Fact>(table: ByName<OpRow<Fact>>, call: OpCall): { fact: Fact; bound: BoundArguments } | null {
  const row = entryOf(table, call);
  const bound = row === undefined ? null : bind(call, ...row.signatures);
  return row === undefined || bound === null ? null : { fact: row.fact, bound };
}

function rowOf<Fact>(fact: Fact, text: string): ByName<OpRow<Fact>> {
  const words = text.replace(/^ *\/\/.*/gm, '').trim();
  const [ops = '', signatures = ''] = words.replace(/\s+/g, ' ').split(': ');
  return named(ops, { fact, signatures: signatures.split(' | ') });
}
