/**
 * Tables that can be sorted by header buttons, filtered by words, and copied as CSV. A long table creates only rows near
 * the window.
 */
import { elementAt } from '../../containers/element.js';
import { button, element, filterField, scrolling, labelledTable, copyButton } from '../document/dom-elements.js';
import { whenPrinted, whenVisible } from '../document/when-visible.js';
import { rowOf, scalesOf, TableHeads, type TableColumn } from './table-cells.js';
import { csvOf, filteredRows, shortTextsOf, type CopiedColumn, type ShortTexts } from './table-sort.js';
import { readFragment } from '../document/fragment.js';
import { keepName } from '../document/kept-choice.js';

/** Number of columns that fit on most screens. Tables with more columns hide some of them. */
const MOST_COLUMNS = 10;

const NAME = 'columns';
const SEPARATOR = '|';

/** Captions of the tables that show all of their columns. */
const wideTables = (): string[] =>
  (readFragment(location.hash).get(NAME) ?? '').split(SEPARATOR).filter((caption) => caption !== '');

function setWide(caption: string, isWide: boolean): void {
  const others = wideTables().filter((other) => other !== caption);
  const list = isWide ? [...others, caption] : others;
  keepName(NAME, list.length === 0 ? null : list.join(SEPARATOR));
}

/** The button that shows all columns of a table with more columns than fit. */
export function moreColumns<Row>(
  table: HTMLElement,
  caption: string,
  columns: readonly TableColumn<Row>[],
): HTMLElement[] {
  const extra = columns.filter(({ isExtra = false }) => isExtra).length;
  const show = (isWide: boolean): void => {
    table.classList.toggle('narrow', !isWide);
    table.style.setProperty('--columns', String(columns.length - (isWide ? 0 : extra)));
  };
  if (extra === 0 || columns.length <= MOST_COLUMNS) {
    show(true);
    return [];
  }
  let isWide = wideTables().includes(caption);
  const toggle = button('', () => {
    isWide = !isWide;
    setWide(caption, isWide);
    say();
  });
  const say = (): void => {
    show(isWide);
    toggle.textContent = isWide ? 'Fewer columns' : `More columns (${extra})`;
    toggle.setAttribute('aria-label', `${toggle.textContent}: ${caption}`);
  };
  say();
  return [toggle];
}

/** @param rows returns the rows to copy; called at each click */
export const csvButton = <Row>(
  caption: string,
  columns: readonly CopiedColumn<Row>[],
  rows: () => readonly Row[],
): HTMLElement => copyButton('Copy as CSV', `Copy as CSV: ${caption}`, () => csvOf(columns, rows()));

export type { TableColumn } from './table-cells.js';

interface TableOptions<Row> {
  /** Name of the table's contents, for screen readers and for the filter's label. */
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Index of the column by which the table is sorted initially; null for the given order. */
  readonly sortedBy: number | null;
  /** Number of rows shown initially. */
  readonly most?: number;
  /** Whether the rows form a chart: in the given order, without buttons. */
  readonly isChart?: boolean;
  /** Whether a row is the current one. */
  readonly isMarked?: (row: Row) => boolean;
}

/** A table that follows a selection elsewhere on the page. */
export interface ShownTable<Row> {
  readonly place: HTMLElement;
  /** Rows that pass the filter, in their order, with or without elements. */
  readonly rows: readonly Row[];
  /** Updates the mark of the current row. */
  readonly mark: () => void;
  /** The element of a row, created if the row is not far after the last created one; null if it is. */
  readonly rowOf: (row: Row) => HTMLElement | null;
  /** The row of an element; null for other elements. */
  readonly itemOf: (made: Element) => Row | null;
}

const MOST_AT_FIRST = 15;
/** Minimum number of rows of a table with a filter. */
const FILTERED_FROM = 11;
/** Number of printed rows, as a multiple of the rows shown initially. */
const ON_PAPER = 2;
/** Number of rows that are created at once, which takes about 20 ms. */
const BATCH = 200;
/** Maximum rows that are created at once to show one of them. */
const MOST_BEHIND = 2000;

/** A table with its filter above, and below it the number of rows, a button for all rows, and a button to copy them. */
export const table = <Row>(options: TableOptions<Row>): HTMLElement => new SortedTable(options).place;

/** The same, with functions to follow a selection. */
export const sortedTable = <Row>(options: TableOptions<Row>): ShownTable<Row> => new SortedTable(options);

const above = (...controls: readonly HTMLElement[]): HTMLElement[] =>
  controls.length === 0 ? [] : [element('div', { class: 'above' }, ...controls)];

class SortedTable<Row> implements ShownTable<Row> {
  readonly place: HTMLElement;
  readonly #scales: ReturnType<typeof scalesOf>;
  readonly #short: ShortTexts;
  readonly #most: number;
  readonly #heads: TableHeads<Row>;
  #filter = '';
  #isAll = false;
  #isPrinted = false;
  /** Rows that pass the filter, in their order. */
  #found: readonly Row[] = [];
  readonly #body = element('tbody');
  readonly #status = element('p', { class: 'status', 'aria-live': 'polite' });
  readonly #more: HTMLElement;
  /** Marks the end of the created rows; when it comes near the window, the next rows are created. */
  readonly #end = element('div');

  constructor(private readonly options: TableOptions<Row>) {
    const { caption, columns, rows, sortedBy, most = MOST_AT_FIRST, isChart = false } = options;
    this.#scales = scalesOf(options);
    this.#short = shortTextsOf(columns, rows);
    this.#most = most;
    const isSorted = !isChart && rows.length > 1;
    this.#heads = new TableHeads(columns, this.#scales, sortedBy, isSorted ? () => this.#show() : null);
    this.#more = button('', () => {
      this.#isAll = !this.#isAll;
      this.#show();
    });
    const head = element('thead', {}, this.#heads.row);
    const inner = labelledTable(caption, columns.length, head, this.#body);
    const copy = isChart ? [] : [csvButton(caption, columns, () => this.#found)];
    this.place = element(
      'div',
      { class: 'table' },
      ...above(
        ...(rows.length >= FILTERED_FROM && !isChart ? [this.#filterField()] : []),
        ...moreColumns(inner, caption, columns),
      ),
      scrolling(caption, inner),
      this.#end,
      element('div', { class: 'beneath' }, this.#status, this.#more, ...copy),
    );
    const print = (onPaper: boolean): void => {
      this.#isPrinted = onPaper;
      this.#show();
    };
    if (rows.length > most) whenPrinted(this.place, print);
    this.#show();
  }

  #filterField(): HTMLElement {
    return filterField(`Filter ${this.options.caption}`, (text) => {
      this.#filter = text;
      this.#show();
    });
  }

  get rows(): readonly Row[] {
    return this.#found;
  }

  mark(): void {
    const { isMarked } = this.options;
    if (isMarked === undefined) return;
    const made = [...this.#body.children];
    for (const [i, row] of made.entries()) {
      if (isMarked(elementAt(this.#found, i))) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
    }
  }

  rowOf(row: Row): HTMLElement | null {
    const at = this.#found.indexOf(row);
    if (at === -1 || at > this.#body.childElementCount + MOST_BEHIND) return null;
    if (at >= this.#most && !this.#isAll) {
      this.#isAll = true;
      this.#sayCount();
    }
    while (at >= this.#body.childElementCount) this.#fill();
    return this.#body.children[at] as HTMLElement;
  }

  itemOf(made: Element): Row | null {
    const at = [...this.#body.children].indexOf(made);
    return at === -1 ? null : elementAt(this.#found, at);
  }

  get #room(): number {
    return this.#isPrinted ? this.#most * ON_PAPER : this.#isAll ? Infinity : this.#most;
  }

  #show(): void {
    const { columns, rows } = this.options;
    const texts = columns.filter(({ unit }) => unit === undefined);
    const found = filteredRows(rows, (row) => texts.map(({ cell }) => cell(row)), this.#filter);
    this.#found = this.#heads.inOrder(found, (row) => row);
    this.#body.replaceChildren();
    this.#fill();
    this.#sayCount();
  }

  /** Shows the number of visible rows, and the button for the others. */
  #sayCount(): void {
    const all = this.#found.length;
    const shown = Math.min(this.#room, all);
    const rest = all - shown;
    const count = rest > 0 ? `${shown} of ${all} rows` : `${all} rows`;
    const notPrinted = this.#isPrinted && rest > 0 ? `, ${rest} are not printed` : '';
    this.#status.textContent = rest > 0 || this.#filter !== '' ? count + notPrinted : '';
    this.#more.hidden = all <= this.#most;
    this.#more.textContent = this.#isAll ? `Show ${this.#most}` : `Show all ${all}`;
  }

  /** Creates the next rows; more follow when the user scrolls to them. */
  #fill(): void {
    const made = this.#body.childElementCount;
    const to = Math.min(this.#room, made + BATCH, this.#found.length);
    const rows = this.#found.slice(made, to).map((row) => rowOf(row, this.options.columns, this.#scales, this.#short));
    this.#body.append(...rows);
    this.mark();
    if (to < Math.min(this.#room, this.#found.length)) whenVisible(this.#end, () => this.#fill());
  }
}
