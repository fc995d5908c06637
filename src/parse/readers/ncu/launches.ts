/**
 * Kernel launches in a report that Nsight Compute printed as CSV. The raw page has a row for each launch, a column for each
 * metric, and the units in the first row; other pages have a row for each metric. Memory: every metric of every launch.
 *
 * Source: Nsight Compute CLI, console output (--csv, --page, --print-units). The columns before the metrics differ between
 * versions, so columns are found by name.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Extent } from '../../../record/record.js';
import { CsvTable, type CsvRow } from '../../csv/csv-table.js';

/** The decimal separator in `1,234.5` or `1.234,5`, which depends on the locale in which the report was printed. */
type Decimals = '.' | ',';

const GROUPED = {
  '.': /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/,
  ',': /^[-+]?\d{1,3}(?:[.' \u00a0\u202f]\d{3})+(?:,\d*)?$/,
};
const FRACTION = { '.': /^[-+]?\d+\.(?!\d{3}$)\d*$/, ',': /^[-+]?\d+,(?!\d{3}$)\d*$/ };
/** A number whose separator is ambiguous: `1,234` is 1234 in one locale, and 1.234 in another. */
const UNCLEAR = /^[-+]?\d{1,3}[.,]\d{3}$/;

/** The decimal separator in the numbers of a report; a point when no number shows it. */
export function decimalsOf(texts: Iterable<string>): Decimals {
  const votes = { '.': 0, ',': 0 };
  for (const text of texts) {
    if (UNCLEAR.test(text)) continue;
    for (const sign of ['.', ','] as const) if (GROUPED[sign].test(text) || FRACTION[sign].test(text)) votes[sign]++;
  }
  return votes[','] > votes['.'] ? ',' : '.';
}

/** A number in a string; NaN for other strings, such as `n/a` and values of metrics that are strings. */
export function numberOfText(text: string, decimals: Decimals): number {
  const plain = text.trim().replace(decimals === '.' ? /,/g : /[.' \u00a0\u202f]/g, '');
  const number = decimals === '.' ? plain : plain.replace(',', '.');
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(number) ? Number(number) : NaN;
}

const PREFIXES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
/** Units of time, in ns. */
const TIMES: Readonly<Record<string, number>> = {
  ...{ nsecond: 1, usecond: 1e3, msecond: 1e6, second: 1e9, ns: 1, us: 1e3, ms: 1e6, s: 1e9 },
};

/** Factor that converts a value in this unit to base units: `usecond` 1e3 (ns), `Mbyte/second` 1e6, `cycle/nsecond` 1e9. */
export function factorOf(unit: string): number {
  const [above = '', below] = unit.trim().split('/');
  const time = TIMES[above];
  if (time !== undefined && below === undefined) return time;
  const [, prefix] = /^([KMGTP])[a-z]/.exec(above) ?? [];
  const scale = prefix === undefined ? 1 : (PREFIXES[prefix] ?? 1);
  const perTime = below === undefined ? undefined : TIMES[below];
  return perTime === undefined ? scale : scale * (1e9 / perTime);
}

export interface NcuLaunch {
  readonly name: string;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  readonly device: number;
  readonly stream: number | null;
  readonly pid: number | null;
  /** Compute capability, such as `8.0`; '' when the report has none. */
  readonly capability: string;
  /** Values of the metrics in base units: ns, bytes, Hz, counts. */
  readonly counters: Readonly<Record<string, number>>;
  /** Present when rows of earlier launches are lost: it is then unknown which kernel this launch belongs to. */
  readonly afterLost?: true;
}

interface PrintedMetric {
  readonly name: string;
  readonly unit: string;
  readonly value: string;
}

interface PrintedLaunch {
  /** Looks up a cell in the first row of the launch. */
  readonly cell: (column: string) => string;
  readonly metrics: PrintedMetric[];
  readonly isAfterLost: boolean;
}

/** Columns that describe the launch and are not metrics. */
const ABOUT: ReadonlySet<string> = new Set([
  ...['ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Kernel Time', 'Context', 'Stream'],
  ...['Block Size', 'Grid Size', 'Device', 'CC', 'Section Name', 'Metric Name', 'Metric Unit', 'Metric Value'],
  ...['Rule Name', 'Rule Type', 'Rule Description', 'Estimated Speedup Type', 'Estimated Speedup'],
]);

/**
 * Reads the launches of a report. Every row is used or counted, except lines of the profiler between them.
 * @param above number of lines above the header
 * @returns null when the file is not such a report
 */
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

const PROFILER_LINE = /^==[A-Z\d]+== /;
const WHOLE = /^\d+$/;

/** Whether the cells belong to their columns. In a row that is damaged at its start, they are shifted. */
function isLaunch(cell: PrintedLaunch['cell']): boolean {
  const isExtent = (text: string): boolean => text === '' || extentOf(text) !== null;
  const isInPlace = isExtent(cell('Grid Size')) && isExtent(cell('Block Size')) && /^\d*$/.test(cell('Process ID'));
  return isInPlace && cell('Kernel Name') !== '';
}

/**
 * Counts a row that is neither a launch nor a line of the profiler. A row with an open quote has swallowed the following
 * lines, which are counted too.
 */
function countUnused(row: CsvRow, diagnostics: Diagnostics): void {
  const lines = row.join('').split('\n').length;
  if (!PROFILER_LINE.test(row[0] ?? '')) diagnostics.count('csv-row-passed-over', lines);
}

/**
 * Checks the numbers of launches. A report numbers launches without gaps, so a gap after lost rows means that launches
 * were lost too.
 */
class Numbers {
  isAfterLost = false;
  #previous = -1;

  constructor(private readonly diagnostics: Diagnostics) {}

  get isRowLost(): boolean {
    return this.diagnostics.get('csv-row-passed-over') > 0;
  }

  /** @param id number of a launch that no earlier row has; a damaged number counts as the next one */
  add(id: string): void {
    const number: number = WHOLE.test(id) ? Number(id) : this.#previous + 1;
    if (this.isRowLost && number !== this.#previous + 1) this.isAfterLost = true;
    this.#previous = number;
  }
}

/** Reads a report with a row for each launch, below a row of units. */
function wideLaunches(table: CsvTable, diagnostics: Diagnostics): PrintedLaunch[] {
  const metrics = table.header.flatMap((name, at) => (name === '' || ABOUT.has(name) ? [] : [{ name, at }]));
  const numbers = new Numbers(diagnostics);
  let units: CsvRow | null = null;
  const launches: PrintedLaunch[] = [];
  for (const row of table.rows()) {
    const cell = cellsOf(table, row);
    const isWhole = row.length === table.header.length;
    if (isWhole && isLaunch(cell)) {
      const id = cell('ID');
      if (!WHOLE.test(id)) diagnostics.count('bad-row');
      numbers.add(id);
      // Without the row of units, the values have no meaning.
      const known = units === null && numbers.isRowLost ? [] : metrics;
      launches.push({
        cell,
        metrics: known.map(({ name, at }) => ({ name, unit: units?.[at] ?? '', value: row[at] ?? '' })),
        isAfterLost: numbers.isAfterLost,
      });
    } else if (isWhole && launches.length === 0 && cell('Kernel Name') === '') units = row;
    else countUnused(row, diagnostics);
  }
  return launches;
}

/**
 * Reads a report with a row for each metric. Launches are identified by process and number. Rows may end before the columns
 * of rules.
 */
function longLaunches(table: CsvTable, diagnostics: Diagnostics): PrintedLaunch[] {
  const least = table.column('Metric Value');
  const launches = new Map<string, PrintedLaunch>();
  const numbers = new Numbers(diagnostics);
  for (const row of table.rows()) {
    const cell = cellsOf(table, row);
    const isWhole = row.length > least && row.length <= table.header.length;
    if (!isWhole || !isLaunch(cell) || !WHOLE.test(cell('ID'))) {
      countUnused(row, diagnostics);
      continue;
    }
    const launch = entryOf(launches, `${cell('Process ID')}/${cell('ID')}`, () => {
      numbers.add(cell('ID'));
      return { cell, metrics: [], isAfterLost: numbers.isAfterLost };
    });
    const metric = { name: cell('Metric Name'), unit: cell('Metric Unit'), value: cell('Metric Value') };
    // Rows of rules have no metric.
    if (metric.name !== '') launch.metrics.push(metric);
  }
  return [...launches.values()];
}

function launchOf({ cell, metrics, isAfterLost }: PrintedLaunch, decimals: Decimals): NcuLaunch {
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
    ...(isAfterLost ? { afterLost: true as const } : undefined),
  };
}

/** Extent in a string such as `(64, 1, 1)` or `64,1,1`; null for any other text. */
function extentOf(text: string): Extent | null {
  const [, x, y, z] = /^\(?\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)?$/.exec(text) ?? [];
  return x === undefined || y === undefined || z === undefined ? null : [Number(x), Number(y), Number(z)];
}
