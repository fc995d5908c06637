/**
 * Samples of device counters and allocators in columns. Memory: 32 bytes a sample, some 100 more for those of ops;
 * metric, unit and labels are held once for each series.
 */
import { elementAt } from '../../../../containers/element.js';
import type { Labels, SampleRecord } from '../../../../record/record.js';
import { NumericColumn, orNull } from '../../../../containers/numeric-column.js';
import type { IsStray } from '../../../trace/trace.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';

/** Attributes that all samples of a series share. */
export interface SampleSeries {
  readonly metric: string;
  readonly unit: string | null;
  readonly labels?: Labels;
  /** Whether the values hold over a period. */
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
  readonly #own = new Map<number, Labels>();

  /** A sample without a time is ignored; unknown values are NaN, as are durations below 0. @param own labels of this sample alone */
  add(series: SampleSeries, start: number, value: number, device: number, dur = NaN, own?: Labels): void {
    if (Number.isNaN(start)) return;
    if (own !== undefined) this.#own.set(this.start.length, own);
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

  /** In order of start. */
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
        ...(labels === undefined ? undefined : { labels: { ...labels, ...this.#own.get(row) } }),
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
