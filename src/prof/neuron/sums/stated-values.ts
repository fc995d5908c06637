/**
 * Values that the vendor's tool states of one core (`model_info`) or of one thing in the program (`annotation`): no
 * metrics of the whole profile, and shown as they stand.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { SampleRecord } from '../../../record/record.js';

/** A value that the vendor's tool itself reported. */
export interface ReportedMetric {
  readonly value: number | string | null;
  readonly unit: string | null;
}

/** Values that are kept: a program may have an annotation for each load of a tensor. */
const MOST_VALUES = 2000;

export interface StatedValue extends ReportedMetric {
  /** `model_info/core4/neuroncore_cycle_count`, `annotation/1/load_to_sbuf_dma_count` */
  readonly name: string;
  readonly metric: string;
  /** `core 4, subgraph sg00, tensor_name w1`: what it is of, as far as that is stated. */
  readonly of: string;
}

export class StatedValues {
  readonly kept: StatedValue[] = [];
  leftOut = 0;
  /** By what values are of: the first part of their names. The values of one thing follow one another. */
  readonly #places = new Map<string, string>();
  readonly #names = new Set<string>();
  #annotations = 0;

  add({ metric, value, text, unit, device, labels = {} }: SampleRecord): void {
    if (this.kept.length >= MOST_VALUES) {
      this.leftOut++;
      return;
    }
    const { from, ...others } = labels;
    const core = device === null ? [] : [`core ${device}`];
    const of = [...core, ...Object.entries(others).map(([key, label]) => `${key} ${String(label)}`)].join(', ');
    const newPlace = (): string =>
      from === 'annotation' ? `annotation/${++this.#annotations}` : `model_info/core${device ?? '_unknown'}`;
    const known = `${entryOf(this.#places, `${String(from)} ${of}`, newPlace)}/${metric}`;
    const name = this.#names.has(known) ? this.#again(`${String(from)} ${of}`, newPlace(), metric) : known;
    this.#names.add(name);
    this.kept.push({ name, metric, value: value ?? text ?? null, unit, of });
  }

  /** The name of a value of another thing that is described by the same words. */
  #again(key: string, place: string, metric: string): string {
    let [other, count] = [place, 1];
    while (this.#names.has(`${other}/${metric}`)) other = `${place}.${++count}`;
    this.#places.set(key, other);
    return `${other}/${metric}`;
  }
}
