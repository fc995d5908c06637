/** Where the times of a database are: integers of 64 bits, some of which may be damaged. */
import { middleOf, TIMES_READ } from '../capture/clocks/exact-times.js';
import type { Selection, SqliteFile } from './sqlite.js';

/** A time by the first rows of a column; null when it has none. Integers may be stored as text. */
export function typicalTime(database: SqliteFile, table: string, column: string): bigint | null {
  const cell: Selection = { needs: [column], sql: `CAST(CAST("${column}" AS INTEGER) AS TEXT)` };
  const isTime = [{ needs: [column], sql: `CAST("${column}" AS INTEGER) > 0` }];
  const times: bigint[] = [];
  for (const [time] of database.rows(table, [cell], isTime)) {
    if (typeof time === 'string' && times.push(BigInt(time)) >= TIMES_READ) break;
  }
  return middleOf(times) ?? null;
}
