/**
 * Counters of kernels: values of CUPTI's metrics and events (`nvprof --metrics`, `--events`), and samples of the
 * program counter by stall reason (`--pc-sampling`), which belong to a kernel by its correlation id. A database states
 * neither names nor types of metrics. Metrics are named by CUPTI's numbers. These differ between architectures, and
 * there is no public table of their names. The type of a value is inferred from its bits. Memory: 28 bytes for each
 * value.
 *
 * Source: CUPTI documentation, CUpti_ActivityMetric, CUpti_ActivityMetricInstance, CUpti_ActivityEvent,
 * CUpti_ActivityEventInstance, CUpti_MetricValue, CUpti_ActivityPCSampling3 and CUpti_ActivityPCSamplingStallReason.
 */
import { NumericColumn } from '../../../containers/numeric-column.js';
import { allRows, sortRows, countUpTo } from '../../../containers/row-order.js';
import { elementAt } from '../../../containers/element.js';
import { addTo, entryOf } from '../../../containers/map-entry.js';
import { numberOf, type Cell, type Selection, type SqliteFile } from '../../sqlite/sqlite.js';

const KIND = 'CUPTI_ACTIVITY_KIND_';
const METRIC_VALUE: Selection = { needs: ['value'], sql: 'hex(value)' };

interface CounterTable {
  readonly table: string;
  /** Word that precedes the number of a counter. */
  readonly counts: string;
  readonly value: Selection;
}

const TABLES: readonly CounterTable[] = [
  { table: `${KIND}METRIC`, counts: 'metric', value: METRIC_VALUE },
  { table: `${KIND}METRIC_INSTANCE`, counts: 'metric', value: METRIC_VALUE },
  { table: `${KIND}EVENT`, counts: 'event', value: 'value' },
  { table: `${KIND}EVENT_INSTANCE`, counts: 'event', value: 'value' },
];

/** Samples of the program counter: a row for each instruction and stall reason. */
const SAMPLES = `${KIND}PC_SAMPLING`;
/** The code of samples, which follows the codes of the tables. */
const SAMPLES_CODE = TABLES.length;

/** Stall reasons by number, with CUPTI's names. */
const STALL_REASONS = [
  ...['invalid', 'none', 'inst_fetch', 'exec_dependency', 'memory_dependency', 'texture', 'sync'],
  ...['constant_memory_dependency', 'pipe_busy', 'memory_throttle', 'not_selected', 'other', 'sleeping'],
];

export const COUNTER_TABLES: readonly string[] = [...TABLES.map(({ table }) => table), SAMPLES];

export class KernelCounters {
  readonly #table = NumericColumn.codes();
  readonly #corr = NumericColumn.floats();
  readonly #id = NumericColumn.floats();
  /** Number of the multiprocessor or other unit; NaN for a value of all units. */
  readonly #instance = NumericColumn.floats();
  readonly #value = NumericColumn.floats();
  /** Rows in order of correlation id. */
  readonly #rows: Uint32Array;
  /** Number of rows without a known value or correlation id. */
  broken = 0;

  constructor(database: SqliteFile) {
    for (const [code, { table, value }] of TABLES.entries()) {
      for (const [corr, id, instance, cell] of database.rows(table, ['correlationId', 'id', 'instance', value])) {
        const number = typeof cell === 'string' ? metricValue(cell) : numberOf(cell);
        if (Number.isNaN(numberOf(corr)) || Number.isNaN(numberOf(id)) || Number.isNaN(number)) this.broken++;
        else this.#add(code, [corr, id, instance], number);
      }
    }
    this.#addSamples(database);
    this.#rows = allRows(this.#corr.length);
    const columns = [this.#corr, this.#table, this.#id, this.#instance, this.#value];
    sortRows(this.#rows, (a, b) => columns.reduce((order, column) => order || column.at(a) - column.at(b) || 0, 0));
  }

  /** Number of values that have a number instead of a name. */
  get unnamed(): number {
    return this.#rows.reduce((count, row) => count + (this.#table.at(row) === SAMPLES_CODE ? 0 : 1), 0);
  }

  /** Number of values whose correlation id is not one of `known`. */
  outside(corrs: Iterable<number>): number {
    if (this.#rows.length === 0) return 0;
    const known = new Set(corrs);
    return this.#rows.reduce((count, row) => count + (known.has(this.#corr.at(row)) ? 0 : 1), 0);
  }

  /** Counters by name for the kernel with a correlation id; null when it has none. */
  of(corr: number): Record<string, number> | null {
    const corrAt = (index: number): number => this.#corr.at(elementAt(this.#rows, index));
    const end = countUpTo(this.#rows.length, corrAt, corr);
    let from = end;
    while (from > 0 && corrAt(from - 1) === corr) from--;
    if (from === end) return null;
    const rows = this.#rows.subarray(from, end);
    return Object.fromEntries(Array.from(rows, (row) => [this.#name(row), this.#value.at(row)]));
  }

  /** Name of a counter: `metric#19923062`, of a single unit `metric#19923062[3]`; `stall.memory_dependency`. */
  #name(row: number): string {
    if (this.#table.at(row) === SAMPLES_CODE) {
      const reason = this.#id.at(row);
      return `stall.${STALL_REASONS[reason] ?? reason}`;
    }
    const { counts } = elementAt(TABLES, this.#table.at(row));
    const instance = this.#instance.at(row);
    return `${counts}#${this.#id.at(row)}${Number.isNaN(instance) ? '' : `[${instance}]`}`;
  }

  /** Adds up the samples of all instructions of a kernel. */
  #addSamples(database: SqliteFile): void {
    const sums = new Map<number, Map<number, number>>();
    for (const cells of database.rows(SAMPLES, ['correlationId', 'stallReason', 'samples'])) {
      const [corr = NaN, reason = NaN, samples = NaN] = cells.map(numberOf);
      if (Number.isNaN(corr + reason + samples)) this.broken++;
      else
        addTo(
          entryOf(sums, corr, () => new Map<number, number>()),
          reason,
          samples,
        );
    }
    for (const [corr, byReason] of sums) {
      for (const [reason, samples] of byReason) this.#add(SAMPLES_CODE, [corr, reason, null], samples);
    }
  }

  #add(table: number, [corr, id, instance]: readonly (Cell | undefined)[], value: number): void {
    this.#table.push(table);
    this.#corr.push(numberOf(corr));
    this.#id.push(numberOf(id));
    this.#instance.push(numberOf(instance));
    this.#value.push(value);
  }
}

/** Smaller bit patterns are integers: as a double, they would be smaller than any measured value. */
const LARGEST_INTEGER = 2n ** 53n;
/** Smallest negative integer whose bits are NaN as a double. */
const LEAST_INTEGER = -(2n ** 51n);

/** A value from its 8 bytes, little-endian: an integer or a double. NaN for anything else. */
export function metricValue(hex: string): number {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== 8) return NaN;
  const integer = bytes.readBigInt64LE();
  const isInteger = integer < LARGEST_INTEGER && integer > LEAST_INTEGER;
  return isInteger ? Number(integer) : bytes.readDoubleLE();
}
