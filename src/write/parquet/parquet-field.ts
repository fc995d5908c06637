/** Columns of a Parquet file: their schema types, and the conversion of values for the library. */
import type { ColumnSource } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import type { FieldKind } from '../../record/fields/field-types.js';

/** A column and the type of its values; a list of columns for an object of fixed form. All values may be null. */
export interface ParquetField {
  readonly name: string;
  readonly kind: FieldKind | readonly ParquetField[];
}

type Scalar = 'int' | 'real' | 'text' | 'flag';

/** JSON is stored as text, which all readers accept; DuckDB and Spark read its fields by path. */
const SCALARS: Readonly<Record<Scalar, SchemaElement>> = {
  int: { name: '', type: 'INT64' },
  real: { name: '', type: 'DOUBLE' },
  text: { name: '', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  flag: { name: '', type: 'BOOLEAN' },
};

/** The type of a value, and whether the column contains lists of it. */
const KINDS: Readonly<Record<FieldKind, readonly [of: Scalar, isList: boolean]>> = {
  int: ['int', false],
  real: ['real', false],
  text: ['text', false],
  flag: ['flag', false],
  digits: ['int', false],
  json: ['text', false],
  ints: ['int', true],
  texts: ['text', true],
};

/** The schema elements of a file, the root first. */
export const schemaOf = (fields: readonly ParquetField[]): SchemaElement[] => [
  { name: 'root', num_children: fields.length },
  ...fields.flatMap(elementsOf),
];

function elementsOf({ name, kind }: ParquetField): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  if (typeof kind !== 'string') return [{ ...optional, num_children: kind.length }, ...kind.flatMap(elementsOf)];
  const [scalar, isList] = KINDS[kind];
  if (!isList) return [{ ...SCALARS[scalar], ...optional }];
  return [
    { ...optional, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { ...SCALARS[scalar], name: 'element', repetition_type: 'REQUIRED' },
  ];
}

/** The largest signed 64-bit integer. */
const MOST = 2n ** 63n - 1n;

/** The nearest whole number to a number or to decimal text; null for anything else, or when it exceeds 64 bits. */
function integerOf(value: unknown): bigint | null {
  const isDigits = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
  if (!isDigits && (typeof value !== 'number' || !Number.isFinite(value))) return null;
  const integer = BigInt(isDigits ? value : Math.round(Number(value)));
  return integer > MOST || integer < -MOST ? null : integer;
}

const listOf =
  <T>(read: (value: unknown) => T | null) =>
  (value: unknown): T[] | null => {
    if (!Array.isArray(value)) return null;
    const items = value.map(read);
    // Items of a list are never null: when one is unknown, the whole list is.
    return items.every((item) => item !== null) ? items : null;
  };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Converts a value for the library; null when it does not have the type. */
const VALUES: Readonly<Record<FieldKind, (value: unknown) => unknown>> = {
  int: integerOf,
  real: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null),
  text: textOrNull,
  flag: (value) => (typeof value === 'boolean' ? value : null),
  digits: integerOf,
  json: textOrNull,
  ints: listOf(integerOf),
  texts: listOf(textOrNull),
};

/** Converter for the values of a column. */
function converterOf(kind: ParquetField['kind']): (value: unknown) => unknown {
  if (typeof kind === 'string') return VALUES[kind];
  const parts = kind.map((field) => [field.name, converterOf(field.kind)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return null;
    const object = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(parts.map(([name, convert]) => [name, convert(object[name])]));
  };
}

/** Number of values that are checked to decide whether a column of numbers rarely repeats values. */
const SAMPLE = 1000;

/**
 * A column in a row group. Numbers that rarely repeat, such as times and ids, are delta-encoded; for others the library
 * uses a dictionary.
 */
export function columnOf({ name, kind }: ParquetField, values: readonly unknown[]): ColumnSource {
  const convert = converterOf(kind);
  const data = values.map(convert);
  const isDistinct = kind === 'int' && new Set(values.slice(0, SAMPLE)).size > Math.min(SAMPLE, values.length) / 2;
  return { name, data, ...(isDistinct ? { encoding: 'DELTA_BINARY_PACKED' as const } : {}) };
}
