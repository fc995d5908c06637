/** Time of kernels by name and step. Memory: a number for each name and step that has one, both within bounds. */
import { elementAt } from '../../../containers/element.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { WorkTable } from './rank-part.js';

/** Names that are kept while records come. */
const MOST_NAMES = 20_000;
/** Numbers of a table: names of the most time are listed, fewer of them where there are many steps. */
const MOST_CELLS = 50_000;
const FEWEST_NAMES = 50;
const LISTED_NAMES = 1000;

const listed = (steps: number): number =>
  Math.max(FEWEST_NAMES, Math.min(LISTED_NAMES, Math.floor(MOST_CELLS / Math.max(1, steps))));

interface Row {
  total: number;
  readonly times: number[];
}

export class WorkByStep {
  readonly #rows = new Map<string, Row>();
  /** Kernels whose name came beyond the bound. */
  leftOut = 0;

  /** @param step index of the step */
  add(name: string, step: number, time: number): void {
    const row = boundedEntryOf(this.#rows, name, MOST_NAMES, () => ({ total: 0, times: [] }));
    if (row === null) {
      this.leftOut++;
      return;
    }
    row.total += time;
    while (row.times.length <= step) row.times.push(0);
    row.times[step] = elementAt(row.times, step) + time;
  }

  /** @param order indices of the steps that the table has, in its order */
  table(order: readonly number[]): WorkTable {
    const rows = [...this.#rows]
      .sort(([a, { total: timeA }], [b, { total: timeB }]) => timeB - timeA || (a < b ? -1 : 1))
      .slice(0, listed(order.length));
    return {
      names: rows.map(([name]) => name),
      times: rows.map(([, { times }]) => order.map((step) => times[step] ?? 0)),
    };
  }

  /** Names that a table of so many steps leaves out, and kernels beyond the bound of names. */
  beyond(steps: number): number {
    return Math.max(0, this.#rows.size - listed(steps)) + this.leftOut;
  }
}
