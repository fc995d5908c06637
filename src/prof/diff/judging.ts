/**
 * Evaluates the conditions of `--fail-if` on the rows of a comparison. A condition that cannot be judged does not pass, and
 * has a reason. Pure.
 */
import type { Condition } from './fail-if.js';
import type { DiffRow } from './diff-row.js';
import type { Verdict } from './verdict.js';

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
    const [reason = null] = [withoutVerdict(row), ...rows.map(leftOpen)].filter((one) => one !== null);
    if (reason !== null) return open(row, reason);
  } else {
    if (condition.isOnVerdict && condition.isMet(row)) return met(row);
    const reason = condition.isOnVerdict || row.verdict === 'untimed' ? withoutVerdict(row) : null;
    if (reason !== null) return open(row, reason);
    if (condition.isMet(row)) return met(row);
  }
  return { condition, row, met: false, reason: null };
}
