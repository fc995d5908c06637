/**
 * Times of a database: nanoseconds since 1970, which exceed 2^53. They are taken relative to one of them in SQL, and
 * moved to the first event when all have been read. Some schemas keep them as text.
 */
import type { Selection, SqliteFile } from '../../../sqlite/sqlite.js';
import type { NumericColumn } from '../../../../containers/numeric-column.js';

/** Tables and their times, any of which serves as the base. */
const BASES: readonly (readonly [table: string, column: string])[] = [
  ['TASK', 'startNs'],
  ['CANN_API', 'startNs'],
  ['PYTORCH_API', 'startNs'],
  ['COMMUNICATION_OP', 'startNs'],
  ['MSTX_EVENTS', 'startNs'],
  ['SESSION_TIME_INFO', 'startTimeNs'],
  ['MEMORY_RECORD', 'timestamp'],
];

/** Times further from the base than a number holds exactly, 104 days, are damaged. */
const FARTHEST = Number.MAX_SAFE_INTEGER;

const integer = (column: string): string => `CAST("${column}" AS INTEGER)`;

export class Clock {
  readonly #base: bigint;
  /** Time of the first event relative to the base, in ns. */
  #first = 0;

  constructor(private readonly database: SqliteFile) {
    this.#base = findBase(database);
  }

  /** A column of times as ns since the base; null where it is null. */
  since(column: string): Selection {
    return { needs: [column], sql: `(${integer(column)} - ${String(this.#base)})` };
  }

  /** The earliest time of a column relative to the base; Infinity when there is none. */
  earliest(table: string, column: string): number {
    const least = this.database.minimum(table, column, `${integer(column)} > 0`);
    if (least === null) return Infinity;
    const since = Number(BigInt(least) - this.#base);
    return isNear(since) ? since : Infinity;
  }

  /** Moves all times to the first event. @param others earliest of times that are read later */
  moveToFirst(columns: readonly NumericColumn[], ends: readonly NumericColumn[], others: readonly number[]): void {
    let first = Math.min(...others, Infinity);
    for (const { values } of columns) for (const time of values) if (time < first) first = time;
    if (first === Infinity) first = 0;
    this.#first = first;
    for (const { values } of [...columns, ...ends]) {
      for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? NaN) - first;
    }
  }

  /** A time relative to the base → ns since the first event. */
  sinceFirst(time: number): number {
    return time - this.#first;
  }

  /** Unix time of the first event in ns; null where the profile has no times. */
  get startUnixNs(): string | null {
    return this.#base === 0n ? null : String(this.#base + BigInt(this.#first));
  }
}

/** Whether a time relative to the base can be. */
export const isNear = (time: number): boolean => Math.abs(time) <= FARTHEST;

/** The first time that the database has; any would do. */
function findBase(database: SqliteFile): bigint {
  for (const [table, column] of BASES) {
    const time: Selection = { needs: [column], sql: `CAST(${integer(column)} AS TEXT)` };
    const isTime = { needs: [column], sql: `${integer(column)} > 0` };
    for (const [cell] of database.rows(table, [time], [isTime])) {
      if (typeof cell === 'string') return BigInt(cell);
    }
  }
  return 0n;
}
