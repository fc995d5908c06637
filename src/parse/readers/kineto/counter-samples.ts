/**
 * Counters of a trace (`ph` "C"): values at a time, of the device that they state, or else of the event's process. Kineto writes so what
 * CUPTI samples and what accelerators report. Memory: 32 bytes a value.
 *
 * Source: the Trace Event Format, "Counter Events"; libkineto/src/output_json.cpp.
 */
import { allRows, sortRows } from '../../../containers/row-order.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { NumericColumn, orNull } from '../../../containers/numeric-column.js';
import type { SampleRecord } from '../../../record/record.js';
import type { ByteTexts } from '../../json/byte-texts.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { counterArgs } from '../../json/counter-args.js';

export class CounterSamples {
  readonly start = NumericColumn.floats();
  readonly #process = NumericColumn.floats();
  /** NaN where the event does not state it. */
  readonly #device = NumericColumn.floats();
  readonly #metric = NumericColumn.counts();
  readonly #value = NumericColumn.floats();
  readonly #metrics: string[] = [];
  /** Indexes there. */
  readonly #numbers = new Map<string, number>();

  constructor(private readonly texts: ByteTexts) {}

  get length(): number {
    return this.start.length;
  }

  /** @param start ns @returns whether it has a value: several are metrics of their own, named after both */
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

  /** The samples in order of start. @param devices ids of the devices, which the events have as process */
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
