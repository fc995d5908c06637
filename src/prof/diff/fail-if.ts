/**
 * `--fail-if`: a change for which a build must fail.
 *
 *     condition  = subject (">" | "<") change | (subject | "any") "=" verdict
 *     subject    = "total" | column ":" text (equals, or an entry of a list does) | column "~" text (contains, any case)
 *     change     = [+-] number ("%" | "ns" | "us" | "ms" | "s")
 *
 * The last `>`, `<` or `=` counts, because kernel names contain these characters. `any` stands for the totals and each
 * row.
 */
import { requireColumn } from '../columns/columns.js';
import { conditionOnText } from '../query/conditions.js';
import { textOf, type CellValue } from '../../table/column.js';
import { UsageError } from '../../record/errors.js';
import type { KernelColumn } from '../annotate.js';
import type { DiffRow } from './diff-row.js';
import { VERDICTS, type Verdict } from './verdict.js';

interface Subject {
  readonly column: KernelColumn;
  readonly matches: (value: CellValue) => boolean;
  /** The expression for `--where` that selects the same kernels; null where there is none. */
  readonly where: string | null;
}

export interface Condition {
  /** The condition as the user wrote it. */
  readonly text: string;
  /** Selects kernels by one of their columns; null for all kernels. */
  readonly subject: Subject | null;
  /** Whether it needs values that are derived from op calls. */
  readonly derived: boolean;
  /** Whether it applies to the totals and to each row separately. */
  readonly isOfAny: boolean;
  /** Whether it is about the verdict of the tests, so that there must be one. */
  readonly isOnVerdict: boolean;
  readonly isMet: (row: Pick<DiffRow, 'comparable' | 'verdict'>) => boolean;
}

/** Default condition for a report of tests. */
export const ANY_SLOWER = 'any=slower';

const FORM = /^(.*)([<>])([^<>]*)$/s;
const VERDICT_FORM = /^(.*)=([a-z -]+)$/s;
const CHANGE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(%|ns|us|ms|s)$/;
const NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 } as const;
const EXAMPLE = "such as 'total>+5%', 'op:conv2d>+2ms' or 'any=slower'";

/** @throws UsageError naming what cannot be parsed */
export function parseCondition(text: string): Condition {
  const [, judged, word = ''] = VERDICT_FORM.exec(text) ?? [];
  const verdict = word.trim();
  if (judged !== undefined && Object.hasOwn(VERDICTS, verdict)) {
    const isOfAny = judged.trim() === 'any';
    const isMet: Condition['isMet'] = (row) => row.verdict === verdict;
    return { text, ...(isOfAny ? ALL_KERNELS : subjectOf(judged.trim(), text)), isOfAny, isOnVerdict: true, isMet };
  }
  return parseChange(text);
}

function parseChange(text: string): Condition {
  const [, subject, sign, change] = FORM.exec(text) ?? [];
  if (subject === undefined || change === undefined) {
    throw new UsageError(`--fail-if '${text}': expected > or < and an amount, or = and a verdict`, EXAMPLE);
  }
  const [, number, unit] = CHANGE.exec(change.trim()) ?? [];
  if (number === undefined || unit === undefined) {
    throw new UsageError(`--fail-if '${text}': '${change.trim()}' is not a number with %, ns, us, ms or s`, EXAMPLE);
  }
  const limit = Number(number);
  const holds = (value: number, bound: number): boolean => (sign === '>' ? value > bound : value < bound);
  const isMet: Condition['isMet'] = ({ comparable: { ns, percent } }) =>
    // Kernels that BASE did not have grew beyond any percentage.
    unit === '%' ? holds(percent ?? (ns > 0 ? Infinity : 0), limit) : holds(ns, limit * NS[unit as keyof typeof NS]);
  return { text, ...subjectOf(subject.trim(), text), isOfAny: false, isOnVerdict: false, isMet };
}

const ALL_KERNELS = { subject: null, derived: false } as const;

function subjectOf(subject: string, text: string): Pick<Condition, 'subject' | 'derived'> {
  if (subject === 'total') return ALL_KERNELS;
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
      textOf(column, value) === wanted || (typeof value === 'object' && value.some((item) => String(item) === wanted))
    );
  };
  const where = conditionOnText(column, sign === '~' ? '~' : '==', wanted);
  return { subject: { column, matches, where }, derived: column.derived === true };
}

// Evaluates the conditions of `--fail-if` on the rows of a comparison. A condition that cannot be judged does not pass, and
// has a reason. Pure.

/** A condition and its result. */
export interface Judged {
  readonly condition: Condition;
  readonly row: DiffRow;
  /** Null when it could not be judged. */
  readonly met: boolean | null;
  /** Why it could not be judged; null when it could. */
  readonly reason: string | null;
}

const REASONS: Partial<Record<Verdict, string>> = {
  untimed: 'too many kernels have no duration',
  'too-few-samples': 'too few steps for a verdict',
};

/** Why a row has no verdict; null when it has one. */
export const withoutVerdict = ({ verdict }: DiffRow): string | null => REASONS[verdict] ?? null;

/**
 * Why one of several rows leaves a condition undecided; null for a row with a verdict, and for kernels outside of
 * steps, which cannot get a verdict whatever the number of steps.
 */
export const leftOpen = (row: DiffRow): string | null =>
  row.verdict === 'too-few-samples' && row.p === null ? null : withoutVerdict(row);

/** @param row the row of the totals or of the matching kernels; `rows` are all rows of the comparison */
export function judge(condition: Condition, row: DiffRow, rows: readonly DiffRow[]): Judged {
  const met = (found: DiffRow): Judged => ({ condition, row: found, met: true, reason: null });
  const open = (found: DiffRow, reason: string): Judged => ({ condition, row: found, met: null, reason });
  if (row.base.count + row.new.count === 0) return open(row, 'no kernel of either input matches');
  if (condition.isOfAny) {
    const found = [row, ...rows].find(condition.isMet);
    if (found !== undefined) return met(found);
    const [reason = null] = [withoutVerdict(row), ...rows.map(leftOpen)].filter((text) => text !== null);
    if (reason !== null) return open(row, reason);
  } else {
    if (condition.isOnVerdict && condition.isMet(row)) return met(row);
    const reason = condition.isOnVerdict || row.verdict === 'untimed' ? withoutVerdict(row) : null;
    if (reason !== null) return open(row, reason);
    if (condition.isMet(row)) return met(row);
  }
  return { condition, row, met: false, reason: null };
}
