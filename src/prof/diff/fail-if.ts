/**
 * `--fail-if`: a change that a build must not have.
 *
 *     condition  = subject (">" | "<") change
 *     subject    = "total" | column ":" text (equals, or an entry of a list does) | column "~" text (contains, in any case)
 *     change     = [+-] number ("%" | "ns" | "us" | "ms" | "s")
 *
 * The last `>` or `<` counts: names of kernels have such signs.
 */
import { requireColumn } from '../columns/columns.js';
import { textOf, type CellValue } from '../../table/column.js';
import { UsageError } from '../../record/errors.js';
import type { KernelColumn } from '../columns/kernel-column.js';
import type { Change } from './diff-row.js';

export interface Condition {
  /** As the user wrote it. */
  readonly text: string;
  /** Which kernels it is about, by a column of theirs; null for all of them. */
  readonly subject: { readonly column: KernelColumn; readonly matches: (value: CellValue) => boolean } | null;
  /** Whether op calls must be looked at. */
  readonly derived: boolean;
  readonly isMet: (change: Change) => boolean;
}

const FORM = /^(.*)([<>])([^<>]*)$/s;
const CHANGE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(%|ns|us|ms|s)$/;
const NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 } as const;
const EXAMPLE = "as in 'total>+5%' or 'op:conv2d>+2ms'";

/** @throws UsageError saying what cannot be read */
export function parseCondition(text: string): Condition {
  const [, subject, sign, change] = FORM.exec(text) ?? [];
  if (subject === undefined || change === undefined) {
    throw new UsageError(`--fail-if '${text}': no > or <`, EXAMPLE);
  }
  const [, number, unit] = CHANGE.exec(change.trim()) ?? [];
  if (number === undefined || unit === undefined) {
    throw new UsageError(`--fail-if '${text}': '${change.trim()}' is no number with %, ns, us, ms or s`, EXAMPLE);
  }
  const limit = Number(number);
  const holds = (value: number, bound: number): boolean => (sign === '>' ? value > bound : value < bound);
  const isMet = ({ ns, percent }: Change): boolean =>
    // What BASE did not have grew beyond any percentage.
    unit === '%' ? holds(percent ?? (ns > 0 ? Infinity : 0), limit) : holds(ns, limit * NS[unit as keyof typeof NS]);
  return { text, ...subjectOf(subject.trim(), text), isMet };
}

function subjectOf(subject: string, text: string): Pick<Condition, 'subject' | 'derived'> {
  if (subject === 'total') return { subject: null, derived: false };
  const [, key, sign, rest = ''] = /^([A-Za-z]\w*)\s*([:~])(.*)$/s.exec(subject) ?? [];
  const wanted = rest.trimStart();
  if (key === undefined || wanted === '') {
    throw new UsageError(`--fail-if '${text}': '${subject}' is not total, COLUMN:NAME or COLUMN~PART`, EXAMPLE);
  }
  const column = requireColumn(key);
  const part = wanted.toLowerCase();
  const matches = (value: CellValue): boolean => {
    if (value === null) return false;
    if (sign === '~') return textOf(column, value).toLowerCase().includes(part);
    return (
      textOf(column, value) === wanted || (typeof value === 'object' && value.some((one) => String(one) === wanted))
    );
  };
  return { subject: { column, matches }, derived: column.derived === true };
}
