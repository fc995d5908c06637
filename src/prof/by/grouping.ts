/** The parsed options of `--by`: keys, group columns, sort order. */
import { columnOf, narrowTrace, requireColumnAmong } from '../columns/columns.js';
import {
  column,
  shapeOf,
  str,
  textOf,
  meantKey,
  splitKeys,
  requireColumnOf,
  type CellValue,
  type Column,
} from '../../table/column.js';
import type { KernelColumn } from '../annotate.js';
import { UsageError } from '../../record/errors.js';
import type { RangeKind } from '../../record/record.js';
import { expressionOf } from '../query/conditions.js';
import { parseSortKeys } from '../query/sort.js';
import { AGGREGATES, DEFAULT_AGGREGATES, HOST_AGGREGATES, TREE_AGGREGATES } from './aggregates.js';
import type { Arrangement, GroupRow } from './group-rows.js';
import { HOST_TABLES } from './host/host-table.js';
import { HOST_KEYS } from './host/host-times.js';

/** The options as the user wrote them. */
export interface GroupingText {
  readonly by: string;
  readonly columns: string | undefined;
  readonly sort: string | undefined;
  readonly top: number | undefined;
  readonly depth: number | undefined;
  /** Undefined means a tree if `layer` is the only key. */
  readonly tree: boolean | undefined;
}

/** A parsed `--by` request: keys, columns, order. */
export interface Grouping {
  readonly keys: readonly KernelColumn[];
  /** Columns of the report. */
  readonly columns: readonly Column<GroupRow>[];
  /** Whether the user chose the columns. */
  readonly isChosen: boolean;
  readonly depth: number | null;
  /** Kind of the host ranges that columns or sort order use; null for none. */
  readonly hostKind: RangeKind | null;
  readonly arrangement: Arrangement;
}

/** Sorts largest first. */
const DEFAULT_SORT = 'total';

/**
 * Parses the columns to group by, to show and to sort by.
 * @throws UsageError naming the nearest column
 */
export function parseGrouping(text: GroupingText): Grouping {
  const keys = splitKeys('--by', text.by).map((key) => requireColumnAmong(key, Object.keys(HOST_TABLES)));
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) throw new UsageError(`--by names ${twice.key} twice`);
  const tree = text.tree ?? (keys.length === 1 && keys[0]?.key === 'layer');
  const keyColumns = keys.map((key, index) => keyColumn(key, index, tree));
  // A key replaces the aggregate of the same name.
  const all = [...keyColumns, ...AGGREGATES.filter(({ key }) => keyColumns.every((column) => column.key !== key))];
  const chosen = text.columns === undefined ? null : splitKeys('-c', text.columns).map((key) => requireOf(all, key));
  const defaults = (tree ? TREE_AGGREGATES : DEFAULT_AGGREGATES).split(',').map((key) => requireColumnOf(all, key));
  const rest = chosen ?? defaults.filter((column) => !keyColumns.includes(column));
  const sort = parseSortKeys(text.sort ?? DEFAULT_SORT, (key) => requireOf(all, key));
  return {
    keys,
    hostKind: hostKindOf(keys, [...rest, ...sort.map(({ column }) => column)]),
    columns: rest.some((column) => keyColumns.includes(column)) ? rest : [...keyColumns, ...rest],
    isChosen: chosen !== null,
    depth: text.depth ?? null,
    arrangement: {
      tree,
      sort,
      top: text.top ?? Infinity,
    },
  };
}

/** @throws UsageError for host range columns with keys other than those in `HOST_KEYS` */
function hostKindOf(keys: readonly KernelColumn[], used: readonly Column<GroupRow>[]): RangeKind | null {
  const column = used.find((candidate) => HOST_AGGREGATES.includes(candidate));
  if (column === undefined) return null;
  const [key, ...others] = keys;
  const kind = others.length > 0 ? undefined : HOST_KEYS[key?.key ?? ''];
  if (kind === undefined)
    throw new UsageError(`${column.key} works only with --by ${Object.keys(HOST_KEYS).join(' or --by ')}`);
  return kind;
}

/** The column of a key or aggregate; any other kernel column has many values in a group. */
function requireOf(all: readonly Column<GroupRow>[], key: string): Column<GroupRow> {
  const column = all.find((known) => known.key === key);
  if (column !== undefined) return column;
  const keys = all.map((known) => known.key);
  const near = meantKey(key, keys);
  const known = near === null ? `known: ${keys.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(
    `'${key}' is neither a --by key nor a group aggregate`,
    columnOf(key) === undefined ? known : `a column of kernels: add it to --by, as in --by op,${key}`,
  );
}

/** Text columns of at least this width share the rest of the line instead. */
const LEAST_SHARED_WIDTH = 10;

function keyColumn(column: KernelColumn, index: number, tree: boolean): Column<GroupRow> {
  const { type, width } = column;
  return {
    ...shapeOf(column),
    width: type === 'str' && width >= LEAST_SHARED_WIDTH ? 0 : width,
    value: ({ keys }) => keys[index] ?? null,
    ...(tree ? { narrow: (row: GroupRow) => branchText(column, row, index) } : {}),
    ...(!tree && column.list === 'str'
      ? { narrow: (row: GroupRow, w: number) => endText(column, row.keys[index], w) }
      : {}),
  };
}

/**
 * What a column of a given width shows of a list. The end distinguishes rows: the innermost frame of each stack, whether it
 * would fit or not, as nothing marks the frames that are left out; the innermost layers, after a mark where others are cut.
 */
function endText(column: KernelColumn, value: CellValue = null, width: number): string {
  const isTrace = column.key === 'trace' && typeof value === 'object' && value !== null;
  if (isTrace && Number.isFinite(width)) return narrowTrace(value.map(String));
  const text = textOf(column, value);
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
}

/** A row of a tree shows only its last step, indented by its level. */
function branchText(column: KernelColumn, { keys, key, level }: GroupRow, index: number): string {
  if (key !== index) return '';
  const value = keys[index] ?? null;
  const step = typeof value === 'object' && value !== null ? (value.at(-1) ?? []) : value;
  return '  '.repeat(level - 1 - index) + textOf(column, step);
}

/**
 * The expression for `--where` that selects the kernels of a group; null where there is none.
 * @param within the expression that selected the kernels of all groups; undefined for none
 */
export const whereColumn = (keys: readonly KernelColumn[], within?: string): Column<GroupRow> =>
  column('where', 'Where', str(0), 'expression that selects the kernels of the group, for --where', (row) =>
    expressionOf(keys, row.keys, within),
  );
