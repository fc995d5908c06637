/**
 * Values over time: clock of the cores, bandwidths, memory. One row of a table may hold several values. Memory: 60
 * bytes a row, while the samples are read.
 */
import { ValueLine } from '../../../../record/value-line.js';
import { Recent } from '../../../../record/recent.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { Column, orNull } from '../../../column.js';
import { allRows, sortRows } from '../../../order.js';
import type { SqliteFile, TakeNumbers } from '../../../sqlite.js';
import { told } from '../kernel-labels.js';
import { isNear, type Clock } from './clock.js';
import type { Strings } from './strings.js';

interface Value {
  readonly column: string;
  readonly metric: string;
  readonly unit: string;
  readonly scale?: number;
  readonly labels?: Labels;
}

/** A label by its column: a string, or a number. */
interface Label {
  readonly name: string;
  readonly column: string;
  readonly is: 'string' | 'number';
}

interface SampleTable {
  readonly table: string;
  readonly time: string;
  /** Where a value holds until then. */
  readonly until?: string;
  /** Rows come with every event, whatever it changes: values that stay as they were are not told again. */
  readonly onChange?: true;
  /** Whether values may have decimals; whole numbers are read faster. */
  readonly decimals?: true;
  readonly values: readonly Value[];
  readonly labels: readonly Label[];
}

const label = (name: string, column: string, is: Label['is']): Label => ({ name, column, is });
const bytes = (column: string, metric: string, labels?: Labels): Value => ({
  column,
  metric,
  unit: 'bytes',
  ...(labels === undefined ? undefined : { labels }),
});

const TABLES: readonly SampleTable[] = [
  {
    table: 'AICORE_FREQ',
    time: 'timestampNs',
    values: [{ column: 'freq', metric: 'aicore_freq', unit: 'Hz', scale: 1e6 }],
    labels: [label('die', 'dieId', 'number')],
  },
  {
    table: 'HBM',
    time: 'timestampNs',
    decimals: true,
    values: [{ column: 'bandwidth', metric: 'hbm_bandwidth', unit: 'bytes/s' }],
    labels: [label('hbm', 'hbmId', 'number'), label('access', 'type', 'string')],
  },
  {
    table: 'LLC',
    time: 'timestampNs',
    decimals: true,
    values: [
      { column: 'throughput', metric: 'llc_throughput', unit: 'bytes/s' },
      { column: 'hitRate', metric: 'llc_hit_rate', unit: '%' },
    ],
    labels: [label('llc', 'llcId', 'number'), label('access', 'mode', 'string')],
  },
  {
    table: 'NPU_MEM',
    time: 'timestampNs',
    decimals: true,
    values: [bytes('hbm', 'npu_mem', { memory: 'hbm' }), bytes('ddr', 'npu_mem', { memory: 'ddr' })],
    labels: [label('of', 'type', 'string')],
  },
  {
    table: 'MEMORY_RECORD',
    time: 'timestamp',
    onChange: true,
    values: [
      bytes('totalAllocated', 'memory_allocated'),
      bytes('totalReserved', 'memory_reserved'),
      bytes('totalActive', 'memory_active'),
    ],
    labels: [label('component', 'component', 'string')],
  },
  {
    table: 'OP_MEMORY',
    time: 'allocationTime',
    until: 'releaseTime',
    values: [bytes('size', 'op_memory')],
    labels: [
      label('op', 'name', 'string'),
      label('allocated', 'allocationTotalAllocated', 'number'),
      label('reserved', 'allocationTotalReserved', 'number'),
      label('active', 'allocationTotalActive', 'number'),
    ],
  },
];

const MOST_VALUES = 3;
const MOST_LABELS = 4;

/** The values of one thing over time. */
interface Series {
  readonly labels: Labels | null;
  last: number;
}

export class SampleRows {
  /** By table and value, then by device and labels. */
  readonly #series: Recent<number | string, Series>[] = [];

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: Clock,
    private readonly strings: Strings,
  ) {}

  /** Earliest time of each table, relative to the clock's base. */
  earliest(): number[] {
    return TABLES.map(({ table, time }) => this.clock.earliest(table, time));
  }

  /** The highest clock of the cores of each device, in Hz. */
  clocks(): Map<number, number> {
    const clocks = new Map<number, number>();
    this.database.eachNumbers('AICORE_FREQ', ['deviceId', 'freq'], ([device = NaN, freq = NaN]) => {
      if (freq > 0) clocks.set(device, Math.max(clocks.get(device) ?? 0, freq * 1e6));
    });
    return clocks;
  }

  /** All samples in order of time. */
  *records(profile: number): Generator<SampleRecord> {
    const rows = new Rows();
    TABLES.forEach((table, code) => {
      this.#read(table, code, rows);
    });
    for (const row of rows.inOrder()) {
      const { values, until, onChange } = TABLES[rows.table.at(row)] as SampleTable;
      const start = rows.start.at(row);
      const device = orNull(rows.device.at(row));
      for (let i = 0; i < values.length; i++) {
        const { metric, unit, scale = 1 } = values[i] as Value;
        const value = (rows.values[i]?.at(row) ?? NaN) * scale;
        if (Number.isNaN(value)) continue;
        if (until !== undefined) {
          const labels = this.#readLabels(i, row, rows);
          const dur = durationOf(start, rows.end.at(row));
          yield {
            type: 'sample',
            profile,
            start,
            dur,
            device,
            metric,
            value,
            unit,
            ...(labels === null ? undefined : { labels }),
          };
          continue;
        }
        const series = this.#seriesOf(i, row, rows);
        if (onChange === true && series.last === value) continue;
        series.last = value;
        yield new ValueLine(profile, start, device, metric, value, unit, series.labels);
      }
    }
  }

  #read(table: SampleTable, code: number, rows: Rows): void {
    const { clock } = this;
    const columns = [
      clock.since(table.time),
      ...(table.until === undefined ? [{ needs: [], sql: 'NULL' }] : [clock.since(table.until)]),
      'deviceId',
      ...table.values.map(({ column }) => column),
      ...table.labels.map(({ column }) => column),
    ];
    const ownLabels = 3 + table.values.length;
    const take: TakeNumbers = (cells) => {
      const [start = NaN, end = NaN, device = NaN] = cells;
      if (!isNear(start)) return;
      rows.table.push(code);
      rows.start.push(clock.sinceFirst(start));
      rows.end.push(isNear(end) ? clock.sinceFirst(end) : NaN);
      rows.device.push(device);
      for (let i = 0; i < MOST_VALUES; i++) rows.values[i]?.push(i < table.values.length ? (cells[3 + i] ?? NaN) : NaN);
      for (let i = 0; i < MOST_LABELS; i++) {
        rows.labels[i]?.push(i < table.labels.length ? (cells[ownLabels + i] ?? NaN) : NaN);
      }
    };
    if (table.decimals === true) this.database.eachReal(table.table, columns, take);
    else this.database.eachNumbers(table.table, columns, take);
  }

  /** The series to which a value of a row belongs. */
  #seriesOf(value: number, row: number, rows: Rows): Series {
    const first = rows.labels[0]?.at(row) ?? NaN;
    const second = rows.labels[1]?.at(row) ?? NaN;
    const device = rows.device.at(row);
    const known = (this.#series[rows.table.at(row) * MOST_VALUES + value] ??= new Recent(256));
    // Numbers are found sooner than texts.
    const isSmall = Number.isNaN(second) && device >= 0 && device < 256;
    const key = isSmall ? first * 256 + device : `${first},${second},${device}`;
    return known.of(key, () => ({ labels: this.#readLabels(value, row, rows), last: NaN }));
  }

  #readLabels(value: number, row: number, rows: Rows): Labels | null {
    const table = TABLES[rows.table.at(row)] as SampleTable;
    const labels: Record<string, string | number> = {};
    table.labels.forEach(({ name, is }, i) => {
      const cell = rows.labels[i]?.at(row) ?? NaN;
      const text = is === 'string' ? told(this.strings.text(cell)) : orNull(cell);
      if (text !== null) labels[name] = text;
    });
    Object.assign(labels, table.values[value]?.labels);
    return Object.keys(labels).length === 0 ? null : labels;
  }
}

/** Null where the end is not known: memory that is never released is held to the end. */
const durationOf = (start: number, end: number): number | null => (end >= start ? end - start : null);

class Rows {
  readonly table = Column.codes();
  readonly start = Column.floats();
  readonly end = Column.floats();
  readonly device = Column.floats();
  readonly values: readonly Column[] = Array.from({ length: MOST_VALUES }, () => Column.floats());
  readonly labels: readonly Column[] = Array.from({ length: MOST_LABELS }, () => Column.floats());

  /** In order of time, those of one time by what they hold. */
  inOrder(): Uint32Array {
    const rows = allRows(this.start.length);
    const columns = [this.device, ...this.labels, ...this.values, this.end];
    sortRows(rows, (a, b) => {
      const first = this.start.at(a) - this.start.at(b) || this.table.at(a) - this.table.at(b);
      if (first !== 0) return first;
      for (const column of columns) {
        const difference = column.at(a) - column.at(b);
        // NaN, where a cell of either is missing, tells no order.
        if (difference < 0 || difference > 0) return difference;
      }
      return 0;
    });
    return rows;
  }
}
