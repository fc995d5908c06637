/**
 * Tables of values over time with their metrics and labels, and their rows: clock of the cores, bandwidths, memory. A row
 * of a table may have several values.
 */
import { elementAt } from '../../../../containers/element.js';
import { ValueLine } from '../../../../record/value-line.js';
import { LruCache } from '../../../../containers/map-entry.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { orNull, type NumericColumn } from '../../../../containers/numeric-column.js';
import { integerOf, numberOf, type SqliteFile } from '../../../sqlite/sqlite.js';
import { cleanText } from '../kernel-labels.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import { hasTimes, type DatabaseClock } from '../../../sqlite/database-clock.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { IsStray } from '../../../trace/trace.js';
import { Dated } from '../../../trace/record-order.js';
import type { StringTable } from './connections.js';

interface ValueColumn {
  readonly column: string;
  readonly metric: string;
  readonly unit: string | null;
  readonly scale?: number;
  readonly labels?: Labels;
}

/** A label from a column: a string, a number, or a number that the enumeration of modules names. */
interface LabelColumn {
  readonly name: string;
  readonly column: string;
  readonly is: 'string' | 'number' | 'module';
}

interface SampleTable {
  readonly table: string;
  readonly time: string;
  /** Column with the time until which a value is valid. */
  readonly until?: string;
  /** Set if the table has a row for every event: repeated values are then left out. */
  readonly onChange?: true;
  /** Whether values may have decimals; whole numbers are faster to read. */
  readonly decimals?: true;
  readonly values: readonly ValueColumn[];
  readonly labels: readonly LabelColumn[];
}

const label = (name: string, column: string, is: LabelColumn['is']): LabelColumn => ({ name, column, is });
const bytes = (column: string, metric: string, labels?: Labels): ValueColumn => ({
  column,
  metric,
  unit: 'bytes',
  ...(labels === undefined ? undefined : { labels }),
});

/** A level, for which the profiler states no unit. */
const level = (column: string, metric: string): ValueColumn => ({ column, metric, unit: null });

export const SAMPLE_TABLES: readonly SampleTable[] = [
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
    table: 'ACC_PMU',
    time: 'timestampNs',
    values: [
      level('readBwLevel', 'acc_read_bw_level'),
      level('writeBwLevel', 'acc_write_bw_level'),
      level('readOstLevel', 'acc_read_ost_level'),
      level('writeOstLevel', 'acc_write_ost_level'),
    ],
    labels: [label('acc', 'accId', 'number')],
  },
  {
    table: 'SOC_BANDWIDTH_LEVEL',
    time: 'timestampNs',
    values: [level('l2BufferBwLevel', 'l2_buffer_bw_level'), level('mataBwLevel', 'mata_bw_level')],
    labels: [],
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
  {
    table: 'NPU_MODULE_MEM',
    time: 'timestampNs',
    onChange: true,
    values: [bytes('totalReserved', 'npu_module_mem')],
    labels: [label('module', 'moduleId', 'module')],
  },
  {
    table: 'NPU_OP_MEM',
    time: 'timestampNs',
    values: [bytes('size', 'npu_op_mem')],
    labels: [
      label('op', 'operatorName', 'string'),
      label('event', 'type', 'string'),
      label('component', 'component', 'string'),
    ],
  },
];

/**
 * A row: start, device, the table's labels, its values, and the end of the values if the table has it; NaN for a missing
 * cell.
 */
type SampleRow = readonly number[];
const [START, DEVICE, FIRST_LABEL] = [0, 1, 2];

interface SeriesState {
  readonly labels: Labels | null;
  last: number;
}

type SeriesMap = Pick<Map<number | string, SeriesState>, 'get' | 'set'> | LruCache<number | string, SeriesState>;

export class SampleRows {
  /** First and last start times in each table, relative to the clock's base until times are moved. */
  readonly starts: readonly NumericColumn[];
  /** Columns of the times until which values are valid. */
  readonly ends: readonly NumericColumn[];
  /** Series by metric, then by device and labels. */
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

  /** All samples in time order; samples with equal times in the order of the tables. */
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

  /** The rows of a table in time order. SQLite sorts them, using a temporary file if there are many. */
  *#rowsOf({ table, time, until, labels, values, decimals }: SampleTable): Generator<SampleRow> {
    const { clock } = this;
    const read = decimals === true ? numberOf : integerOf;
    const cells = [...labels, ...values].map(({ column }) => column);
    // Rows with equal times are also ordered by these cells.
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

  /** The series of a row's value, by device and labels. */
  #seriesOf(table: SampleTable, value: ValueColumn, row: SampleRow): SeriesState {
    let all = this.#series.get(value);
    // The last value of a series is needed only if repeated values are left out.
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

/**
 * How long the values of a row with an end are valid, in ns; null for memory that is not released, and is therefore
 * held to the end.
 */
function durOf(row: SampleRow): number | null {
  const until = elementAt(row, row.length - 1);
  return isNear(until) && until >= startOf(row) ? until - startOf(row) : null;
}

/** Key from device and labels of a row: a number if possible, because number keys are faster than strings. */
function keyOf(row: SampleRow, labelCount: number): number | string {
  const [device, first] = [elementAt(row, DEVICE), elementAt(row, FIRST_LABEL)];
  if (labelCount === 1 && device >= 0 && device < 256 && first >= 0) return first * 256 + device;
  return row.slice(DEVICE, FIRST_LABEL + labelCount).join();
}
