/** An SQL query: the columns that it reads, and its result as columns and rows. */
import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { entryOf } from '../../../containers/map-entry.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { asSqlError, type Database } from './duckdb.js';
import { SQL_TABLES } from './sql-table.js';
import { quoted, typeName } from './sql-types.js';
import type * as DuckDB from '@duckdb/node-api';
import { UNKNOWN } from '../../../record/units.js';
import type { CellValue, Column } from '../../../table/column.js';

type Library = typeof DuckDB;
type Scalar = number | string | null;

export type ResultRow = readonly CellValue[];

/** The result of a query as columns and rows of a table. */
export interface QueryResult {
  readonly columns: readonly Column<ResultRow>[];
  /** Rows in the order of the result, in batches. */
  readonly batches: AsyncIterable<readonly ResultRow[]>;
}

/** @throws UserError with DuckDB's message */
export async function runQuery({ library, connection }: Database, sql: string): Promise<QueryResult> {
  try {
    const result = await connection.stream(sql);
    const types = result.columnTypes();
    const columns = result.deduplicatedColumnNames().map((name, i) => columnOf(library, name, types[i], i));
    return { columns, batches: batchesOf(library, result, types) };
  } catch (error) {
    throw asSqlError(error);
  }
}

async function* batchesOf(
  library: Library,
  result: DuckDBResult,
  types: readonly DuckDBType[],
): AsyncGenerator<readonly ResultRow[]> {
  try {
    for (let chunk; (chunk = await result.fetchChunk()) !== null && chunk.rowCount > 0;) {
      yield chunk.getRows().map((row) => row.map((value, i) => cellOf(library, value, types[i])));
    }
  } catch (error) {
    throw asSqlError(error, EXIT.failed);
  }
}

type TypeId = Exclude<keyof Library['DuckDBTypeId'], number>;

/** Integer types. */
const INTEGERS: readonly TypeId[] = [
  ...(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'] as const),
  ...(['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'] as const),
];
const REALS: readonly TypeId[] = ['FLOAT', 'DOUBLE', 'DECIMAL'];

const isOf = (library: Library, type: DuckDBType | undefined, ids: readonly TypeId[]): boolean =>
  type !== undefined && ids.some((id) => library.DuckDBTypeId[id] === type.typeId);

/** The type of a list's items; undefined for a type that is not a list. */
const itemOf = (library: Library, type: DuckDBType | undefined): DuckDBType | undefined =>
  type instanceof library.DuckDBListType || type instanceof library.DuckDBArrayType ? type.valueType : undefined;

function columnOf(library: Library, name: string, type: DuckDBType | undefined, at: number): Column<ResultRow> {
  const item = itemOf(library, type);
  const isInt = isOf(library, type, INTEGERS);
  return {
    key: name,
    header: name,
    type: isInt ? 'int' : isOf(library, type, REALS) ? 'real' : 'str',
    width: 0,
    doc: '',
    ...(item === undefined ? {} : { list: isOf(library, item, INTEGERS) ? ('int' as const) : ('str' as const) }),
    value: (row) => row[at] ?? null,
  };
}

/** Integers too large for a number are written as text. */
const integerOf = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);

function cellOf(library: Library, value: DuckDBValue, type: DuckDBType | undefined): CellValue {
  if (value === null || type === undefined) return null;
  const item = itemOf(library, type);
  if (item === undefined) return scalarOf(library, value);
  const items =
    value instanceof library.DuckDBListValue || value instanceof library.DuckDBArrayValue ? value.items : [];
  const isInt = isOf(library, item, INTEGERS);
  return items.map((element) => {
    const isUnknown = typeof element === 'number' && !Number.isFinite(element);
    const cell = isUnknown ? UNKNOWN : (scalarOf(library, element) ?? UNKNOWN);
    return isInt ? cell : String(cell);
  });
}

/**
 * Values that are neither numbers nor strings become JSON if they are composite, else DuckDB's text. Infinite numbers and NaN
 * are left to the format.
 */
function scalarOf(library: Library, value: DuckDBValue): Scalar {
  if (typeof value === 'number') return value;
  const plain = plainOf(library, value);
  if (typeof plain === 'number' || typeof plain === 'string' || plain === null) return plain;
  return JSON.stringify(plain);
}

/** A value as in JSON. */
function plainOf(library: Library, value: DuckDBValue): unknown {
  const inner = (part: DuckDBValue): unknown => plainOf(library, part);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return integerOf(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof library.DuckDBDecimalValue) return value.toDouble();
  if (value instanceof library.DuckDBListValue || value instanceof library.DuckDBArrayValue) {
    return value.items.map(inner);
  }
  if (value instanceof library.DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, part]) => [name, inner(part)]));
  }
  if (value instanceof library.DuckDBMapValue) {
    return Object.fromEntries(value.entries.map(({ key, value: part }) => [String(inner(key)), inner(part)]));
  }
  return String(value);
}

/** Allowed functions that return tables. Others change the database's settings, or read files. */
const TABLE_FUNCTIONS: readonly string[] = ['unnest', 'range', 'generate_series', 'json_each', 'json_tree'];

/** Names of columns that a query reads, by table. */
export type ColumnsRead = ReadonlyMap<string, ReadonlySet<string>>;

/** Creates empty tables, with which a query can be checked. */
export async function createEmptyTables(connection: DuckDBConnection): Promise<void> {
  for (const { name, columns } of SQL_TABLES) {
    const list = columns.map((column) => `${quoted(column.name)} ${typeName(column.kind)}`).join(', ');
    await connection.run(`CREATE TABLE ${quoted(name)} (${list})`);
  }
}

/**
 * The columns that the query reads, determined with the empty tables.
 * @throws UserError for a string that is not a query, for several queries, and for one that does more than read the
 *   tables
 */
export async function planQuery(connection: DuckDBConnection, sql: string): Promise<ColumnsRead> {
  await checkStatement(connection, sql);
  try {
    const rows = (await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`)).getRows();
    const read = new Map<string, Set<string>>();
    for (const row of rows) addScans(duckdbJson(String(row[1])), read);
    return read;
  } catch (error) {
    throw asSqlError(error);
  }
}

const refused = (what: string, hint: string | undefined): UserError =>
  new UserError(what, { where: 'SQL', exitCode: EXIT.usage, ...(hint === undefined ? {} : { hint }) });

/** @throws UserError for anything but a single query */
async function checkStatement(connection: DuckDBConnection, sql: string): Promise<void> {
  const answer = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const parsed = duckdbJson(String(answer.getRows()[0]?.[0])) as ParsedStatements;
  if (parsed.error) throw refusalOf(parsed, sql);
  const { statements = [] } = parsed;
  if (statements.length !== 1) throw refused(`one query, not ${statements.length}`, "dprof sql 'SELECT ...' FILE");
  for (const name of tableFunctionsIn(statements)) {
    if (TABLE_FUNCTIONS.includes(name.toLowerCase())) continue;
    throw refused(`no table function ${name}`, `there are ${TABLE_FUNCTIONS.join(', ')}`);
  }
}

/** Strings of JSON, and numbers that DuckDB writes although JSON does not have them. */
const STRING_OR_NOT_FINITE = /"(?:[^"\\]|\\.)*"|-?\b(?:Infinity|inf|NaN|nan)\b/g;

/** Parses the JSON that DuckDB writes about a query, in which `1e400` is `Infinity`; such numbers become null. */
const duckdbJson = (text: string): unknown =>
  JSON.parse(text.replace(STRING_OR_NOT_FINITE, (found) => (found.startsWith('"') ? found : 'null')));

/** Why a string is not accepted as a query. */
function refusalOf({ error_type: type, error_message: message = '' }: ParsedStatements, sql: string): UserError {
  if (type === 'parser') {
    const [, near = ''] = /at or near "(\w+)"$/.exec(message) ?? [];
    const isName = SQL_TABLES.some(({ columns }) => columns.some(({ name }) => name === near.toLowerCase()));
    return refused(`Parser Error: ${message}`, isName ? `for a column name: "${near}"` : undefined);
  }
  const what = 'only queries are allowed: SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, SHOW TABLES';
  // Without a list of values, a pivot consists of two statements.
  const isPivot = /\bpivot\b/i.test(sql);
  return refused(what, isPivot ? 'PIVOT needs its values: ON column IN (...)' : 'write the result with -f and -o');
}

/** Result of json_serialize_sql. */
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

/** Adds the columns that table scans name anywhere: in projections and in filters. */
function addScans(plan: unknown, read: Map<string, Set<string>>): void {
  for (const { extra_info: info } of objectsIn(plan)) {
    if (typeof info !== 'object' || info === null || !('Table' in info) || typeof info.Table !== 'string') continue;
    const name = info.Table.split('.').at(-1) ?? '';
    const table = SQL_TABLES.find((candidate) => candidate.name === name.replaceAll('"', ''));
    if (table === undefined) continue;
    const columns = entryOf(read, table.name, () => new Set<string>());
    const words = new Set(JSON.stringify({ ...info, Table: '' }).match(/\w+/g));
    for (const column of table.columns) if (words.has(column.name)) columns.add(column.name);
  }
}
