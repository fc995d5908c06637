/** What the kernels of an event buffer waited for. Memory: 12 bytes a dependency. */
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { ResolvedDependency } from '../../neuron/instructions/dependencies.js';
import { packColumn } from './column-packing.js';
import type { Dependencies } from './timeline-data.js';
import { NO_EVENT } from './timeline-data.js';
import { TextTable } from './text-table.js';

/** In place of a kernel that is not in the records before. */
const NO_KERNEL = 0;

export class DependencyBuffer {
  #later = NumericColumn.counts();
  #earlier = NumericColumn.counts();
  #what = NumericColumn.counts();
  /** Of their kinds and semaphores. */
  readonly texts = new TextTable();

  get length(): number {
    return this.#later.length;
  }

  /** @param kernel number of the one that waited */
  add(kernel: number, found: readonly ResolvedDependency[]): void {
    for (const { kind, on, semaphore } of found) {
      this.#push(
        kernel,
        on?.kernel ?? NO_KERNEL,
        this.texts.numberOf(semaphore === null ? kind : `${kind}, ${semaphore}`),
      );
    }
  }

  /** Removes those of all other kernels. */
  keep(kernels: ReadonlySet<number>): void {
    const [later, earlier, what] = [this.#later.values, this.#earlier.values, this.#what.values];
    [this.#later, this.#earlier, this.#what] = [NumericColumn.counts(), NumericColumn.counts(), NumericColumn.counts()];
    for (const [i, kernel] of later.entries()) {
      if (kernels.has(kernel)) this.#push(kernel, earlier[i] as number, what[i] as number);
    }
  }

  /**
   * Those of the events that are shown.
   * @param eventOf index of a kernel's event; undefined where it is not shown
   * @param texts where the texts of kinds go
   */
  packed(eventOf: (kernel: number) => number | undefined, texts: TextTable): Dependencies {
    const [later, earlier, what] = [[] as number[], [] as number[], [] as number[]];
    for (const [i, kernel] of this.#later.values.entries()) {
      const event = eventOf(kernel);
      if (event === undefined) continue;
      later.push(event);
      earlier.push(eventOf(this.#earlier.at(i)) ?? NO_EVENT);
      what.push(texts.numberOf(this.texts.at(this.#what.at(i))));
    }
    const pack = (numbers: readonly number[]) => packColumn(Uint32Array.from(numbers));
    return { later: pack(later), earlier: pack(earlier), what: pack(what) };
  }

  #push(later: number, earlier: number, what: number): void {
    this.#later.push(later);
    this.#earlier.push(earlier);
    this.#what.push(what);
  }
}
