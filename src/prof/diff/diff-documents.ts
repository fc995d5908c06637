/**
 * The output of `dprof diff -f json`, in order: the comparison, the totals, the rows, the conditions. Unknown values are
 * null.
 */
import { rowObject, type RowObject } from '../../table/column.js';
import type { DiffResult } from './comparison.js';
import { DIFF_COLUMNS } from './diff-columns.js';
import { givenOf, troubleText, type DiffReport } from './diff-report.js';
import type { DiffRow, Key } from './diff-row.js';
import type { Basis } from './input-sums.js';
import { TREE_COLUMNS } from './tree/tree-columns.js';
import type { Verdict } from './verdict.js';

/** What was compared, and how. */
export interface ComparisonDocument {
  readonly row: 'comparison';
  /** What times are means over: steps, runs, or the calls of BASE. */
  readonly per: Basis;
  readonly rows: number;
  readonly tested: number;
  /** The shift that all rows of a step have in common, removed before their tests; null when it was not removed. */
  readonly common: CommonDocument | null;
  /** The inputs, then the method. */
  readonly heading: readonly string[];
  readonly notes: readonly string[];
  /** Parts of the inputs that readers could not read. */
  readonly doubts: DiffReport['doubts'];
  /** Why inputs cannot be judged. */
  readonly errors: readonly string[];
}

/** The shift that all rows of a step have in common. */
export interface CommonDocument {
  readonly change_percent: number;
  readonly spread_percent: number;
  readonly rows: number;
  readonly p_effect: number;
  readonly verdict: string;
}

/** Figures by the keys of `dprof diff --help`: times in ns, changes in ns and percent. */
type Figures = RowObject & {
  readonly verdict: Verdict;
  /** The expression for `--where` that selects the kernels in both inputs; null where there is none, and for all kernels. */
  readonly where: string | null;
};

/** The totals, a row, or a condition, with its figures by the keys of `dprof diff --help`: ns and percent. */
export type DiffFigures = Figures &
  (
    | { readonly row: 'total' }
    | { readonly row: 'key'; readonly keys: Readonly<Record<string, Key>> }
    | {
        readonly row: 'condition';
        readonly condition: string;
        readonly met: boolean | null;
        readonly reason: string | null;
      }
  );

/** A node of the tree of layers and ops, with its figures by the keys of `dprof diff --help`: ns and percent. */
type TreeFigures = RowObject & { readonly row: 'total' | 'layer' | 'op' | 'leaf' | 'rest' };

/** A line of a comparison; `row` distinguishes the kinds. */
export type DiffDocument = ComparisonDocument | DiffFigures | TreeFigures;

const commonFigures = ({ common }: DiffResult): CommonDocument | null =>
  common && {
    change_percent: 100 * (common.change - 1),
    spread_percent: 100 * common.spread,
    rows: common.rows,
    p_effect: common.test.pBeyond,
    verdict: common.verdict,
  };

const figuresOf = (row: DiffRow) => ({ verdict: row.verdict, ...rowObject(DIFF_COLUMNS, row), where: row.where });

export function diffDocuments(report: DiffReport): DiffDocument[] {
  const { result, by, lines, tree, heading, notes, doubts, troubles } = report;
  const named = (keys: readonly Key[]): Record<string, Key> =>
    Object.fromEntries(by.map((name, i) => [name, keys[i] ?? null]));
  const comparison: ComparisonDocument = {
    row: 'comparison',
    per: result.basis,
    rows: result.rows.length,
    tested: result.tested,
    common: commonFigures(result),
    heading,
    notes,
    doubts,
    errors: troubles.map(troubleText),
  };
  return [
    comparison,
    ...(tree?.rows.map((node) => rowObject(TREE_COLUMNS, node)) ??
      lines.map(({ kind, row, keys }) => ({
        row: kind,
        ...(kind === 'key' ? { keys: named(keys) } : {}),
        ...figuresOf(row),
      }))),
    ...givenOf(report).map(({ condition, met, reason, row }) => ({
      ...{ row: 'condition', condition: condition.text, met, reason },
      ...figuresOf(row),
    })),
  ] as DiffDocument[];
}
