/** What a query is, and which columns of which tables it reads: both asked before any record is read. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { entryOf } from '../../../containers/map-entry.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { asSqlError } from './duckdb.js';
import { SQL_TABLES } from './sql-table.js';
import { quoted, typeName } from './sql-types.js';

/** Functions that give tables. Others change the database's settings, or read files. */
const TABLE_FUNCTIONS: readonly string[] = ['unnest', 'range', 'generate_series', 'json_each', 'json_tree'];

/** Names of columns that a query reads, by table. */
export type ColumnsRead = ReadonlyMap<string, ReadonlySet<string>>;

/** Makes empty tables, which show whether a query can be asked. */
export async function createEmptyTables(connection: DuckDBConnection): Promise<void> {
  for (const { name, columns } of SQL_TABLES) {
    const list = columns.map((column) => `${quoted(column.name)} ${typeName(column.kind)}`).join(', ');
    await connection.run(`CREATE TABLE ${quoted(name)} (${list})`);
  }
}

/**
 * What the query reads of the empty tables.
 * @throws UserError for a text that is no query, for several, and for one that does more than read the tables
 */
export async function planQuery(connection: DuckDBConnection, sql: string): Promise<ColumnsRead> {
  await checkStatement(connection, sql);
  try {
    const rows = (await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`)).getRows();
    const read = new Map<string, Set<string>>();
    for (const row of rows) addScans(JSON.parse(String(row[1])), read);
    return read;
  } catch (error) {
    throw asSqlError(error);
  }
}

const refused = (what: string, hint: string | undefined): UserError =>
  new UserError(what, { where: 'SQL', exitCode: EXIT.usage, ...(hint === undefined ? {} : { hint }) });

/** @throws UserError for anything but one query */
async function checkStatement(connection: DuckDBConnection, sql: string): Promise<void> {
  const answer = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const parsed = JSON.parse(String(answer.getRows()[0]?.[0])) as ParsedStatements;
  if (parsed.error) throw refusalOf(parsed, sql);
  const { statements = [] } = parsed;
  if (statements.length !== 1) throw refused(`one query, not ${statements.length}`, "dprof sql 'SELECT ...' FILE");
  for (const name of tableFunctionsIn(statements)) {
    if (TABLE_FUNCTIONS.includes(name.toLowerCase())) continue;
    throw refused(`no table function ${name}`, `there are ${TABLE_FUNCTIONS.join(', ')}`);
  }
}

/** Why a text is no query. */
function refusalOf({ error_type: type, error_message: message = '' }: ParsedStatements, sql: string): UserError {
  if (type === 'parser') {
    const [, near = ''] = /at or near "(\w+)"$/.exec(message) ?? [];
    const isName = SQL_TABLES.some(({ columns }) => columns.some(({ name }) => name === near.toLowerCase()));
    return refused(`Parser Error: ${message}`, isName ? `as the name of a column: "${near}"` : undefined);
  }
  const what = 'only queries can be asked: SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, SHOW TABLES';
  // Without the values, a pivot is two statements.
  const isPivot = /\bpivot\b/i.test(sql);
  return refused(what, isPivot ? 'PIVOT needs its values: ON column IN (...)' : 'a result is written with -f and -o');
}

/** What json_serialize_sql answers. */
interface ParsedStatements {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly unknown[];
}

/** All objects within a JSON value. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) yield next as Readonly<Record<string, unknown>>;
    for (const inside of Object.values(next)) open.push(inside);
  }
}

function tableFunctionsIn(statements: readonly unknown[]): string[] {
  const names: string[] = [];
  for (const { type, function: called } of objectsIn(statements)) {
    if (type !== 'TABLE_FUNCTION') continue;
    for (const { function_name: name } of objectsIn(called)) if (typeof name === 'string') names.push(name);
  }
  return names;
}

/** Adds the columns that scans of tables name anywhere: as projections, and in filters. */
function addScans(plan: unknown, read: Map<string, Set<string>>): void {
  for (const { extra_info: info } of objectsIn(plan)) {
    if (typeof info !== 'object' || info === null || !('Table' in info) || typeof info.Table !== 'string') continue;
    const name = info.Table.split('.').at(-1) ?? '';
    const table = SQL_TABLES.find((one) => one.name === name.replaceAll('"', ''));
    if (table === undefined) continue;
    const columns = entryOf(read, table.name, () => new Set<string>());
    const words = new Set(JSON.stringify({ ...info, Table: '' }).match(/\w+/g));
    for (const column of table.columns) if (words.has(column.name)) columns.add(column.name);
  }
}
