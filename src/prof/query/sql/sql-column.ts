/** What a table of `dprof sql` is: a name, and columns with their values. */
import type { RecordField } from '../../../record/fields/field-types.js';
import type { Column, ColumnShape } from '../../../table/column.js';

/** A column of a table, and its values. */
export interface SqlColumn<Row> {
  readonly name: string;
  readonly kind: RecordField['kind'];
  /** What it is, as the report's help says it; empty where docs/record.md does. */
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

/** A column of a report. Numbers among texts are texts too. */
export function ofColumn<Row>(column: Column<Row>): SqlColumn<Row> {
  const kind = kindOf(column);
  const value = (row: Row): unknown => column.value(row);
  const textOf = (row: Row): unknown => {
    const cell = column.value(row);
    return typeof cell === 'number' ? String(cell) : cell;
  };
  return { name: column.key, kind, doc: column.doc, value: kind === 'text' ? textOf : value };
}
