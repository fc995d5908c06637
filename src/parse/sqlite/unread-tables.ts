/** Tables of a database with events that a reader does not read. */
import type { UnreadEvents } from '../unread-events.js';
import type { SqliteFile } from './sqlite.js';
import type { Table } from './tables.js';

/** Columns of what happened at some time, or with some call; tables without them describe things. */
const EVENT_COLUMNS = ['start', 'timestamp', 'rawTimestamp', 'correlationId', 'startNs', 'timestampNs'];

/**
 * Counters of CPU cores and sockets (`nsys profile --cpu-core-events`, `--cpu-socket-events`), whatever their columns: no
 * public schema says how their rows get a time.
 */
const CPU_COUNTERS = /^PERF_EVENT_/i;

/**
 * Counts the rows of tables of events.
 * @param read tables that are read, as `SqliteFile.table` finds them
 */
export function countUnreadTables(
  database: SqliteFile,
  read: readonly string[],
  unread: Pick<UnreadEvents, 'count'>,
): void {
  const known = new Set(read.map((table) => database.table(table)));
  const isEvents = (table: string, { columns }: Table): boolean =>
    EVENT_COLUMNS.some((column) => columns.has(column)) || CPU_COUNTERS.test(table);
  for (const [table, info] of database.tables)
    if (!known.has(table) && isEvents(table, info)) {
      const rows = database.count(table);
      if (rows > 0) unread.count(table, rows);
    }
}
