/** The table of columns for host activity by name, and the options of these tables. */
import { orNull } from '../../../containers/numeric-column.js';
import { UsageError } from '../../../record/errors.js';
import { quantile } from '../../../record/statistics.js';
import { requireColumnOf, splitKeys, column, knownColumn, int, real, str, type Column } from '../../../table/column.js';
import { parseSortKeys, SortedOutput, type SortKey } from '../../query/sort.js';
import { HOST_TABLES, type HostTable, type HostTableKind, type HostTableRow } from './host-table.js';

const NS = int(13, 'ns');
/** A duration with fractions of a ns. */
const PART_NS = real(11, 1, 'ns');

const percentile = (key: string, header: string, share: number): Column<HostTableRow> =>
  column(key, header, PART_NS, `${100 * share}th percentile of the times`, ({ durations }) =>
    quantile(durations, share),
  );

/** Columns in the order of the help; the name column comes first. */
export const HOST_COLUMNS: readonly Column<HostTableRow>[] = [
  knownColumn('count', 'Count', int(8), 'number of occurrences', ({ spread }) => spread.count),
  knownColumn(
    'host',
    'Host(ns)',
    NS,
    'CPU time of the occurrences, summed over threads; nested ones count once',
    ({ host }) => host,
  ),
  column('share', 'Share%', real(6, 2, '%'), 'share of the sum of host', ({ host, whole }) =>
    whole > 0 ? (100 * host) / whole : null,
  ),
  column('hostself', 'HostSelf(ns)', NS, 'CPU time without nested ranges and ops', ({ self }) => self),
  knownColumn('mean', 'Mean(ns)', PART_NS, 'mean time of an occurrence', ({ spread }) => spread.mean),
  knownColumn('median', 'Median(ns)', PART_NS, 'exact median', ({ spread }) => spread.median, {
    narrowHeader: 'Med(ns)',
  }),
  knownColumn('min', 'Min(ns)', int(10, 'ns'), 'shortest time', ({ spread }) => spread.min),
  knownColumn('max', 'Max(ns)', int(11, 'ns'), 'longest time', ({ spread }) => spread.max),
  knownColumn(
    'stddev',
    'StdDev(ns)',
    PART_NS,
    'sample standard deviation; 0 for a single occurrence',
    ({ spread }) => spread.stddev,
  ),
  percentile('p25', 'P25(ns)', 0.25),
  percentile('p75', 'P75(ns)', 0.75),
  percentile('p95', 'P95(ns)', 0.95),
  percentile('p99', 'P99(ns)', 0.99),
  knownColumn(
    'kernels',
    'Kernels',
    int(8),
    'kernels launched in the occurrences, for layers also in their backward pass; for calls, all work that they launched (column titled Launched)',
    ({ work }) => work.count,
  ),
  column('device', 'Device(ns)', NS, 'total device time of these kernels and of collectives', ({ work }) =>
    orNull(work.time),
  ),
  column('deviceself', 'DevSelf(ns)', NS, 'device time without nested ops; na for ranges and calls', ({ work }) =>
    orNull(work.self),
  ),
  column(
    'aicore',
    'AICore(ns)',
    NS,
    'device time of kernels on AI Cores (Ascend core class AI_CORE or MIX_AIC); na if the class is not recorded',
    ({ work }) => orNull(work.cube),
  ),
  column('aicoreself', 'AICoreSelf(ns)', NS, 'aicore without nested ops', ({ work }) => orNull(work.cubeSelf)),
];

/** Columns after the name when -c is not given. */
export const DEFAULT_HOST_COLUMNS = 'count,host,share,hostself,median,p95,max,kernels,device';

export interface HostGrouping {
  readonly kind: HostTableKind;
  readonly columns: readonly Column<HostTableRow>[];
  readonly sort: readonly SortKey<HostTableRow>[];
  readonly top: number;
}

export interface HostGroupingText {
  readonly by: string;
  readonly columns: string | undefined;
  readonly sort: string | undefined;
  readonly top: number | undefined;
}

/**
 * Null when --by names keys of kernels.
 * @throws UsageError naming the nearest column
 */
export function parseHostGrouping({ by, columns, sort, top }: HostGroupingText): HostGrouping | null {
  const kind = Object.hasOwn(HOST_TABLES, by) ? HOST_TABLES[by] : undefined;
  if (kind === undefined) {
    // `api` is also a column of kernels.
    const alone = by.split(',').find((key) => Object.hasOwn(HOST_TABLES, key.trim()) && key.trim() !== 'api');
    if (alone === undefined) return null;
    throw new UsageError(
      `--by ${alone.trim()} cannot be combined with other keys`,
      'it lists CPU events, but combined keys group kernels',
    );
  }
  const name: Column<HostTableRow> = knownColumn(by, kind.header, str(0), 'name', (row) => row.name);
  const others = HOST_COLUMNS.map((hostColumn) =>
    hostColumn.key === 'kernels' ? { ...hostColumn, header: kind.launched } : hostColumn,
  );
  const all = [name, ...others];
  const chosen = splitKeys('-c', columns ?? DEFAULT_HOST_COLUMNS).map((key) => requireColumnOf(all, key));
  return {
    kind,
    columns: chosen.includes(name) ? chosen : [name, ...chosen],
    sort: parseSortKeys(sort ?? 'host', (key) => requireColumnOf(all, key)),
    top: top ?? Infinity,
  };
}

/** The rows in sort order; equal rows are sorted by name. */
export function* sortedRows(table: HostTable, { sort, top }: HostGrouping): Generator<HostTableRow> {
  const sorted = new SortedOutput<HostTableRow, HostTableRow>(sort, top);
  const byName = [...table.rows()].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const row of byName) sorted.add(row, (kept) => kept);
  for (const batch of sorted.batches()) yield* batch;
}
