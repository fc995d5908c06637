/** The result of a query → columns and rows of a table. */
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { UNKNOWN } from '../../../record/units.js';
import type { CellValue, Column } from '../../../table/column.js';
import { EXIT } from '../../../record/errors.js';
import { asSqlError, type Database } from './duckdb.js';

type Library = typeof DuckDB;
type Scalar = number | string | null;

export type ResultRow = readonly CellValue[];

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

/** Whole numbers. */
const INTEGERS: readonly TypeId[] = [
  ...(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'] as const),
  ...(['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'] as const),
];
const REALS: readonly TypeId[] = ['FLOAT', 'DOUBLE', 'DECIMAL'];

const isOf = (library: Library, type: DuckDBType | undefined, ids: readonly TypeId[]): boolean =>
  type !== undefined && ids.some((id) => library.DuckDBTypeId[id] === type.typeId);

/** The type of the items of a list; undefined for what is none. */
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

/** Numbers that a number cannot hold are their digits. */
const integerOf = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);

function cellOf(library: Library, value: DuckDBValue, type: DuckDBType | undefined): CellValue {
  if (value === null || type === undefined) return null;
  const item = itemOf(library, type);
  if (item === undefined) return scalarOf(library, value);
  const items =
    value instanceof library.DuckDBListValue || value instanceof library.DuckDBArrayValue ? value.items : [];
  const isInt = isOf(library, item, INTEGERS);
  return items.map((one) => {
    const cell = scalarOf(library, one) ?? UNKNOWN;
    return isInt ? cell : String(cell);
  });
}

/** What is neither a number nor a text is JSON where it has parts, else what DuckDB writes. */
function scalarOf(library: Library, value: DuckDBValue): Scalar {
  const plain = plainOf(library, value);
  if (typeof plain === 'number' || typeof plain === 'string' || plain === null) return plain;
  return JSON.stringify(plain);
}

/** A value as JSON has it. */
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
