/**
 * Statistics over a run: one row for each metric of each core, process (by its tag), device and the system.
 *
 * Percentiles need all values, 8 bytes each; when a run has more than the maximum, they are unknown.
 */
import { column, knownColumn, int, real, str, requireColumnOf, type Column } from '../../../table/column.js';
import { entryOf } from '../../../containers/map-entry.js';
import { quantile } from '../../../record/statistics.js';
import { periodOf, type MonitorColumn, type MonitorLine } from './monitor-columns.js';
import type { MonitorRow } from './monitor-report.js';

/** Maximum number of values to keep: 128 MB. */
const MOST_VALUES = 16e6;

/** The values of one metric in one row of the reports. */
interface Series {
  readonly row: MonitorRow;
  readonly metric: MonitorColumn;
  count: number;
  total: number;
  /** Sum of the values weighted by their periods, and sum of these periods, over values with a period. */
  weighted: number;
  dur: number;
  min: number;
  max: number;
  /** Empty once the run has too many. */
  values: number[];
}

export interface StatRow extends Series {
  readonly sorted: Float64Array;
}

export class MonitorStats {
  readonly #series = new Map<string, Series>();
  #values = 0;

  /** @param metrics numeric columns; others are ignored */
  constructor(
    private readonly metrics: readonly MonitorColumn[],
    private readonly mostValues = MOST_VALUES,
  ) {}

  /** Whether the run has too many values to compute percentiles. */
  get isTooLong(): boolean {
    return this.#values > this.mostValues;
  }

  take(lines: readonly MonitorLine[]): void {
    for (const line of lines) {
      for (const metric of this.metrics) {
        const value = metric.measures === undefined ? null : metric.value(line);
        if (typeof value === 'number') this.#add(line.row, metric, value);
      }
    }
  }

  #add(row: MonitorRow, metric: MonitorColumn, value: number): void {
    const { scope, tag, device, core, name } = row;
    const series = entryOf(this.#series, JSON.stringify([scope, tag, device, core, name, metric.key]), () => ({
      ...{ row, metric, count: 0, total: 0, weighted: 0, dur: 0, min: Infinity, max: -Infinity, values: [] },
    }));
    series.count++;
    series.total += value;
    const period = periodOf(metric, row);
    if (period !== null) {
      series.weighted += value * period;
      series.dur += period;
    }
    series.min = Math.min(series.min, value);
    series.max = Math.max(series.max, value);
    if (++this.#values <= this.mostValues) series.values.push(value);
    else series.values = [];
  }

  /** Rows in the order of the reports. */
  rows(): StatRow[] {
    return [...this.#series.values()].map((series) => ({
      ...series,
      sorted: Float64Array.from(this.isTooLong ? [] : series.values).sort(),
    }));
  }
}

/** Reports are of unequal length (the first one of only some milliseconds), so amounts and rates have a mean over time. */
const meanOf = ({ metric, total, count, weighted, dur }: Series): number =>
  metric.measures === 'amount' && dur > 0 ? weighted / dur : total / count;

const COUNT = int(8);
const AMOUNT = { ...real(14), significant: 12 };

const percentile = (key: string, header: string, share: number, doc: string): Column<StatRow> =>
  column(key, header, AMOUNT, doc, ({ sorted }) => quantile(sorted, share));

export const STAT_COLUMNS: readonly Column<StatRow>[] = [
  knownColumn('scope', 'Scope', str(8), 'subject of the row: see --rows', ({ row }) => row.scope, { vocabulary: true }),
  column('tag', 'Tag', str(0), "process's tag, or its pid if it has none", ({ row }) => row.tag),
  column('device', 'Device', int(6), 'device', ({ row }) => row.device),
  column('core', 'Core', int(6), 'core, numbered across all devices', ({ row }) => row.core),
  column('name', 'Name', str(0), 'physical core, vCPU, model:subgraph', ({ row }) => row.name),
  knownColumn('metric', 'Metric', str(10), 'column of the reports: see --columns', ({ metric }) => metric.key, {
    vocabulary: true,
  }),
  knownColumn('unit', 'Unit', str(6), 'unit of all columns except the count', ({ metric }) => metric.unit ?? 'count', {
    vocabulary: true,
  }),
  knownColumn('count', 'Count', COUNT, 'number of reports with a value', ({ count }) => count),
  column('total', 'Total', AMOUNT, 'sum (counts only)', ({ metric, total }) =>
    metric.measures === 'count' ? total : null,
  ),
  knownColumn(
    'mean',
    'Mean',
    AMOUNT,
    'mean over time, weighted by the period of each report; for counts the mean per report',
    meanOf,
  ),
  knownColumn('min', 'Min', AMOUNT, 'minimum', ({ min }) => min),
  percentile('p50', 'P50', 0.5, 'median of the values'),
  percentile('p90', 'P90', 0.9, '90th percentile of the values'),
  percentile('p99', 'P99', 0.99, '99th percentile of the values'),
  knownColumn('max', 'Max', AMOUNT, 'maximum', ({ max }) => max),
];

/** The table of a run. */
export const statsTable = (stats: MonitorStats): { columns: readonly Column<StatRow>[]; rows: StatRow[] } => ({
  columns: STAT_COLUMNS,
  rows: stats.rows(),
});

/** @throws UsageError naming the nearest key */
export const statColumnOf = (key: string): Column<StatRow> => requireColumnOf(STAT_COLUMNS, key);
