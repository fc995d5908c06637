/** Tables of a database with events that a reader does not read. */
import type { Diagnostics } from '../../record/diagnostics.js';
import type { Labels } from '../../record/record.js';
import type { SqliteFile } from './sqlite.js';

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
  const isEvents = (columns: ReadonlySet<string>): boolean => EVENT_COLUMNS.some((column) => columns.has(column));
  const unread = [...database.tables].flatMap(([table, columns]) =>
    !known.has(table) && isEvents(columns) && hasRows(database, table) ? [table] : [],
  );
  diagnostics.count('table-not-read', unread.length);
  return unread.length === 0 ? undefined : { tables_not_read: unread.join(', ') };
}

function hasRows(database: SqliteFile, table: string): boolean {
  for (const row of database.rows(table, [{ needs: [], sql: '1' }])) return row.length > 0;
  return false;
}
