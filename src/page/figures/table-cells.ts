/** Cells and heads of tables: columns of texts, and of numbers in a common scale. */
import { breakable } from '../document/breakable.js';
import { elementAt } from '../../containers/element.js';
import { element } from '../document/dom-elements.js';
import { inScale, scaleOf, scaleOfAll, type DisplayScale, type DisplayUnit } from '../document/units.js';
import { figure } from './figure.js';
import type { CopiedColumn } from './table-csv.js';

/** Columns of numbers have a unit, those of texts have none. */
export interface TableColumn<Row> extends CopiedColumn<Row> {
  /** Columns of one unit and group share a scale, so that their numbers compare. */
  readonly group?: string;
  /** Name of the number, see `Field`. */
  readonly field?: (row: Row) => string;
  /** Length of a bar behind the number, 0 to 1. */
  readonly bar?: (row: Row) => number | null;
  /** A button or mark before the text. */
  readonly before?: (row: Row) => Node | null;
  /** Whether it is shown only when all columns are, where the table has many. */
  readonly isExtra?: boolean;
  /** The text as a link to the row's events; null for a text alone. */
  readonly link?: (row: Row, text: string) => HTMLElement | null;
}

/** Columns, and the rows whose largest values set the scales. */
interface ScaledColumns<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
}

/** Units whose numbers may differ by millions within a column: each number has its own scale. */
const SCALED_BY_CELL: ReadonlySet<DisplayUnit> = new Set<DisplayUnit>(['bytes', 'memory', 'bytes/s', 'flop', 'flop/s']);

/** A number in its column's scale, or in its own and with its suffix. */
function numberText(value: number | null, unit: DisplayUnit, scale: DisplayScale | null): string {
  if (scale !== null || value === null) return inScale(value, scale ?? scaleOf(unit, 0));
  const own = scaleOf(unit, value);
  return `${inScale(value, own)} ${own.suffix}`;
}

/** Scales by column; null for texts, and for columns without a common scale. */
export function scalesOf<Row>({ columns, rows }: ScaledColumns<Row>): (DisplayScale | null)[] {
  const scaleFor = (unit: DisplayUnit, group: string | undefined): DisplayScale => {
    const together = columns.filter((column) => column.unit === unit && column.group === group);
    const values = together.flatMap(({ cell }) => rows.map(cell)).filter((value) => typeof value === 'number');
    return scaleOfAll(unit, values);
  };
  return columns.map(({ unit, group }) =>
    unit === undefined || SCALED_BY_CELL.has(unit) ? null : scaleFor(unit, group),
  );
}

/** The text of a column's head, with the suffix of its scale. */
export const headerText = (title: string, scale: DisplayScale | null): string =>
  scale === null || scale.suffix === '' || title.endsWith(scale.suffix) ? title : `${title} (${scale.suffix})`;

function textCell<Row>(row: Row, { cell, link, before }: TableColumn<Row>): (Node | string)[] {
  const value = cell(row);
  const content = value === null ? 'na' : String(value);
  const linked = value === null ? null : (link?.(row, content) ?? null);
  const mark = before?.(row) ?? null;
  const text = breakable(element('span', { class: 'text', title: value === null ? '' : content }, linked ?? content));
  return mark === null ? [text] : [mark, text];
}

/** Cells of columns that a narrow table hides have a class. */
export const classOf = (own: string | null, isExtra: boolean): string | null =>
  isExtra ? [own, 'extra'].filter((name) => name !== null).join(' ') : own;

function cellOf<Row>(row: Row, column: TableColumn<Row>, scale: DisplayScale | null, isFirst: boolean): HTMLElement {
  const value = column.cell(row);
  const tag = isFirst ? 'th' : 'td';
  const scope = isFirst ? { scope: 'row' } : {};
  const { isExtra = false } = column;
  if (column.unit === undefined) {
    return element(
      tag,
      { ...scope, class: classOf(value === null ? 'unknown' : null, isExtra) },
      ...textCell(row, column),
    );
  }
  const number = typeof value === 'number' ? value : null;
  const text = numberText(number, column.unit, scale);
  const shown =
    column.field === undefined ? text : figure({ name: column.field(row), value: number }, column.unit, text);
  const part = column.bar?.(row) ?? null;
  const made = element(tag, { ...scope, class: classOf(part === null ? 'number' : 'number bar', isExtra) }, shown);
  if (part !== null) made.style.setProperty('--part', `${(Math.min(1, Math.max(0, part)) * 100).toFixed(2)}%`);
  return made;
}

export function rowOf<Row>(
  row: Row,
  columns: readonly TableColumn<Row>[],
  scales: readonly (DisplayScale | null)[],
): HTMLElement {
  const cells = columns.map((column, i) => cellOf(row, column, elementAt(scales, i), i === 0));
  return element('tr', {}, ...cells);
}
