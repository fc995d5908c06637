/** Values over time: clock of the cores, bandwidths, memory. One row of a table may hold several values. */
import { ValueLine } from '../../../../record/value-line.js';
import { LruCache } from '../../../../containers/lru-cache.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { orNull } from '../../../../containers/numeric-column.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import { cleanText } from '../kernel-labels.js';
import { isNear, type DatabaseClock } from './database-clock.js';
import { SampleColumns } from './sample-columns.js';
import { SAMPLE_TABLES, type ValueColumn } from './sample-tables.js';
import type { StringTable } from './string-table.js';

/** State of one series of values. */
interface SeriesState {
  readonly labels: Labels | null;
  last: number;
}

export class SampleRows {
  /** By metric, device and labels. */
  readonly #series = new Map<ValueColumn, LruCache<number | string, SeriesState>>();
  #modules: ReadonlyMap<number, string> | null = null;

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: DatabaseClock,
    private readonly strings: StringTable,
  ) {}

  /** Earliest time of each table, relative to the clock's base. */
  earliest(): number[] {
    return SAMPLE_TABLES.map(({ table, time }) => this.clock.earliest(table, time));
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
  *records(profile: number): Generator<SampleRecord> {
    const tables = SAMPLE_TABLES.map((table) => new SampleColumns(this.database, this.clock, table));
    for (;;) {
      let first = tables[0] as SampleColumns;
      for (const rows of tables) if (rows.next < first.next) first = rows;
      if (first.next === Infinity) return;
      yield* this.#samplesOf(first, first.take(), profile);
    }
  }

  *#samplesOf(rows: SampleColumns, row: number, profile: number): Generator<SampleRecord> {
    const { table } = rows;
    const start = this.clock.sinceFirst(rows.start.at(row));
    const device = orNull(rows.device.at(row));
    for (const [i, column] of table.values.entries()) {
      const { metric, unit, scale = 1 } = column;
      const value = rows.value(i, row) * scale;
      if (Number.isNaN(value)) continue;
      if (table.until !== undefined) {
        const labels = this.#readLabels(column, rows, row);
        const end = rows.until.at(row);
        // Memory that is never released is held to the end.
        const dur = isNear(end) && end >= rows.start.at(row) ? end - rows.start.at(row) : null;
        const named = labels === null ? undefined : { labels };
        yield { type: 'sample', profile, start, dur, device, metric, value, unit, ...named };
        continue;
      }
      const series = this.#seriesOf(column, rows, row);
      if (table.onChange === true && series.last === value) continue;
      series.last = value;
      yield new ValueLine(profile, start, device, metric, value, unit, series.labels);
    }
  }

  /** The series to which a value of a row belongs. */
  #seriesOf(value: ValueColumn, rows: SampleColumns, row: number): SeriesState {
    let known = this.#series.get(value);
    if (known === undefined) this.#series.set(value, (known = new LruCache(256)));
    return known.of(rows.key(row), () => ({ labels: this.#readLabels(value, rows, row), last: NaN }));
  }

  #readLabels(value: ValueColumn, rows: SampleColumns, row: number): Labels | null {
    const labels: Record<string, string | number> = {};
    rows.table.labels.forEach(({ name, is }, i) => {
      const cell = rows.label(i, row);
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
