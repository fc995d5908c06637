/**
 * Further fields of device work by row. Work of one op shares an object, and fields that differ between runs are in
 * columns, counters too. Memory: 15 bytes for each row, and none in profiles without such fields.
 */
import { NarrowColumn, NumericColumn, type ChunkSpace } from '../../containers/numeric-column.js';
import { elementAt } from '../../containers/element.js';
import type { ActivityDetails } from './trace.js';
import { entryOf } from '../../containers/map-entry.js';

/** The run of an op call: its number in the profile, from 1, and the number of kernels that it launched. */
export type OpRun = readonly [id: number, kernels: number];

type Counters = Readonly<Record<string, number>>;

/**
 * Counters of rows, in columns. Rows whose counters have the same names share a list of the names. Memory: 8 bytes for each
 * value and 2 to 8 for each row.
 */
export class RowCounters {
  readonly #lists: (readonly string[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #values = NumericColumn.floats();
  /** For each row: the number of its list of names, from 1; 0 for none. */
  readonly #list = NarrowColumn.counts();
  /** For each row: where its values begin. */
  readonly #first = NarrowColumn.counts();

  waitIn(space: ChunkSpace): void {
    for (const column of [this.#list, this.#first]) column.waitIn(space);
  }

  /** Adds those of the next row. @param counters null when it has none */
  push(counters: Counters | null): void {
    const names = counters === null ? null : Object.keys(counters);
    this.#first.push(names === null ? 0 : this.#values.length);
    this.#list.push(names === null ? 0 : entryOf(this.#numbers, names.join('\0'), () => this.#lists.push(names)));
    if (counters !== null) for (const value of Object.values(counters)) this.#values.push(value);
  }

  of(row: number): Counters | null {
    const list = this.#list.at(row);
    if (!(list > 0)) return null;
    const first = this.#first.at(row);
    return Object.fromEntries(elementAt(this.#lists, list - 1).map((name, i) => [name, this.#values.at(first + i)]));
  }
}

export class WorkDetails {
  readonly #shared: ActivityDetails[] = [];
  readonly #numbers = new Map<ActivityDetails, number>();
  /** Number of the object, from 1; 0 for none. */
  readonly #number = NarrowColumn.counts();
  readonly #run = NarrowColumn.counts();
  readonly #kernels = NarrowColumn.counts();
  /** Picoseconds of the start · 1000 + those of the duration; 0 for none. */
  readonly #ps = NarrowColumn.counts();
  readonly #counters = new RowCounters();

  waitIn(space: ChunkSpace): void {
    for (const column of [this.#number, this.#run, this.#kernels, this.#ps, this.#counters]) column.waitIn(space);
  }

  /**
   * Adds those of a row. Rows come in order.
   * @param counters used instead of those in the details
   */
  add(
    row: number,
    details: ActivityDetails,
    run: OpRun = [0, 0],
    [start, dur]: readonly [number, number] = [0, 0],
    counters: ActivityDetails['counters'] | null = null,
  ): void {
    while (this.#number.length < row) this.#push(0, [0, 0], 0, null);
    let number = this.#numbers.get(details);
    if (number === undefined) this.#numbers.set(details, (number = this.#shared.push(details)));
    this.#push(number, run, start * 1000 + dur, counters ?? null);
  }

  of(row: number): ActivityDetails | null {
    const number = this.#number.at(row);
    if (!(number > 0)) return null;
    const [details, run, ps] = [elementAt(this.#shared, number - 1), this.#run.at(row), this.#ps.at(row)];
    const counters = this.#counters.of(row);
    if (run === 0 && ps === 0 && counters === null) return details;
    return {
      ...details,
      ...(counters === null ? undefined : { counters }),
      ...(ps === 0 ? undefined : { ps: [Math.floor(ps / 1000), ps % 1000] as const }),
      ...(run === 0 ? undefined : { callIds: [run], callKernels: [this.#kernels.at(row)] }),
    };
  }

  #push(number: number, [run, kernels]: OpRun, ps: number, counters: ActivityDetails['counters'] | null): void {
    this.#number.push(number);
    this.#run.push(run);
    this.#kernels.push(kernels);
    this.#ps.push(ps);
    this.#counters.push(counters ?? null);
  }
}
