/** The events that waits name, and the call that put each into a stream. A program may record far more events. */
import { HashIndex, mixedNumber, NO_ROW } from '../../../containers/hash-index.js';
import { columns, NarrowColumn } from '../../../containers/numeric-column.js';
import type { Activities } from '../../trace/trace-columns.js';
import type { Selection, SqliteFile } from '../../sqlite/sqlite.js';

export const EVENT_TABLE = 'CUPTI_ACTIVITY_KIND_CUDA_EVENT';

/** Identifies an event: `eventSyncId` counts how often events were recorded in a context. Older exports lack it. */
export const EVENT_COLUMNS = ['eventId', 'eventSyncId'] as const;

const hashOf = (process: number, event: number, sync: number): number =>
  mixedNumber(mixedNumber(mixedNumber(0, process), event), sync);

/** A row for each event that a wait names. Memory: 30 to 60 bytes for each, and 1 to 4 for each wait. */
export class AwaitedEvents extends columns({ process: 'count', event: 'id', sync: 'id', stream: 'id', corr: 'id' }) {
  readonly #index = new HashIndex((row) => hashOf(this.process.at(row), this.event.at(row), this.sync.at(row)));
  /** For each wait: the row of its event, from 1; 0 when it names none. */
  readonly #waits = NarrowColumn.counts();

  /** Adds the next wait. */
  addWait(process: number, event: number, sync: number): void {
    const isNamed = !Number.isNaN(event) && !Number.isNaN(sync);
    if (isNamed && this.#find(process, event, sync) === NO_ROW) {
      this.pushCells(process, event, sync, NaN, NaN);
      this.#index.add(hashOf(process, event, sync), this.length - 1);
    }
    this.#waits.push(isNamed ? this.#find(process, event, sync) + 1 : 0);
  }

  /**
   * Adds to the waits where their events were recorded, after the last wait was read. If an event was recorded several
   * times, the last recording counts.
   * @param process selects the process of a row
   * @param numberOf number of that process
   */
  read(database: SqliteFile, process: Selection, numberOf: (key: number) => number, waits: Activities['syncs']): void {
    const selected = [process, 'streamId', 'correlationId', ...EVENT_COLUMNS];
    database.eachNumbers(EVENT_TABLE, selected, ([key = NaN, stream = NaN, corr = NaN, event = NaN, sync = NaN]) => {
      if ([key, stream, corr, event, sync].some(Number.isNaN)) return;
      const row = this.#find(numberOf(key), event, sync);
      if (row === NO_ROW) return;
      this.stream.set(row, stream);
      this.corr.set(row, corr);
    });
    for (let wait = 0; wait < this.#waits.length; wait++) {
      const row = this.#waits.at(wait) - 1;
      if (row === NO_ROW) continue;
      waits.eventStream.set(wait, this.stream.at(row));
      waits.eventCorr.set(wait, this.corr.at(row));
    }
  }

  #find(process: number, event: number, sync: number): number {
    return this.#index.find(
      hashOf(process, event, sync),
      (row) => this.sync.at(row) === sync && this.event.at(row) === event && this.process.at(row) === process,
    );
  }
}
