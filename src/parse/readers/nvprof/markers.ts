/** Markers of nvprof's databases: a row for the start of a range, and one for its end, with the same id. */
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Ranges } from '../../capture/capture-columns.js';
import { NumberIndex } from '../../capture/number-index.js';

/** Flags of a marker row (CUpti_ActivityFlag); the other bits state how it synchronises. */
export const MARKER = { start: 2, end: 4 } as const;

/** Starts or ends of markers; ends have times and ids alone. */
class MarkerColumns {
  readonly time = NumericColumn.floats();
  readonly id = NumericColumn.floats();
  readonly thread = NumericColumn.counts();
  readonly name = NumericColumn.counts();
  readonly domain = NumericColumn.counts();
}

export class Markers {
  readonly #starts = new MarkerColumns();
  readonly #ends = new MarkerColumns();

  addStart(time: number, id: number, thread: number, name: number, domain: number): void {
    const { time: times, id: ids, thread: threads, name: names, domain: domains } = this.#starts;
    times.push(time);
    ids.push(id);
    threads.push(thread);
    names.push(name);
    domains.push(domain);
  }

  addEnd(time: number, id: number): void {
    this.#ends.time.push(time);
    this.#ends.id.push(id);
  }

  /**
   * Adds a range for each start; one without an end is open.
   * @param otherStarts how many starts are not read
   * @param unreadTimes gets those of rows that belong to no range
   */
  addTo(ranges: Ranges, otherStarts: number, unreadTimes: NumericColumn, diagnostics: Diagnostics): void {
    const [starts, ends] = [this.#starts, this.#ends];
    const endOf = this.#firstEnds();
    const isPaired = new Uint8Array(ends.id.length);
    let matched = 0;
    for (let row = 0; row < starts.id.length; row++) {
      const [start, end] = [starts.time.at(row), endOf.get(starts.id.at(row))];
      if (end === -1) diagnostics.count('open-range');
      else matched++;
      if (end !== -1 && ends.time.at(end) < start) {
        diagnostics.count('negative-duration');
        unreadTimes.push(start);
        continue;
      }
      if (end !== -1) isPaired[end] = 1;
      const rangeEnd = end === -1 ? Infinity : ends.time.at(end);
      ranges.add(start, rangeEnd, starts.thread.at(row), starts.name.at(row), starts.domain.at(row));
    }
    isPaired.forEach((paired, row) => {
      if (paired === 0) unreadTimes.push(ends.time.at(row));
    });
    diagnostics.count('range-without-start', ends.id.length - matched - otherStarts);
  }

  /** By id, the first end. */
  #firstEnds(): NumberIndex {
    const { id, time } = this.#ends;
    const endOf = new NumberIndex(id);
    for (let row = 0; row < id.length; row++) {
      const known = endOf.get(id.at(row));
      if (known === -1 || time.at(row) < time.at(known)) endOf.put(row);
    }
    return endOf;
  }
}
