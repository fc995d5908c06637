/** The tables and columns that a query may name, as a table. */
import { requireNamed } from '../../../record/errors.js';
import { column, str, type Column } from '../../../table/column.js';
import { SQL_TABLES } from './sql-table.js';
import { typeName } from './sql-types.js';

interface SchemaRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly doc: string;
}

export const SCHEMA_COLUMNS: readonly Column<SchemaRow>[] = [
  column('table', 'table', str(10), 'name of the table', (row) => row.table),
  column('column', 'column', str(24), 'name of the column', (row) => row.column),
  column('type', 'type', str(10), 'its type', (row) => row.type),
  column('meaning', 'meaning', str(0), 'what it means; of fields of records, docs/record.md says it', (row) => row.doc),
];

/**
 * @param names of tables; none for all
 * @throws UsageError naming the nearest table
 */
export function schemaRows(names: readonly string[]): SchemaRow[] {
  const tables =
    names.length === 0 ? SQL_TABLES : names.map((name) => requireNamed('table', name, SQL_TABLES, tableName));
  return tables.flatMap(({ name, columns }) =>
    columns.map((one) => ({ table: name, column: one.name, type: typeName(one.kind), doc: one.doc })),
  );
}

const tableName = ({ name }: { readonly name: string }): string => name;
