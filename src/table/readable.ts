/**
 * Columns as screens and Markdown reports show them: times in us, sizes in MiB, all other values unchanged. Also lines
 * with a label and a string.
 */
import { amountText, DECIMALS, MEBIBYTE, MICROSECOND, NS_PER_S, type Quantity, type Scale } from '../record/units.js';
import type { CellValue, Column, ColumnShape } from './column.js';

/** The same column in the unit for screens, with another header. Three decimals keep whole ns. */
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

const GIGA = 1e9;

/** The quantity of a column with some unit, and the unit's size in base units. */
const AMOUNTS: Partial<Record<NonNullable<ColumnShape['unit']>, readonly [Quantity, number]>> = {
  ns: ['time', 1],
  bytes: ['transfer', 1],
  FLOP: ['flop', 1],
  'GB/s': ['rate', GIGA],
  'FLOP/s': ['flop/s', 1],
  s: ['time', NS_PER_S],
};

/** The same column with a unit for each value, as in `32.32 ms` and `4 B`: for values of very different sizes. */
export function inAmounts<Row>(column: Column<Row>): Column<Row> {
  const { unit, ...rest } = column;
  const amount = unit === undefined ? undefined : AMOUNTS[unit];
  if (amount === undefined) return column;
  const [quantity, size] = amount;
  return {
    ...rest,
    ...{ header: column.header.replace(/_ns$/, ''), type: 'str', toTheRight: true },
    value: (row): CellValue => {
      const value = column.value(row);
      if (typeof value !== 'number') return value;
      const sign = column.signed === true && value > 0 ? '+' : '';
      return sign + amountText(value * size, quantity);
    },
  };
}

/** A label and a string. The label is empty when the text continues the line above. */
export type LabelledLine = readonly [label: string, text: string];

/**
 * A line with a label and a string. Strings of lines with the same width are aligned.
 * @param width characters of the longest label
 */
export const labelledLine = (label: string, text: string, width: number): string =>
  `${label.padEnd(width)} ${text}`.trimEnd();
