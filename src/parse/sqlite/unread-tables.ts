/** Tables of a database with events that a reader does not read. */
import type { Diagnostics } from '../../record/diagnostics.js';
import type { Labels } from '../../record/record.js';
import type { SqliteFile } from './sqlite.js';
import type { Table } from './tables.js';

/** Columns of what happened at some time, or with some call; tables without them describe things. */
const EVENT_COLUMNS = ['start', 'timestamp', 'rawTimestamp', 'correlationId'];

/**
 * The facts that name tables of events, and their number as a diagnostic; undefined without such tables.
 * @param read tables that are read, as `SqliteFile.table` finds them
 */
export function unreadTables(
  database: SqliteFile,
  read: readonly string[],
  diagnostics: Diagnostics,
): Labels | undefined {
  const known = new Set(read.map((table) => database.table(table)));
  const isEvents = ({ columns }: Table): boolean => EVENT_COLUMNS.some((column) => columns.has(column));
  const unread = [...database.tables].flatMap(([table, info]) =>
    !known.has(table) && isEvents(info) && hasRows(database, table) ? [table] : [],
  );
  diagnostics.count('table-not-read', unread.length);
  return unread.length === 0 ? undefined : { tables_not_read: unread.join(', ') };
}

function hasRows(database: SqliteFile, table: string): boolean {
  for (const row of database.rows(table, [{ needs: [], sql: '1' }])) return row.length > 0;
  return false;
}
