/** Columns of a Parquet file: their types in its schema, and the values that the library takes for them. */
import type { ColumnSource } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import type { FieldKind } from '../../record/fields/field-types.js';

/** A column and the type of its values; a list of columns for an object of a fixed form. All may be null. */
export interface ParquetField {
  readonly name: string;
  readonly kind: FieldKind | readonly ParquetField[];
}

type Scalar = 'int' | 'real' | 'text' | 'flag';

/** JSON stands as text, which all readers take; DuckDB and Spark read fields of it by path. */
const SCALARS: Readonly<Record<Scalar, SchemaElement>> = {
  int: { name: '', type: 'INT64' },
  real: { name: '', type: 'DOUBLE' },
  text: { name: '', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  flag: { name: '', type: 'BOOLEAN' },
};

/** The type of a value, and whether a column has a list of it. */
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

/** The elements of a file's schema, the root first. */
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

/** Whole numbers of 64 bits. */
const MOST = 2n ** 63n - 1n;

/** The nearest whole number, of a number or of digits; null for what is none or has no room in 64 bits. */
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
    // The items of a list are never null: where one is unknown, the list is.
    return items.every((item) => item !== null) ? items : null;
  };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A value as the library takes it; null for one that is not of the type. */
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

/** What makes the values of a column those that the library takes. */
function converterOf(kind: ParquetField['kind']): (value: unknown) => unknown {
  if (typeof kind === 'string') return VALUES[kind];
  const parts = kind.map((field) => [field.name, converterOf(field.kind)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return null;
    const object = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(parts.map(([name, convert]) => [name, convert(object[name])]));
  };
}

/** Values from which on a column of numbers is taken for one that hardly repeats any. */
const SAMPLE = 1000;

/**
 * A column of a group of rows. Numbers that hardly repeat, as times and ids, are written as differences; what repeats the
 * library writes as numbers into a list of the distinct values.
 */
export function columnOf({ name, kind }: ParquetField, values: readonly unknown[]): ColumnSource {
  const convert = converterOf(kind);
  const data = values.map(convert);
  const isDistinct = kind === 'int' && new Set(values.slice(0, SAMPLE)).size > Math.min(SAMPLE, values.length) / 2;
  return { name, data, ...(isDistinct ? { encoding: 'DELTA_BINARY_PACKED' as const } : {}) };
}
