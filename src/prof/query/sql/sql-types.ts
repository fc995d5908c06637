/** Column types and values for DuckDB. */
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { FieldKind, RecordField } from '../../../record/fields/field-types.js';
import type { Column, ColumnShape } from '../../../table/column.js';

type Library = typeof DuckDB;

/** The type in SQL. JSON is stored as text, which DuckDB's JSON functions accept. */
const NAMES: Readonly<Record<FieldKind, string>> = {
  int: 'BIGINT',
  real: 'DOUBLE',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  digits: 'BIGINT',
  ints: 'BIGINT[]',
  texts: 'VARCHAR[]',
  json: 'JSON',
};

/** Any name, quoted for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const typeName = (kind: RecordField['kind']): string =>
  typeof kind === 'string'
    ? NAMES[kind]
    : `STRUCT(${kind.map((field) => `${quoted(field.name)} ${typeName(field.kind)}`).join(', ')})`;

/** The type as an object of the library. */
export function typeOf(library: Library, kind: RecordField['kind']): DuckDBType {
  const { BIGINT, BOOLEAN, DOUBLE, LIST, STRUCT, VARCHAR } = library;
  if (typeof kind !== 'string') {
    return STRUCT(Object.fromEntries(kind.map((field) => [field.name, typeOf(library, field.kind)])));
  }
  const types: Readonly<Record<FieldKind, DuckDBType>> = {
    int: BIGINT,
    real: DOUBLE,
    text: VARCHAR,
    flag: BOOLEAN,
    digits: BIGINT,
    ints: LIST(BIGINT),
    texts: LIST(VARCHAR),
    json: VARCHAR,
  };
  return types[kind];
}

/** Largest signed 64-bit integer. */
const MOST = 2n ** 63n - 1n;

function integer(value: unknown): bigint | null {
  const isDigits = typeof value === 'string' && /^\d{1,19}$/.test(value);
  if (!isDigits && (typeof value !== 'number' || !Number.isFinite(value))) return null;
  const whole = BigInt(isDigits ? value : Math.round(Number(value)));
  return whole > MOST || whole < -MOST ? null : whole;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

/** Returns a function that converts a value of a record or a report to one of the library; null for unknown. */
export function converterOf(library: Library, kind: RecordField['kind']): (value: unknown) => DuckDBValue {
  const { listValue, structValue } = library;
  if (typeof kind !== 'string') {
    const parts = kind.map((field) => [field.name, converterOf(library, field.kind)] as const);
    return (value) => {
      if (typeof value !== 'object' || value === null) return null;
      const object = value as Readonly<Record<string, unknown>>;
      return structValue(Object.fromEntries(parts.map(([name, convert]) => [name, convert(object[name])])));
    };
  }
  const listOf =
    (item: (value: unknown) => DuckDBValue) =>
    (value: unknown): DuckDBValue =>
      Array.isArray(value) ? listValue(value.map(item)) : null;
  const converters: Readonly<Record<FieldKind, (value: unknown) => DuckDBValue>> = {
    int: integer,
    real: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null),
    text,
    flag: (value) => (typeof value === 'boolean' ? value : null),
    digits: integer,
    ints: listOf(integer),
    texts: listOf(text),
    json,
  };
  return converters[kind];
}

/** A column of a table, and how to get its values. */
export interface SqlColumn<Row> {
  readonly name: string;
  readonly kind: RecordField['kind'];
  /** Description from the report's help; empty for fields, which docs/record.md describes. */
  readonly doc: string;
  readonly value: (row: Row) => unknown;
}

export interface SqlTable<Row> {
  readonly name: string;
  readonly columns: readonly SqlColumn<Row>[];
}

const LISTS = { int: 'ints', str: 'texts' } as const;
const KINDS = { int: 'int', real: 'real', str: 'text' } as const;

const kindOf = ({ type, list }: ColumnShape): RecordField['kind'] => (list === undefined ? KINDS[type] : LISTS[list]);

/** A report column. Numbers in a text column are converted to strings. */
export function ofColumn<Row>(column: Column<Row>): SqlColumn<Row> {
  const kind = kindOf(column);
  const value = (row: Row): unknown => column.value(row);
  const textOf = (row: Row): unknown => {
    const cell = column.value(row);
    return typeof cell === 'number' ? String(cell) : cell;
  };
  return { name: column.key, kind, doc: column.doc, value: kind === 'text' ? textOf : value };
}
