/**
 * Times of a database: nanoseconds since 1970, which exceed 2^53. SQL subtracts a base, and they are moved to the first
 * event when all have been read. Some schemas store them as text.
 */
import type { DiagnosticName, Diagnostics } from '../../../../record/diagnostics.js';
import type { Selection, SqliteFile } from '../../../sqlite/sqlite.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { FARTHEST, isNear } from '../../../capture/clocks/exact-times.js';
import { typicalTime } from '../../../sqlite/typical-time.js';
import { ENDS_NEEDED } from '../../../capture/mending/stray-events.js';
import { shiftToFirst } from '../../../capture/clocks/shift-times.js';

/** Columns of times; the first one with a value provides the base. */
const BASES: readonly (readonly [table: string, column: string])[] = [
  ['TASK', 'startNs'],
  ['CANN_API', 'startNs'],
  ['PYTORCH_API', 'startNs'],
  ['COMMUNICATION_OP', 'startNs'],
  ['MSTX_EVENTS', 'startNs'],
  ['SESSION_TIME_INFO', 'startTimeNs'],
  ['MEMORY_RECORD', 'timestamp'],
];

const integer = (column: string): string => `CAST("${column}" AS INTEGER)`;

/**
 * Whether the times of a row are those of the profile; counts the row where they are not.
 * @param missing the reason where one is no time at all; another epoch is a reason of its own
 */
export function hasTimes(times: readonly number[], diagnostics: Diagnostics, missing: DiagnosticName): boolean {
  if (times.every(isNear)) return true;
  diagnostics.count(times.some(Number.isNaN) ? missing : 'time-of-another-epoch');
  return false;
}

export class DatabaseClock {
  readonly #base: bigint;
  /** Time of the first event relative to the base, in ns. */
  #first = 0;

  constructor(private readonly database: SqliteFile) {
    this.#base = findBase(database);
  }

  /** Selects a column of times as ns since the base; null where it is null. */
  since(column: string): Exclude<Selection, string> {
    return { needs: [column], sql: `(${integer(column)} - ${String(this.#base)})` };
  }

  /**
   * First and last times of a column relative to the base: as many as show which of them are far from all others.
   * @param from column of times before which none of the same row counts
   */
  extremes(table: string, column: string, from = column): NumericColumn {
    const time = this.since(column);
    const isTime = `${integer(from)} > 0 AND ${integer(column)} >= ${integer(from)} AND abs(${time.sql}) <= ${FARTHEST}`;
    const filter = [{ needs: [column, from], sql: isTime }];
    const times = NumericColumn.floats();
    for (const value of this.database.extremes(table, time, filter, ENDS_NEEDED)) times.push(value);
    return times;
  }

  /** Moves all times to the first event. */
  moveToFirst(starts: readonly NumericColumn[], ends: readonly NumericColumn[]): void {
    this.#first = shiftToFirst(starts, ends);
  }

  /** A time relative to the base → ns since the first event. */
  sinceFirst(time: number): number {
    return time - this.#first;
  }

  /** Unix time of the first event in ns; null when the profile has no times. */
  get startUnixNs(): string | null {
    return this.#base === 0n ? null : String(this.#base + BigInt(this.#first));
  }
}

/** Any time of the database; 0 when it has none. */
function findBase(database: SqliteFile): bigint {
  for (const [table, column] of BASES) {
    const time = typicalTime(database, table, column);
    if (time !== null) return time;
  }
  return 0n;
}
