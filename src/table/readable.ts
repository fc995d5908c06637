/** Columns as screens and Markdown reports show them: times in us, sizes in MiB, all other values as they are. */
import { DECIMALS, MEBIBYTE, MICROSECOND, type Scale } from '../record/units.js';
import type { CellValue, Column } from './column.js';

/** The same column in the unit of screens, with another header. Three digits keep whole ns. */
export function readable<Row>(column: Column<Row>, header: string): Column<Row> {
  if (column.unit === 'ns') return { ...scaledDown(column, MICROSECOND), unit: 'us', header };
  if (column.unit === 'bytes') return { ...scaledDown(column, MEBIBYTE), unit: 'MiB', header };
  return { ...column, header };
}

const scaledDown = <Row>(column: Column<Row>, { size }: Scale): Column<Row> => ({
  ...column,
  type: 'real',
  digits: DECIMALS,
  value: (row): CellValue => {
    const value = column.value(row);
    return typeof value === 'number' ? value / size : value;
  },
});
