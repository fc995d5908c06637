/**
 * Kernels in the order in which they run on their streams: numbers of names, durations, gaps, launch calls. Memory: 32
 * bytes for each kernel, and as much again for the order.
 */
import { NumericColumn } from '../../containers/numeric-column.js';
import { sortRows } from '../../containers/row-order.js';

/** Stands for work that ends a sequence. */
export const BREAK = -1;

/** Maximum time in ns between two kernels of a sequence: a longer wait is not for launches. */
const LONGEST_GAP = 1_000_000;

/** Kernels of all streams, one stream after another, with `BREAK` where a sequence cannot go on. Times are in ns. */
export interface OrderedKernels {
  /** Number of the name of each kernel; `BREAK` for none. */
  readonly names: Int32Array;
  readonly durations: Float64Array;
  /** Time from the end of the kernel before to the start of this one; 0 where they overlap and after a break. */
  readonly gaps: Float64Array;
  /** Duration of the launch call; NaN when not known. */
  readonly launches: Float64Array;
}

export class KernelOrder {
  readonly #streams = NumericColumn.int32();
  readonly #names = NumericColumn.int32();
  readonly #starts = NumericColumn.floats();
  readonly #durations = NumericColumn.floats();
  readonly #launches = NumericColumn.floats();

  get length(): number {
    return this.#names.length;
  }

  /** @param name number of the kernel's name, or `BREAK` */
  add(stream: number, name: number, start: number, duration: number, launch: number | null): void {
    this.#streams.push(stream);
    this.#names.push(name);
    this.#starts.push(start);
    this.#durations.push(duration);
    this.#launches.push(launch ?? NaN);
  }

  get ordered(): OrderedKernels {
    const rows = Uint32Array.from({ length: this.length }, (_, row) => row);
    const [streams, starts] = [this.#streams.values, this.#starts.values];
    const by = (values: Int32Array | Float64Array, a: number, b: number): number =>
      (values[a] as number) - (values[b] as number);
    sortRows(rows, (a, b) => by(streams, a, b) || by(starts, a, b));
    const [names, durations] = [NumericColumn.int32(), NumericColumn.floats()];
    const [gaps, launches] = [NumericColumn.floats(), NumericColumn.floats()];
    let [stream, end] = [NaN, NaN];
    for (const row of rows) {
      const start = this.#starts.at(row);
      const gap = this.#streams.at(row) === stream ? Math.max(0, start - end) : Infinity;
      const isFirst = !(gap <= LONGEST_GAP);
      if (isFirst && names.length > 0) {
        names.push(BREAK);
        for (const values of [durations, gaps, launches]) values.push(0);
      }
      names.push(this.#names.at(row));
      durations.push(this.#durations.at(row));
      gaps.push(isFirst ? 0 : gap);
      launches.push(this.#launches.at(row));
      end = Math.max(isFirst ? -Infinity : end, start + this.#durations.at(row));
      stream = this.#streams.at(row);
    }
    return { names: names.values, durations: durations.values, gaps: gaps.values, launches: launches.values };
  }
}
