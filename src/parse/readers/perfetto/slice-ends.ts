/**
 * Joins beginnings and ends of slices. Most writers put the end of a slice after its beginning, or after those of the
 * slices within it, whatever the order of slices; some put all ends after all beginnings, which are then joined in order
 * of time. Memory: 25 bytes for each event.
 */
import { elementAt } from '../../../containers/element.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { groupAll, groupAt, sortRows } from '../../../containers/row-order.js';

export class SliceEnds {
  readonly #time = NumericColumn.floats();
  readonly #track = NumericColumn.counts();
  readonly #isEnd = NumericColumn.codes();
  /** Time of the end, by row of the beginning; NaN when there is none. */
  #ends = new Float64Array(0);
  /** Number of ends without a beginning. */
  unpaired = 0;

  /** @param track number of the track, from 0 @param time in ns */
  add(track: number, time: number, isEnd: boolean): void {
    this.#time.push(time);
    this.#track.push(track);
    this.#isEnd.push(isEnd ? 1 : 0);
  }

  /** Call it after the last event. @param tracks number of tracks */
  join(tracks: number): void {
    const { length } = this.#time;
    this.#ends = new Float64Array(length).fill(NaN);
    const groups = groupAll(length, (row) => this.#track.at(row), tracks);
    for (let track = 0; track < tracks; track++) {
      const rows = groupAt(groups, track);
      if (this.#joinNested(rows)) continue;
      for (const row of rows) this.#ends[row] = NaN;
      this.#joinByTime(rows);
    }
  }

  /** End of the slice that `add` took as this row, from 0; null when it is open at the end of the trace. */
  of(row: number): number | null {
    const end = this.#ends[row] ?? NaN;
    return Number.isNaN(end) ? null : end;
  }

  /** Matches each end with the last open slice. @returns false when slices then do not nest */
  #joinNested(rows: Uint32Array): boolean {
    const open: number[] = [];
    /** For each open slice, the latest end within it. */
    const latest: number[] = [];
    for (const row of rows) {
      const time = this.#time.at(row);
      if (this.#isEnd.at(row) === 0) {
        const around = open.at(-1);
        if (around !== undefined && time < this.#time.at(around)) return false;
        open.push(row);
        latest.push(time);
        continue;
      }
      const [begin, inner] = [open.pop(), latest.pop() ?? 0];
      if (begin === undefined || time < inner) return false;
      this.#ends[begin] = time;
      const last = latest.length - 1;
      if (last >= 0) latest[last] = Math.max(elementAt(latest, last), time);
    }
    return true;
  }

  /** Joins them in order of time. At one time, slices that began earlier end before others begin. */
  #joinByTime(rows: Uint32Array): void {
    sortRows(rows, (a, b) => this.#time.at(a) - this.#time.at(b) || a - b);
    const open: number[] = [];
    const end = (row: number): void => {
      const begin = open.pop();
      if (begin === undefined) this.unpaired++;
      else this.#ends[begin] = this.#time.at(row);
    };
    for (let at = 0; at < rows.length;) {
      const time = this.#time.at(elementAt(rows, at));
      let next = at;
      while (next < rows.length && this.#time.at(elementAt(rows, next)) === time) next++;
      const ends = rows.subarray(at, next).filter((row) => this.#isEnd.at(row) === 1);
      let ended = 0;
      while (ended < ends.length && this.#time.at(open.at(-1) ?? -1) < time) end(elementAt(ends, ended++));
      for (const row of rows.subarray(at, next)) if (this.#isEnd.at(row) === 0) open.push(row);
      for (const row of ends.subarray(ended)) end(row);
      at = next;
    }
  }
}
