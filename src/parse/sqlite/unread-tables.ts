/** Tables of a database with events that a reader does not read. */
import type { UnreadEvents } from '../unread-events.js';
import type { SqliteFile } from './sqlite.js';
import type { Table } from './tables.js';

/** Columns of what happened at some time, or with some call; tables without them describe things. */
const EVENT_COLUMNS = ['start', 'timestamp', 'rawTimestamp', 'correlationId', 'startNs', 'timestampNs'];

/**
 * Counts the rows of tables of events.
 * @param read tables that are read, as `SqliteFile.table` finds them
 */
export function countUnreadTables(database: SqliteFile, read: readonly string[], unread: UnreadEvents): void {
  const known = new Set(read.map((table) => database.table(table)));
  const isEvents = ({ columns }: Table): boolean => EVENT_COLUMNS.some((column) => columns.has(column));
  for (const [table, info] of database.tables)
    if (!known.has(table) && isEvents(info)) {
      const rows = database.count(table);
      if (rows > 0) unread.count(table, rows);
    }
}
