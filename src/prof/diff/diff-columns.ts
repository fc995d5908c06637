/** Columns of `dprof diff`: one table for all formats and the help. */
import { column, knownColumn, int, real, str, nestedColumn, type Column } from '../../table/column.js';
import type { DiffRow, Key } from './diff-row.js';
import { withoutVerdict } from './fail-if.js';

type NumberOf = (row: DiffRow) => number | null;
type Extra = Partial<Pick<Column<DiffRow>, 'signed' | 'machineOnly'>>;

const SIGNED = { signed: true } as const;
const MACHINE_ONLY = { machineOnly: true } as const;

const time = (name: string, doc: string, value: NumberOf, extra?: Extra): Column<DiffRow> =>
  column(`${name}_ns`, `${name}_ns`, real(14, 1, 'ns'), doc, value, extra);

const percent = (name: string, doc: string, value: NumberOf, extra?: Extra): Column<DiffRow> =>
  column(`${name}_percent`, `${name}_percent`, real(10, 2, '%'), doc, value, extra);

const count = (key: string, doc: string, value: NumberOf, extra?: Extra): Column<DiffRow> =>
  column(key, key, int(10), doc, value, extra);

/** A probability; two significant digits show how small it is. */
const probability = (key: string, doc: string, value: NumberOf, extra?: Extra): Column<DiffRow> =>
  column(key, key, { type: 'real', significant: 2, width: 9 }, doc, value, extra);

export const DIFF_COLUMNS: readonly Column<DiffRow>[] = [
  percent('change', 'change of the mean time per step, in %', (row) => row.percent, SIGNED),
  time('change', 'change of the mean time per step', ({ change }) => change, SIGNED),
  percent('call_change', 'change of the mean time per kernel', ({ callPercent }) => callPercent, SIGNED),
  percent(
    'calls_change',
    'change of the mean number of kernels per step, in %',
    ({ callsPercent }) => callsPercent,
    SIGNED,
  ),
  time('base', 'mean time per step in BASE', ({ base }) => base.each),
  time('new', 'mean time per step in NEW', (row) => row.new.each),
  percent('base_share', "share of BASE's kernel time", ({ base }) => base.share),
  percent('new_share', "share of NEW's kernel time", (row) => row.new.share),
  count('base_count', 'number of kernels in BASE', ({ base }) => base.count),
  count('new_count', 'number of kernels in NEW', (row) => row.new.count),
  time('base_time', 'total time in BASE', ({ base }) => base.time, MACHINE_ONLY),
  time('new_time', 'total time in NEW', (row) => row.new.time, MACHINE_ONLY),
  percent('median_change', "change of the median step's time", ({ medianPercent }) => medianPercent, MACHINE_ONLY),
  percent(
    'comparable_change',
    'change that verdict and --fail-if use, in %: of the mean time per step, run or call',
    ({ comparable }) => comparable.percent,
    { ...MACHINE_ONLY, ...SIGNED },
  ),
  time('comparable_change', 'change that verdict and --fail-if use, as a time', ({ comparable }) => comparable.ns, {
    ...MACHINE_ONLY,
    ...SIGNED,
  }),
  percent(
    'own_change',
    'change of the tested times, without the shift that all rows share',
    ({ ownPercent }) => ownPercent,
    MACHINE_ONLY,
  ),
  count('base_steps', 'steps of BASE in the test', ({ base }) => base.samples, MACHINE_ONLY),
  count('new_steps', 'steps of NEW in the test', (row) => row.new.samples, MACHINE_ONLY),
  probability('p', 'p-value for no difference', ({ p }) => p, MACHINE_ONLY),
  probability('p_effect', 'p-value for no change beyond the minimum effect', ({ pBeyond }) => pBeyond, MACHINE_ONLY),
  probability('q', 'p_effect adjusted for the number of rows', ({ q }) => q),
];

/** The key of the line with the totals. */
export const TOTAL = 'total';

export interface DiffLine {
  readonly kind: 'total' | 'key';
  readonly row: DiffRow;
  /** Strings by column of `--by`; null for unknown. */
  readonly keys: readonly Key[];
}

export const diffLines = (total: DiffRow, rows: readonly DiffRow[], by: readonly string[]): DiffLine[] => [
  { kind: 'total', row: total, keys: by.map(() => TOTAL) },
  ...rows.map((row): DiffLine => ({ kind: 'key', row, keys: row.keys })),
];

const isChange = ({ row }: DiffLine): boolean => row.verdict !== 'same' && withoutVerdict(row) === null;

export const VERDICT_COLUMN: Column<DiffLine> = knownColumn(
  'verdict',
  'verdict',
  str(15),
  'whether the row changed',
  ({ row }) => row.verdict,
  { vocabulary: true, emphasis: isChange },
);

const KIND_COLUMN: Column<DiffLine> = knownColumn('row', 'row', str(5), 'total or key', ({ kind }) => kind, {
  vocabulary: true,
});

/** Columns that identify a row. */
export const keyColumns = (by: readonly string[]): Column<DiffLine>[] =>
  by.map((key, i) => ({
    ...{ key, header: key, type: 'str', width: 0, doc: 'column of --by' },
    value: ({ keys }) => keys[i] ?? null,
  }));

/** Turns a column of rows into a column of lines. */
export const ofLine = (column: Column<DiffRow>): Column<DiffLine> => nestedColumn(column, ({ row }) => row);

export const diffLineColumns = (by: readonly string[]): Column<DiffLine>[] => [
  KIND_COLUMN,
  ...keyColumns(by),
  VERDICT_COLUMN,
  ...DIFF_COLUMNS.map(ofLine),
];
