/** Values over time: clock of the cores, bandwidths, memory. One row of a table may hold several values. */
import { elementAt } from '../../../../containers/element.js';
import { ValueLine } from '../../../../record/value-line.js';
import { LruCache } from '../../../../containers/lru-cache.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { orNull, type NumericColumn } from '../../../../containers/numeric-column.js';
import { integerOf, numberOf, type SqliteFile } from '../../../sqlite/sqlite.js';
import { cleanText } from '../kernel-labels.js';
import { isNear } from '../../../trace/clocks/exact-times.js';
import { hasTimes, type DatabaseClock } from '../../../sqlite/database-clock.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { IsStray } from '../../../trace/trace.js';
import { Dated } from '../../../trace/dated-records.js';
import { SAMPLE_TABLES, type SampleTable, type ValueColumn } from './sample-tables.js';
import type { StringTable } from './string-table.js';

/** A row: start, device, the table's labels, its values, until where the table has it; NaN for a missing cell. */
type SampleRow = readonly number[];
const [START, DEVICE, FIRST_LABEL] = [0, 1, 2];

interface SeriesState {
  readonly labels: Labels | null;
  last: number;
}

type SeriesMap = Pick<Map<number | string, SeriesState>, 'get' | 'set'> | LruCache<number | string, SeriesState>;

export class SampleRows {
  /** First and last times of each table, relative to the clock's base until the times are moved. */
  readonly starts: readonly NumericColumn[];
  /** Of the times until which values hold, the same. */
  readonly ends: readonly NumericColumn[];
  /** By metric; then by device and labels. */
  readonly #series = new Map<ValueColumn, SeriesMap>();
  #modules: ReadonlyMap<number, string> | null = null;

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: DatabaseClock,
    private readonly strings: StringTable,
    private readonly diagnostics: Diagnostics,
  ) {
    this.starts = SAMPLE_TABLES.map(({ table, time }) => clock.extremes(table, time));
    this.ends = SAMPLE_TABLES.flatMap(({ table, time, until }) =>
      until === undefined ? [] : [clock.extremes(table, until, time)],
    );
  }

  /** The highest clock of the cores of each device, in Hz. */
  clocks(): Map<number, number> {
    const clocks = new Map<number, number>();
    this.database.eachNumbers('AICORE_FREQ', ['deviceId', 'freq'], ([device = NaN, freq = NaN]) => {
      if (freq > 0) clocks.set(device, Math.max(clocks.get(device) ?? 0, freq * 1e6));
    });
    return clocks;
  }

  /** All samples in order of time; of one time, in the order of the tables. */
  *records(profile: number, isStray: IsStray): Generator<SampleRecord> {
    const tables = SAMPLE_TABLES.map((table) => ({
      table,
      rows: new Dated(this.#rowsOf(table), startOf),
    }));
    try {
      for (;;) {
        const first = tables.reduce((least, each) => (each.rows.next < least.rows.next ? each : least));
        if (first.rows.next === Infinity) return;
        const row = first.rows.take();
        if (!isStray(this.clock.sinceFirst(startOf(row)))) yield* this.#samplesOf(first.table, row, profile);
      }
    } finally {
      for (const { rows } of tables) rows.close();
    }
  }

  /** The rows of a table in order of time. SQLite sorts them, in a temporary file where they are many. */
  *#rowsOf({ table, time, until, labels, values, decimals }: SampleTable): Generator<SampleRow> {
    const { clock } = this;
    const read = decimals === true ? numberOf : integerOf;
    const cells = [...labels, ...values].map(({ column }) => column);
    // Rows of one time are in order of these cells too.
    const columns = [clock.since(time), 'deviceId', ...cells, ...(until === undefined ? [] : [clock.since(until)])];
    for (const row of this.database.rows(table, columns, [], true)) {
      const numbers = row.map(read);
      if (hasTimes([startOf(numbers)], this.diagnostics, 'row-passed-over')) yield numbers;
    }
  }

  #samplesOf(table: SampleTable, row: SampleRow, profile: number): SampleRecord[] {
    const start = this.clock.sinceFirst(startOf(row));
    const device = orNull(elementAt(row, DEVICE));
    const samples: SampleRecord[] = [];
    table.values.forEach((column, i) => {
      const { metric, unit, scale = 1 } = column;
      const value = elementAt(row, FIRST_LABEL + table.labels.length + i) * scale;
      if (Number.isNaN(value)) return;
      if (table.until !== undefined) {
        const labels = this.#readLabels(table, column, row);
        const named = labels === null ? undefined : { labels };
        samples.push({ type: 'sample', profile, start, dur: durOf(row), device, metric, value, unit, ...named });
        return;
      }
      const series = this.#seriesOf(table, column, row);
      if (table.onChange === true && series.last === value) return;
      series.last = value;
      samples.push(new ValueLine(profile, start, device, metric, value, unit, series.labels));
    });
    return samples;
  }

  /** The series to which a value of a row belongs: by its device and labels. */
  #seriesOf(table: SampleTable, value: ValueColumn, row: SampleRow): SeriesState {
    let all = this.#series.get(value);
    // The last value of a series is needed only where repeated ones are left out.
    if (all === undefined) this.#series.set(value, (all = table.onChange === true ? new Map() : new LruCache(256)));
    const key = keyOf(row, table.labels.length);
    let series = all.get(key);
    if (series === undefined) all.set(key, (series = { labels: this.#readLabels(table, value, row), last: NaN }));
    return series;
  }

  #readLabels(table: SampleTable, value: ValueColumn, row: SampleRow): Labels | null {
    const labels: Record<string, string | number> = {};
    table.labels.forEach(({ name, is }, i) => {
      const cell = elementAt(row, FIRST_LABEL + i);
      const text =
        is === 'string' ? cleanText(this.strings.text(cell)) : is === 'module' ? this.#moduleOf(cell) : orNull(cell);
      if (text !== null) labels[name] = text;
    });
    Object.assign(labels, value.labels);
    return Object.keys(labels).length === 0 ? null : labels;
  }

  #moduleOf(id: number): string | number | null {
    this.#modules ??= new Map(
      [...this.database.rows('ENUM_MODULE', ['id', 'name'])].map(([module, name]) => [Number(module), String(name)]),
    );
    return this.#modules.get(id) ?? orNull(id);
  }
}

const startOf = (row: SampleRow): number => elementAt(row, START);

/** ns that the values of a row with an end hold; null for memory that is never released: it is held to the end. */
function durOf(row: SampleRow): number | null {
  const until = elementAt(row, row.length - 1);
  return isNear(until) && until >= startOf(row) ? until - startOf(row) : null;
}

/** Device and labels of a row: a number where possible, since number keys are faster than texts. */
function keyOf(row: SampleRow, labelCount: number): number | string {
  const [device, first] = [elementAt(row, DEVICE), elementAt(row, FIRST_LABEL)];
  if (labelCount === 1 && device >= 0 && device < 256 && first >= 0) return first * 256 + device;
  return row.slice(DEVICE, FIRST_LABEL + labelCount).join();
}
