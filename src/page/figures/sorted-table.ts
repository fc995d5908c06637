/** Tables that are sorted by their header buttons and filtered by words. */
import { elementAt } from '../../containers/element.js';
import { button, element, filterField, scrolling } from '../document/dom-elements.js';
import { namedFigure } from './figure.js';
import { sortedRows, filteredRows, type TableCell } from './table-sort.js';
import { whenPrinted } from '../document/paper.js';
import { inScale, scaleOf, scaleOfAll, type DisplayScale, type DisplayUnit } from '../document/units.js';

export interface TableColumn<Row> {
  readonly title: string;
  /** Unit of a column of numbers; columns of texts have none. */
  readonly unit?: DisplayUnit;
  /** Columns of one unit and group share a scale, so that their numbers compare. */
  readonly group?: string;
  readonly cell: (row: Row) => TableCell;
  /** Field of the number, see `field.ts`. */
  readonly field?: (row: Row) => string;
  /** Length of a bar behind the number, 0 to 1. */
  readonly bar?: (row: Row) => number | null;
  /** A button or mark before the text. */
  readonly before?: (row: Row) => Node | null;
  /** The text as a link to the row's events; null for a text alone. */
  readonly link?: (row: Row, text: string) => HTMLElement | null;
}

interface TableOptions<Row> {
  /** What the table lists: for screen readers, and for the filter's label. */
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Index of the column that sorts the table at first; null keeps the given order, without sorting by headers. */
  readonly sortedBy: number | null;
  /** Rows shown at first. */
  readonly most?: number;
  readonly filtered?: boolean;
  /** Rows whose largest values set the scales, where the table does not hold all of them. */
  readonly scaledBy?: readonly Row[];
}

/** Rows on paper, as a multiple of those shown at first. */
const ON_PAPER = 2;

/** Units whose numbers may differ by millions within a column: each number has its own scale. */
const SCALED_BY_CELL: ReadonlySet<DisplayUnit> = new Set<DisplayUnit>(['bytes', 'memory', 'bytes/s', 'flop', 'flop/s']);

/** A number in its column's scale, or in its own and with its suffix. */
function numberText(value: number | null, unit: DisplayUnit, scale: DisplayScale | null): string {
  if (scale !== null || value === null) return inScale(value, scale ?? scaleOf(unit, 0));
  const own = scaleOf(unit, value);
  return `${inScale(value, own)} ${own.suffix}`;
}

/** Scales by column; null for texts, and for columns without a common scale. */
function scalesOf<Row>({ columns, rows, scaledBy = rows }: TableOptions<Row>): (DisplayScale | null)[] {
  const scaleFor = (unit: DisplayUnit, group: string | undefined): DisplayScale => {
    const together = columns.filter((column) => column.unit === unit && column.group === group);
    const values = together.flatMap(({ cell }) => scaledBy.map(cell)).filter((value) => typeof value === 'number');
    return scaleOfAll(unit, values);
  };
  return columns.map(({ unit, group }) =>
    unit === undefined || SCALED_BY_CELL.has(unit) ? null : scaleFor(unit, group),
  );
}

/** Texts of the headers, with the suffixes of their scales. */
export function headerTexts<Row>(options: TableOptions<Row>): string[] {
  const scales = scalesOf(options);
  return options.columns.map(({ title }, i) => headerText(title, elementAt(scales, i)));
}

function cellOf<Row>(row: Row, column: TableColumn<Row>, scale: DisplayScale | null, isFirst: boolean): HTMLElement {
  const value = column.cell(row);
  const tag = isFirst ? 'th' : 'td';
  const scope = isFirst ? { scope: 'row' } : {};
  if (column.unit === undefined) {
    const content = value === null ? 'na' : String(value);
    const linked = value === null ? null : (column.link?.(row, content) ?? null);
    const text = element('span', { class: 'text', title: value === null ? '' : content }, linked ?? content);
    const before = column.before?.(row) ?? null;
    return element(
      tag,
      { ...scope, class: value === null ? 'unknown' : null },
      ...(before === null ? [] : [before]),
      text,
    );
  }
  const number = typeof value === 'number' ? value : null;
  const text = numberText(number, column.unit, scale);
  const shown = column.field === undefined ? text : namedFigure(column.field(row), number, column.unit, text);
  const part = column.bar?.(row) ?? null;
  const made = element(tag, { ...scope, class: part === null ? 'number' : 'number bar' }, shown);
  if (part !== null) made.style.setProperty('--part', `${(Math.min(1, Math.max(0, part)) * 100).toFixed(2)}%`);
  return made;
}

const headerText = (title: string, scale: DisplayScale | null): string =>
  scale === null || scale.suffix === '' || title.endsWith(scale.suffix) ? title : `${title} (${scale.suffix})`;

/** Rows without sorting and filtering: for trees and short tables. */
export function plainRows<Row>(options: TableOptions<Row>): HTMLElement[] {
  const scales = scalesOf(options);
  return options.rows.map((row) => rowOf(row, options.columns, scales));
}

function rowOf<Row>(
  row: Row,
  columns: readonly TableColumn<Row>[],
  scales: readonly (DisplayScale | null)[],
): HTMLElement {
  const cells = columns.map((column, i) => cellOf(row, column, elementAt(scales, i), i === 0));
  return element('tr', {}, ...cells);
}

/** A table, with its filter above, and the number of rows and a button for all of them below. */
export const table = <Row>(options: TableOptions<Row>): HTMLElement => new SortedTable(options).place;

const MOST_AT_FIRST = 15;

class SortedTable<Row> {
  readonly place: HTMLElement;
  readonly #scales: readonly (DisplayScale | null)[];
  readonly #most: number;
  #by: number | null;
  #isDescending: boolean;
  #filter = '';
  #isAll = false;
  #isPrinted = false;
  readonly #heads: readonly HTMLElement[];
  readonly #body = element('tbody');
  readonly #status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #more: HTMLElement;

  constructor(private readonly options: TableOptions<Row>) {
    const { caption, columns, rows, sortedBy, most = MOST_AT_FIRST, filtered = false } = options;
    this.#scales = scalesOf(options);
    this.#most = most;
    this.#by = sortedBy;
    this.#isDescending = sortedBy !== null && elementAt(columns, sortedBy).unit !== undefined;
    this.#heads = columns.map((column, i) => this.#head(column, i));
    this.#more = button('', () => {
      this.#isAll = !this.#isAll;
      this.#show();
    });
    const inner = element(
      'table',
      { 'aria-label': caption },
      element('thead', {}, element('tr', {}, ...this.#heads)),
      this.#body,
    );
    this.place = element(
      'div',
      { class: 'table' },
      ...(filtered && rows.length > 1 ? [this.#filterBox()] : []),
      scrolling(caption, inner),
      element('div', { class: 'beneath' }, this.#status, this.#more),
    );
    const print = (onPaper: boolean): void => {
      this.#isPrinted = onPaper;
      this.#show();
    };
    if (rows.length > most) whenPrinted(this.place, print);
    this.#show();
  }

  #head(column: TableColumn<Row>, i: number): HTMLElement {
    const text = headerText(column.title, elementAt(this.#scales, i));
    const head = element('th', { scope: 'col', class: column.unit === undefined ? null : 'number' });
    const sort = (): void => {
      this.#isDescending = this.#by === i ? !this.#isDescending : column.unit !== undefined;
      this.#by = i;
      this.#show();
    };
    head.append(this.options.sortedBy === null ? text : button(text, sort));
    return head;
  }

  #filterBox(): HTMLElement {
    const field = filterField(`Filter ${this.options.caption}`, (text) => {
      this.#filter = text;
      this.#show();
    });
    return element('div', { class: 'above' }, field);
  }

  #show(): void {
    const by = this.#by;
    const { columns, rows, sortedBy } = this.options;
    const texts = columns.filter(({ unit }) => unit === undefined);
    const found = filteredRows(rows, (row) => texts.map(({ cell }) => cell(row)), this.#filter);
    const ordered = by === null ? found : sortedRows(found, elementAt(columns, by).cell, this.#isDescending);
    const room = this.#isPrinted ? this.#most * ON_PAPER : this.#isAll ? ordered.length : this.#most;
    const shown = ordered.slice(0, room);
    this.#body.replaceChildren(...shown.map((row) => rowOf(row, columns, this.#scales)));
    if (sortedBy !== null) {
      const direction = this.#isDescending ? 'descending' : 'ascending';
      this.#heads.forEach((head, i) => head.setAttribute('aria-sort', i === by ? direction : 'none'));
    }
    const rest = ordered.length - shown.length;
    const count = rest > 0 ? `${shown.length} of ${ordered.length} rows` : `${ordered.length} rows`;
    const notPrinted = this.#isPrinted && rest > 0 ? `, ${rest} are not on paper` : '';
    this.#status.textContent = rest > 0 || this.#filter !== '' ? count + notPrinted : '';
    this.#more.hidden = ordered.length <= this.#most;
    this.#more.textContent = this.#isAll ? `Show ${this.#most}` : `Show all ${ordered.length}`;
  }
}
