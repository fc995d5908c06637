/**
 * Times of a database: whole nanoseconds since 1970 or since the machine started, which may exceed 2^53. SQL subtracts
 * a base, which is one of the times. When all times have been read, they are shifted so that the first event is at 0.
 * Some schemas store times as text.
 */
import { Diagnostics, type DiagnosticName } from '../../record/diagnostics.js';
import { NumericColumn, type NumberColumn } from '../../containers/numeric-column.js';
import { FARTHEST, isNear, middleOf, shiftToFirst, TIMES_READ } from '../trace/clocks/trace-clock.js';
import { ENDS_NEEDED } from '../trace/mending/stray-events.js';
import type { Selection, SqliteFile } from './sqlite.js';

export type TimeColumn = readonly [table: string, column: string];

const integer = (column: string): string => `CAST("${column}" AS INTEGER)`;

/**
 * Whether the times of a row belong to the profile; counts the row when they do not.
 * @param missing reason to count when a time is missing; a time of another epoch has its own reason
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

  /**
   * Chooses the base.
   * @param columns columns of times; the first one with a value provides the base
   */
  constructor(
    private readonly database: SqliteFile,
    columns: readonly TimeColumn[],
  ) {
    this.#base = findBase(database, columns);
  }

  /** The time that is subtracted from selected times, in ns; null when the database has no times. */
  get base(): bigint | null {
    return this.#base === 0n ? null : this.#base;
  }

  /** Selects a column of times as ns since the base; null when the cell is null. */
  since(column: string): Exclude<Selection, string> {
    return { needs: [column], sql: `(${integer(column)} - ${String(this.#base)})` };
  }

  /** Selects a column of times in which 0, or a string that is not a number, means that the time was not recorded. */
  known(column: string): Selection {
    return { needs: [column], sql: `(nullif(${integer(column)}, 0) - ${String(this.#base)})` };
  }

  /** The columns `start` and `end` of any table. */
  get span(): Readonly<Record<'start' | 'end', Selection>> {
    return { start: this.known('start'), end: this.known('end') };
  }

  /**
   * First and last times of a column relative to the base, as many as are needed to find times far from all others.
   * @param from column with an earlier time of the same row; smaller times are ignored
   */
  extremes(table: string, column: string, from = column): NumericColumn {
    const time = this.since(column);
    const isTime = `${integer(from)} > 0 AND ${integer(column)} >= ${integer(from)} AND abs(${time.sql}) <= ${FARTHEST}`;
    const filter = [{ needs: [column, from], sql: isTime }];
    const times = NumericColumn.floats();
    for (const value of this.database.extremes(table, time, filter, ENDS_NEEDED)) times.push(value);
    return times;
  }

  /** Shifts all times so that the first event is at 0. */
  moveToFirst(starts: readonly NumberColumn[], ends: readonly NumberColumn[]): void {
    this.#first = shiftToFirst(starts, ends);
  }

  /** Converts a time relative to the base to ns since the first event. */
  sinceFirst(time: number): number {
    return time - this.#first;
  }

  /** Unix time of the first event in ns; null when the profile has no times. */
  get startUnixNs(): string | null {
    return this.#base === 0n ? null : String(this.#base + BigInt(this.#first));
  }
}

/** A typical time of the database, as the base; 0 when it has none. */
function findBase(database: SqliteFile, columns: readonly TimeColumn[]): bigint {
  for (const [table, column] of columns) {
    const time = typicalTime(database, table, column);
    if (time !== null) return time;
  }
  return 0n;
}

/** A typical time among the first rows of a column, because single rows may be damaged; null when it has none. */
function typicalTime(database: SqliteFile, table: string, column: string): bigint | null {
  const cell: Selection = { needs: [column], sql: `CAST(${integer(column)} AS TEXT)` };
  const isTime = [{ needs: [column], sql: `${integer(column)} > 0` }];
  const times: bigint[] = [];
  const { diagnostics } = database;
  // Bad rows are counted when the table is read later, so they are not counted here.
  database.diagnostics = new Diagnostics();
  for (const [time] of database.rows(table, [cell], isTime)) {
    if (typeof time === 'string' && times.push(BigInt(time)) >= TIMES_READ) break;
  }
  database.diagnostics = diagnostics;
  return middleOf(times) ?? null;
}
