/**
 * Events of CUPTI's range profiler (`cuda_profiler_range`): hardware counters of a kernel or a range of the user, which
 * Kineto records in place of kernels. They become samples without a time, because the event's own is no measurement.
 * Memory: 24 bytes a value.
 *
 * Source: libkineto/src/CuptiRangeProfiler.cpp.
 */
import { NumericColumn } from '../../../containers/numeric-column.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { SampleRecord } from '../../../record/record.js';
import type { ByteTexts } from '../../json/byte-texts.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { entriesOf } from '../../json/json-value.js';
import { KINETO_ARGS } from './event-args.js';

/** Keys of `args` that are no metrics, in lower case. */
const NO_METRICS: ReadonlySet<string> = new Set(
  [...KINETO_ARGS, 'Trace name', 'Trace iteration'].map((key) => key.toLowerCase()),
);

export class RangeCounters {
  readonly #range = NumericColumn.counts();
  readonly #device = NumericColumn.counts();
  readonly #name = NumericColumn.counts();
  readonly #metric = NumericColumn.counts();
  readonly #value = NumericColumn.floats();
  readonly #metrics: string[] = [];
  /** Indexes there. */
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

  /** A sample a value; `range` is the position of its event among all, from 1. */
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
