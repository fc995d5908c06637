/** The events that a program puts into streams: which call did so, for the waits that name the event. */
import type { Selection, SqliteFile } from '../../sqlite/sqlite.js';

export const EVENT_TABLE = 'CUPTI_ACTIVITY_KIND_CUDA_EVENT';

/** Identifies an event: `eventSyncId` counts how often events were recorded in a context. Older exports lack it. */
export const EVENT_COLUMNS = ['eventId', 'eventSyncId'] as const;

/** Where an event was recorded. */
export interface EventMark {
  readonly stream: number;
  readonly corr: number;
}

const keyOf = (process: number, event: number, sync: number): string => `${process} ${event} ${sync}`;

export class EventMarks {
  readonly #marks = new Map<string, EventMark>();

  /**
   * @param process selects the process of a row
   * @param numberOf number of that process
   */
  constructor(database: SqliteFile, process: Selection, numberOf: (key: number) => number) {
    const columns = [process, 'streamId', 'correlationId', ...EVENT_COLUMNS];
    database.eachNumbers(EVENT_TABLE, columns, ([key = NaN, stream = NaN, corr = NaN, event = NaN, sync = NaN]) => {
      if (![key, stream, corr, event, sync].some(Number.isNaN))
        this.#marks.set(keyOf(numberOf(key), event, sync), { stream, corr });
    });
  }

  of(process: number, event: number, sync: number): EventMark | undefined {
    return this.#marks.get(keyOf(process, event, sync));
  }
}
