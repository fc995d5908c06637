/**
 * Samples of device counters and allocators in columns. Memory: 32 bytes for each sample, about 100 more for those of
 * ops; metric, unit and labels are stored once for each series.
 *
 * Also turns memory_record.csv, operator_memory.csv and npu_module_mem.csv into samples: allocator memory and
 * modules over time, and allocations of ops. MB are 2^20 bytes, KB 2^10: this was found by comparison with the tables
 * MEMORY_RECORD, OP_MEMORY and NPU_MODULE_MEM of the databases, which are in bytes. msprof's tables have totals in KB,
 * and `Device` instead of `Device Type`.
 */
import { elementAt } from '../../../../containers/element.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { NumericColumn, orNull } from '../../../../containers/numeric-column.js';
import type { IsStray } from '../../../trace/trace.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { microsecondsOfCell, numberOfCell, textOfCell, cellsOf } from '../../../csv/csv-table.js';
import type { TraceClock } from '../../../trace/clocks/trace-clock.js';

const [KB, MB] = [1024, 1024 * 1024];

/** Totals of an allocator, by their names in columns. */
const TOTALS = ['Allocated', 'Reserved', 'Active'] as const;

/** Device number in a cell: `NPU:0` → 0. */
function deviceOf(cell: string | undefined): number {
  const digits = /(?<!\d)\d+$/.exec(textOfCell(cell))?.[0];
  return digits === undefined ? 0 : Number(digits);
}

/** Time of a row; NaN when it is missing or belongs to another epoch. The latter is counted. */
function timeOf(cell: string | undefined, clock: TraceClock, diagnostics: Diagnostics): number {
  const text = textOfCell(cell);
  const time = clock.ofText(text);
  if (Number.isNaN(time)) diagnostics.count(/^\d/.test(text) ? 'time-of-another-epoch' : 'row-passed-over');
  return time;
}

/**
 * Reads one of the files.
 * @returns false when it has another header
 */
type ReadMemory = (path: string, clock: TraceClock, samples: TextSamples, diagnostics: Diagnostics) => boolean;

/** Columns of totals: first in MB, then in KB as in msprof's files. */
const inUnits = (names: readonly string[]): string[] =>
  ['MB', 'KB'].flatMap((unit) => names.map((name) => `${name}(${unit})`));

/** Column of the device, in files of the framework's profiler and in those of msprof. */
const DEVICE = ['Device Type', 'Device'] as const;

/** Totals in bytes, from the cells in MB or from those in KB after them; NaN when both are empty. */
const bytesOf = (totals: readonly (string | undefined)[]): number[] => {
  const half = totals.length / 2;
  return totals.slice(0, half).map((mb, i) => {
    const bytes = numberOfCell(mb) * MB;
    return Number.isNaN(bytes) ? numberOfCell(totals[half + i]) * KB : bytes;
  });
};

export const readMemoryRecord: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = [...DEVICE, ...inUnits(TOTALS.map((name) => `Total ${name}`))];
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)'], columns);
  if (rows === null) return false;
  for (const [component, time, type, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const labels = { component: textOfCell(component) };
    bytesOf(totals).forEach((value, i) => {
      const series = { metric: `memory_${elementAt(TOTALS, i).toLowerCase()}`, unit: 'bytes', labels, onChange: true };
      if (!Number.isNaN(value)) samples.add(series, start, value, deviceOf(type ?? device));
    });
  }
  return true;
};

/** Reads the memory of the driver's modules. */
export const readModuleMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Device', ...inUnits(['Total Reserved'])];
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)'], columns);
  if (rows === null) return false;
  for (const [module, time, device, ...totals] of rows) {
    const [value = NaN] = bytesOf(totals);
    if (Number.isNaN(value)) continue;
    const labels = { module: textOfCell(module) };
    const series = { metric: 'npu_module_mem', unit: 'bytes', labels, onChange: true };
    samples.add(series, timeOf(time, clock, diagnostics), value, deviceOf(device));
  }
  return true;
};

export const readOperatorMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Duration(us)', ...DEVICE, ...inUnits(TOTALS.map((name) => `Allocation Total ${name}`))];
  const rows = cellsOf(path, diagnostics, ['Name', 'Size(KB)', 'Allocation Time(us)'], columns);
  if (rows === null) return false;
  for (const [name, size, time, duration, type, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: textOfCell(name) }, lasting: true };
    const pairs = bytesOf(totals).map((value, i) => [elementAt(TOTALS, i).toLowerCase(), value] as const);
    const known = Object.fromEntries(pairs.filter(([, value]) => !Number.isNaN(value)));
    samples.add(series, start, numberOfCell(size) * KB, deviceOf(type ?? device), microsecondsOfCell(duration), known);
  }
  return true;
};

/** Attributes that all samples of a series share. */
export interface SampleSeries {
  readonly metric: string;
  readonly unit: string | null;
  readonly labels?: Labels;
  /** Whether the values are valid for a period. */
  readonly lasting?: boolean;
  /** Whether repeated values are left out. */
  readonly onChange?: boolean;
}

export class TextSamples {
  readonly start = NumericColumn.floats();
  readonly #dur = NumericColumn.floats();
  readonly #value = NumericColumn.floats();
  readonly #device = NumericColumn.counts();
  readonly #series = NumericColumn.counts();
  readonly #numbers = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #bySeries: SampleSeries[] = [];
  readonly #ownLabels = new Map<number, Labels>();

  /**
   * Adds a sample. A sample without a time is ignored. Unknown values become NaN, and so do durations below 0.
   * @param ownLabels labels that only this sample has
   */
  add(series: SampleSeries, start: number, value: number, device: number, dur = NaN, ownLabels?: Labels): void {
    if (Number.isNaN(start)) return;
    if (ownLabels !== undefined) this.#ownLabels.set(this.start.length, ownLabels);
    this.start.push(start);
    this.#dur.push(dur >= 0 ? dur : NaN);
    this.#value.push(value);
    this.#device.push(device);
    this.#series.push(this.#numberOf(series));
  }

  scale(metric: string, by: number): void {
    for (let row = 0; row < this.start.length; row++) {
      if (this.#seriesOf(row).metric === metric) this.#value.set(row, this.#value.at(row) * by);
    }
  }

  /** The largest value of a metric; NaN when there is none. */
  largest(metric: string): number {
    let largest = NaN;
    for (let row = 0; row < this.start.length; row++) {
      if (this.#seriesOf(row).metric !== metric) continue;
      const value = this.#value.at(row);
      if (!(value <= largest)) largest = value;
    }
    return largest;
  }

  /** Samples in order of start time. */
  *records(profile: number, isStray: IsStray): Generator<SampleRecord> {
    const rows = allRows(this.start.length);
    sortRows(rows, (a, b) => this.#compare(a, b));
    const last = new Map<string, number>();
    for (const row of rows) {
      if (isStray(this.start.at(row))) continue;
      const { metric, unit, labels, lasting, onChange } = this.#seriesOf(row);
      if (onChange === true) {
        const [key, value] = [`${this.#series.at(row)},${this.#device.at(row)}`, this.#value.at(row)];
        if (last.get(key) === value) continue;
        last.set(key, value);
      }
      yield {
        type: 'sample',
        profile,
        start: this.start.at(row),
        ...(lasting === true ? { dur: orNull(this.#dur.at(row)) } : undefined),
        device: this.#device.at(row),
        metric,
        value: orNull(this.#value.at(row)),
        unit,
        ...(labels === undefined ? undefined : { labels: { ...labels, ...this.#ownLabels.get(row) } }),
      };
    }
  }

  #seriesOf(row: number): SampleSeries {
    return elementAt(this.#bySeries, this.#series.at(row));
  }

  #numberOf(series: SampleSeries): number {
    const key = `${series.metric}\0${JSON.stringify(series.labels ?? null)}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#bySeries.push(series) - 1;
      this.#keys.push(key);
      this.#numbers.set(key, number);
    }
    return number;
  }

  #compare(a: number, b: number): number {
    const byTime = this.start.at(a) - this.start.at(b) || this.#device.at(a) - this.#device.at(b);
    if (byTime !== 0) return byTime;
    const [keyA, keyB] = [elementAt(this.#keys, this.#series.at(a)), elementAt(this.#keys, this.#series.at(b))];
    if (keyA !== keyB) return keyA < keyB ? -1 : 1;
    return this.#value.at(a) - this.#value.at(b) || this.#dur.at(a) - this.#dur.at(b) || 0;
  }
}
