/** Cells and headers of tables: columns of strings, and columns of numbers in a common scale. */
import { elementAt } from '../../containers/element.js';
import { element, button } from '../document/dom-elements.js';
import { inScale, scaleOf, scaleOfAll, type DisplayScale, type DisplayUnit } from '../document/units.js';
import { figure } from './figure.js';
import { sortedRows, type CopiedColumn, type ShortTexts } from './table-sort.js';

/**
 * Line breaks are allowed after these characters, unless another of them follows: `ncclKernel_`, `at::native::`,
 * `/blocks.0/`. A line number stays with its file: `model.py:410`.
 */
const PLACE = /(?<=[_:/<])(?=[^_:/<])(?!(?<=:)\d)/;

/** Length from which strings need line breaks. */
const LONG = 20;

/** @param text element whose text may break; copying and searching are not affected */
function breakable(text: HTMLElement): HTMLElement {
  if (text.textContent.length < LONG) return text;
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  for (const node of nodes) {
    const parts = node.data.split(PLACE);
    if (parts.length > 1) node.replaceWith(...parts.flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part])));
  }
  return text;
}

/** A column. Columns of numbers have a unit, string columns have none. */
export interface TableColumn<Row> extends CopiedColumn<Row> {
  /** What it has, for the header's hover text. */
  readonly about?: string;
  /** Columns with the same unit and group share a scale, so that their numbers can be compared. */
  readonly group?: string;
  /** Name of the number, see `Field`. */
  readonly field?: (row: Row) => string;
  /** Length of a bar behind the number, 0 to 1. */
  readonly bar?: (row: Row) => number | null;
  /** The text to show for a row's number, by its usual text, where the number is a bound or unknown. */
  readonly worded?: (row: Row, text: string) => string;
  /** A button or mark before the text. */
  readonly before?: (row: Row) => Node | null;
  /** Whether it is hidden when the table has many columns, unless all are shown. */
  readonly isExtra?: boolean;
  /** The text as a link to the row's events; null for plain text. */
  readonly link?: (row: Row, text: string) => HTMLElement | null;
}

/** Columns, and the rows whose largest values determine the scales. */
interface ScaledColumns<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
}

/** Units whose numbers may differ by millions in one column, so that each number has its own scale. */
const SCALED_BY_CELL: ReadonlySet<DisplayUnit> = new Set<DisplayUnit>(['bytes', 'memory', 'bytes/s', 'flop', 'flop/s']);

/** A number in its column's scale, or in a separate scale with its suffix. */
function numberText(value: number | null, unit: DisplayUnit, scale: DisplayScale | null): string {
  if (scale !== null || value === null) return inScale(value, scale ?? scaleOf(unit, 0));
  const fittingScale = scaleOf(unit, value);
  return `${inScale(value, fittingScale)} ${fittingScale.suffix}`;
}

/** Scales by column; null for strings, and for columns without a common scale. */
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

/** The header text of a column, with the suffix of its scale unless its last word is the suffix. */
export const headerText = (title: string, scale: DisplayScale | null): string =>
  scale === null || scale.suffix === '' || title.split(' ').at(-1) === scale.suffix
    ? title
    : `${title} (${scale.suffix})`;

function textCell<Row>(
  row: Row,
  { cell, link, before }: TableColumn<Row>,
  short: ReadonlyMap<string, string>,
): (Node | string)[] {
  const value = cell(row);
  const whole = value === null ? 'na' : String(value);
  const content = short.get(whole) ?? whole;
  const linked = value === null ? null : (link?.(row, content) ?? null);
  const mark = before?.(row) ?? null;
  const text = breakable(element('span', { class: 'text', title: value === null ? '' : whole }, linked ?? content));
  return mark === null ? [text] : [mark, text];
}

/** A class marks cells of columns that are hidden when space is short. */
export const classOf = (className: string | null, isExtra: boolean): string | null =>
  isExtra ? [className, 'extra'].filter((name) => name !== null).join(' ') : className;

function cellOf<Row>(
  row: Row,
  column: TableColumn<Row>,
  scale: DisplayScale | null,
  short: ReadonlyMap<string, string>,
  isFirst: boolean,
): HTMLElement {
  const value = column.cell(row);
  const tag = isFirst ? 'th' : 'td';
  const scope = isFirst ? { scope: 'row' } : {};
  const { isExtra = false } = column;
  if (column.unit === undefined) {
    return element(
      tag,
      { ...scope, class: classOf(value === null ? 'unknown' : null, isExtra) },
      ...textCell(row, column, short),
    );
  }
  const number = typeof value === 'number' ? value : null;
  const plain = numberText(number, column.unit, scale);
  const text = column.worded?.(row, plain) ?? plain;
  const shown =
    column.field === undefined ? text : figure({ name: column.field(row), value: number }, column.unit, text);
  const part = column.bar?.(row) ?? null;
  const made = element(tag, { ...scope, class: classOf(part === null ? 'number' : 'number bar', isExtra) }, shown);
  if (part !== null) {
    made.style.setProperty('--part', `${(Math.min(1, Math.max(0, part)) * 100).toFixed(2)}%`);
    made.style.setProperty('--number', scale === null || column.unit !== 'share' ? '9ch' : '5ch');
  }
  return made;
}

export function rowOf<Row>(
  row: Row,
  columns: readonly TableColumn<Row>[],
  scales: readonly (DisplayScale | null)[],
  short: ShortTexts,
): HTMLElement {
  const cells = columns.map((column, i) => cellOf(row, column, elementAt(scales, i), elementAt(short, i), i === 0));
  return element('tr', {}, ...cells);
}

export class TableHeads<Row> {
  readonly row: HTMLElement;
  readonly #heads: readonly HTMLElement[];
  /** Index of the sorting column; null for the given order. */
  #by: number | null;
  #isDescending: boolean;

  /** @param sort called when another order was chosen; null for headers without buttons */
  constructor(
    private readonly columns: readonly TableColumn<Row>[],
    scales: readonly (DisplayScale | null)[],
    by: number | null,
    sort: (() => void) | null,
  ) {
    this.#by = by;
    this.#isDescending = by !== null && elementAt(columns, by).unit !== undefined;
    this.#heads = columns.map(({ title, unit, about = null, isExtra = false }, i) => {
      const text = headerText(title, elementAt(scales, i));
      const content = sort === null ? text : button(text, () => this.#choose(i, sort));
      const kind = classOf(unit === undefined ? null : 'number', isExtra);
      return element('th', { scope: 'col', title: about, class: kind }, content);
    });
    this.row = element('tr', {}, ...this.#heads);
    if (sort !== null) this.#mark();
  }

  /**
   * Items in the chosen order, or in the given order if none was chosen.
   * @param rowOf the row of an item, which columns read
   */
  inOrder<Item>(items: readonly Item[], rowOf: (item: Item) => Row): Item[] {
    if (this.#by === null) return [...items];
    const { cell } = elementAt(this.columns, this.#by);
    return sortedRows(items, (item) => cell(rowOf(item)), this.#isDescending);
  }

  #choose(i: number, sort: () => void): void {
    this.#isDescending = this.#by === i ? !this.#isDescending : elementAt(this.columns, i).unit !== undefined;
    this.#by = i;
    this.#mark();
    sort();
  }

  #mark(): void {
    const direction = this.#isDescending ? 'descending' : 'ascending';
    this.#heads.forEach((head, i) => head.setAttribute('aria-sort', i === this.#by ? direction : 'none'));
  }
}
