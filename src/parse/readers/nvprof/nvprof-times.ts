/**
 * Times of nvprof's databases: Unix time in ns, which exceeds 2^53. They are rebased to the earliest; a time that is not
 * near those of other rows is damaged, and rows whose times were not collected hold 0.
 */
import { FARTHEST, isNear } from '../../capture/clocks/exact-times.js';
import type { Cell, SqliteFile } from '../../sqlite/sqlite.js';
import { typicalTime, type TimeColumn } from '../../sqlite/database-clock.js';

/** ns, as in SQL. */
const NEAR = BigInt(FARTHEST);

/** A time relative to the start in ns; NaN where it is none, or before the start. */
export const timeOf = (cell: Cell | undefined): number =>
  Number.isInteger(cell) && isNear(cell as number) && (cell as number) >= 0 ? (cell as number) : NaN;

/** The smallest time of all columns, as text; null when there is none. */
export function earliestTime(database: SqliteFile, columns: readonly TimeColumn[]): string | null {
  const typical =
    columns.map(([table, column]) => typicalTime(database, table, column)).find((time) => time !== null) ?? null;
  if (typical === null) return null;
  const near = `BETWEEN max(1, ${String(typical - NEAR)}) AND ${String(typical + NEAR)}`;
  return columns
    .map(([table, column]) => database.minimum(table, column, `"${column}" ${near}`))
    .filter((time) => time !== null)
    .map(BigInt)
    .reduce((least, time) => (time < least ? time : least), typical)
    .toString();
}
