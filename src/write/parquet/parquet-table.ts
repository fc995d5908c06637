/** A table as a Parquet file. */
import { textOf, type CellValue, type Column, type ColumnShape } from '../../table/column.js';
import type { Layout, Sheet } from '../format.js';
import type { ParquetField } from './parquet-field.js';
import { ParquetRows } from './parquet-rows.js';

const LISTS = { int: 'ints', str: 'texts' } as const;
const KINDS = { int: 'int', real: 'real', str: 'text' } as const;

const fieldOf = ({ key, type, list }: ColumnShape): ParquetField => ({
  name: key,
  kind: list === undefined ? KINDS[type] : LISTS[list],
});

/** A value of the column's type: numbers and lists that few columns of text have among others become text. */
const valueOf = (column: ColumnShape, value: CellValue): CellValue =>
  value === null || column.list !== undefined || column.type !== 'str' ? value : textOf(column, value);

/** Columns whose keys are given twice stand once, since a name does in a file. */
const distinct = <Row>(columns: readonly Column<Row>[]): Column<Row>[] => [
  ...new Map(columns.map((column) => [column.key, column])).values(),
];

/** The sheet of a table. Compressed rows are held until the end, which has the index of the file. */
export function openParquet<Row>(layout: Layout<Row>): Sheet<Row> {
  const columns = distinct(layout.columns);
  const file = new ParquetRows(columns.map(fieldOf));
  const pieces: Uint8Array[] = [];
  return {
    head: () => '',
    pack: (row) => columns.map((column) => valueOf(column, column.value(row))),
    rows: (packed) => {
      for (const row of packed as readonly (readonly CellValue[])[]) {
        const bytes = file.add(row);
        if (bytes.length > 0) pieces.push(bytes);
      }
      return '';
    },
    *end() {
      yield* pieces;
      yield file.finish();
    },
  };
}
