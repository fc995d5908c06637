/** Columns as screens and Markdown reports show them: times in us, sizes in MiB, all other values as they are. */
import type { CellValue, Column } from './column.js';

const NS_PER_US = 1000;
const BYTES_PER_MIB = 2 ** 20;

/**
 * The same column in the unit of screens. Three digits keep whole ns.
 * @param header of the new column
 */
export function readable<Row>(column: Column<Row>, header: string): Column<Row> {
  if (column.unit === 'ns') return { ...scaledDown(column, NS_PER_US), unit: 'us', header };
  if (column.unit === 'bytes') return { ...scaledDown(column, BYTES_PER_MIB), unit: 'MiB', header };
  return { ...column, header };
}

const scaledDown = <Row>(column: Column<Row>, size: number): Column<Row> => ({
  ...column,
  type: 'real',
  digits: 3,
  value: (row): CellValue => {
    const value = column.value(row);
    return typeof value === 'number' ? value / size : value;
  },
});
