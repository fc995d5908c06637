/**
 * Turns the counters of a trace into samples: values at a time, and those of CUPTI's range profiler, which have no time.
 */
import { allRows, sortRows } from '../../../containers/row-order.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { NumericColumn, orNull } from '../../../containers/numeric-column.js';
import type { SampleRecord } from '../../../record/record.js';
import type { ByteTexts } from '../../json/json-bytes.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { counterArgs, entriesOf } from '../../json/json-value.js';
import { KINETO_ARGS } from './call-arguments.js';

/** Keys of `args` that are not metrics, in lower case. */
const NO_METRICS: ReadonlySet<string> = new Set(
  [...KINETO_ARGS, 'Trace name', 'Trace iteration'].map((key) => key.toLowerCase()),
);

/**
 * Events of CUPTI's range profiler (`cuda_profiler_range`): hardware counters of a kernel or a user's range, which Kineto
 * records instead of kernels. Their samples have no time, because the event's time is not a measurement. Memory: 24 bytes
 * for each value. Source: libkineto/src/CuptiRangeProfiler.cpp.
 */
export class RangeCounters {
  readonly #range = NumericColumn.counts();
  readonly #device = NumericColumn.counts();
  readonly #name = NumericColumn.counts();
  readonly #metric = NumericColumn.counts();
  readonly #value = NumericColumn.floats();
  readonly #metrics: string[] = [];
  /** Indexes in `#metrics`. */
  readonly #numbers = new Map<string, number>();
  #ranges = 0;

  constructor(private readonly texts: ByteTexts) {}

  get length(): number {
    return this.#ranges;
  }

  take({ fields }: TraceEvent, device: number): void {
    this.#ranges++;
    const name = fields.text(EVENT.name, this.texts) ?? this.texts.numberOf(fields.bytes, 0, 0);
    for (const [key, value] of entriesOf(fields.value(EVENT.args))) {
      if (typeof value !== 'number' || NO_METRICS.has(key.toLowerCase())) continue;
      this.#range.push(this.#ranges);
      this.#device.push(device);
      this.#name.push(name);
      this.#metric.push(entryOf(this.#numbers, key, () => this.#metrics.push(key) - 1));
      this.#value.push(value);
    }
  }

  /** One sample for each value; `range` is the position of its event among all, from 1. */
  *records(profile: number): Generator<SampleRecord> {
    for (let row = 0; row < this.#value.length; row++) {
      yield {
        type: 'sample',
        profile,
        start: null,
        device: this.#device.at(row),
        metric: this.#metrics[this.#metric.at(row)] ?? '',
        value: this.#value.at(row),
        unit: null,
        labels: { name: this.texts.text(this.#name.at(row)), range: this.#range.at(row) },
      };
    }
  }
}

/**
 * Counter events (`ph` "C"): values at a time, of the device that they state, or otherwise of the event's process.
 * Kineto writes CUPTI's samples and the reports of accelerators in this form. Memory: 32 bytes for each value. Source:
 * the Trace Event Format, "Counter Events"; libkineto/src/output_json.cpp.
 */
export class CounterSamples {
  readonly start = NumericColumn.floats();
  readonly #process = NumericColumn.floats();
  /** NaN when the event does not state it. */
  readonly #device = NumericColumn.floats();
  readonly #metric = NumericColumn.counts();
  readonly #value = NumericColumn.floats();
  readonly #metrics: string[] = [];
  /** Indexes in `#metrics`. */
  readonly #numbers = new Map<string, number>();

  constructor(private readonly texts: ByteTexts) {}

  get length(): number {
    return this.start.length;
  }

  /**
   * Reads a counter event. If it has several values, each is a metric named after the event and the value.
   * @param start time in ns
   * @returns whether the event has a value
   */
  take({ fields }: TraceEvent, start: number): boolean {
    const { values, device, process } = counterArgs(fields.value(EVENT.args));
    const number = fields.text(EVENT.name, this.texts);
    const name = number === null ? '' : this.texts.text(number);
    for (const [key, value] of values) {
      const metric = values.length === 1 ? name : `${name} ${key}`;
      this.start.push(start);
      this.#process.push(Number.isNaN(process) ? fields.number(EVENT.pid) : process);
      this.#device.push(device);
      this.#metric.push(entryOf(this.#numbers, metric, () => this.#metrics.push(metric) - 1));
      this.#value.push(value);
    }
    return values.length > 0;
  }

  /**
   * The samples in order of start time.
   * @param devices ids of the devices, which events use as their process
   */
  *records(profile: number, devices: ReadonlySet<number>): Generator<SampleRecord> {
    const rows = allRows(this.length);
    sortRows(rows, (a, b) => this.start.at(a) - this.start.at(b) || this.#metric.at(a) - this.#metric.at(b) || a - b);
    for (const row of rows) {
      const process = this.#process.at(row);
      yield {
        type: 'sample',
        profile,
        start: this.start.at(row),
        device: orNull(this.#device.at(row)) ?? (devices.has(process) ? process : null),
        metric: elementAt(this.#metrics, this.#metric.at(row)),
        value: this.#value.at(row),
        unit: null,
      };
    }
  }
}
