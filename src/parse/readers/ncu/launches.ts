/**
 * Kernel launches of a report that Nsight Compute printed as CSV: of the raw page a row a launch, a column a metric and
 * the units in the first row; of other pages a row a metric. Memory: every metric of every launch.
 *
 * Source: Nsight Compute CLI, console output (--csv, --page, --print-units). The columns before the metrics differ
 * between versions: whichever are there are read.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Extent } from '../../../record/record.js';
import { CsvTable, type CsvRow } from '../../csv/csv-table.js';
import { decimalsOf, factorOf, numberOfText, type Decimals } from './printed-numbers.js';

export interface NcuLaunch {
  readonly name: string;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  readonly device: number;
  readonly stream: number | null;
  readonly pid: number | null;
  /** Compute capability, `8.0`; '' where the report has none. */
  readonly capability: string;
  /** Values in base units: ns, bytes, Hz, counts. */
  readonly counters: Readonly<Record<string, number>>;
}

interface PrintedMetric {
  readonly name: string;
  readonly unit: string;
  readonly value: string;
}

interface PrintedLaunch {
  /** Cells of the first row of the launch. */
  readonly cell: (column: string) => string;
  readonly metrics: PrintedMetric[];
}

/** Columns about the launch rather than metrics. */
const ABOUT: ReadonlySet<string> = new Set([
  ...['ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Kernel Time', 'Context', 'Stream'],
  ...['Block Size', 'Grid Size', 'Device', 'CC', 'Section Name', 'Metric Name', 'Metric Unit', 'Metric Value'],
  ...['Rule Name', 'Rule Type', 'Rule Description', 'Estimated Speedup Type', 'Estimated Speedup'],
]);

/** Null for a file that is no such report. @param above lines above the header */
export function readLaunches(path: string, above: number, diagnostics: Diagnostics): NcuLaunch[] | null {
  const table = CsvTable.open(path, diagnostics, { above, rows: 'any' });
  if (table === null || table.column('ID') === -1 || table.column('Kernel Name') === -1) return null;
  const printed =
    table.column('Metric Name') === -1 ? wideLaunches(table, diagnostics) : longLaunches(table, diagnostics);
  const decimals = decimalsOf(valuesOf(printed));
  return printed.map((launch) => launchOf(launch, decimals));
}

function* valuesOf(launches: readonly PrintedLaunch[]): Generator<string> {
  for (const { metrics } of launches) for (const { value } of metrics) yield value;
}

const cellsOf =
  (table: CsvTable, row: CsvRow): PrintedLaunch['cell'] =>
  (column) =>
    row[table.column(column)]?.trim() ?? '';

const isLaunch = (row: CsvRow, id: number): boolean => /^\d+$/.test(row[id]?.trim() ?? '');

/** A row a launch; rows without a number are units, or what the program printed. */
function wideLaunches(table: CsvTable, diagnostics: Diagnostics): PrintedLaunch[] {
  const id = table.column('ID');
  const metrics = table.header.flatMap((name, at) => (name === '' || ABOUT.has(name) ? [] : [{ name, at }]));
  let units: CsvRow = [];
  const launches: PrintedLaunch[] = [];
  for (const row of table.rows()) {
    if (isLaunch(row, id)) {
      if (row.length < table.header.length) diagnostics.count('csv-row-short');
      const values = metrics.map(({ name, at }) => ({ name, unit: units[at] ?? '', value: row[at] ?? '' }));
      launches.push({ cell: cellsOf(table, row), metrics: values });
    } else if (row.length === table.header.length && launches.length === 0) units = row;
  }
  return launches;
}

/** A row a metric; launches are identified by process and number. */
function longLaunches(table: CsvTable, diagnostics: Diagnostics): PrintedLaunch[] {
  const id = table.column('ID');
  const launches = new Map<string, PrintedLaunch>();
  for (const row of table.rows()) {
    if (!isLaunch(row, id)) continue;
    if (row.length < table.header.length) diagnostics.count('csv-row-short');
    const cell = cellsOf(table, row);
    const launch = entryOf(launches, `${cell('Process ID')}/${cell('ID')}`, () => ({ cell, metrics: [] }));
    const metric = { name: cell('Metric Name'), unit: cell('Metric Unit'), value: cell('Metric Value') };
    // Rows of rules have no metric.
    if (metric.name !== '') launch.metrics.push(metric);
  }
  return [...launches.values()];
}

function launchOf({ cell, metrics }: PrintedLaunch, decimals: Decimals): NcuLaunch {
  const counters: Record<string, number> = {};
  for (const { name, unit, value } of metrics) {
    const number = numberOfText(value, decimals) * factorOf(unit);
    if (!Number.isNaN(number)) counters[name] = number;
  }
  const whole = (column: string): number | null => (/^\d+$/.test(cell(column)) ? Number(cell(column)) : null);
  return {
    name: cell('Kernel Name'),
    grid: extentOf(cell('Grid Size')),
    block: extentOf(cell('Block Size')),
    device: whole('Device') ?? 0,
    stream: whole('Stream'),
    pid: whole('Process ID'),
    capability: cell('CC'),
    counters,
  };
}

/** `(64, 1, 1)`, `64,1,1`. */
function extentOf(text: string): Extent | null {
  const [, x, y, z] = /^\(?\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)?$/.exec(text) ?? [];
  return x === undefined || y === undefined || z === undefined ? null : [Number(x), Number(y), Number(z)];
}
