/** Tables that are sorted by their header buttons and filtered by words. */
import { elementAt } from '../../containers/element.js';
import { button, element } from '../document/dom-elements.js';
import { namedFigure } from './figure.js';
import { sortedRows, filteredRows, type TableCell } from './table-sort.js';
import { whenPrinted } from '../document/paper.js';
import { inScale, scaleOf, scaleOfAll, type Scale, type Unit } from '../document/units.js';

export interface TableColumn<Row> {
  readonly title: string;
  /** Unit of a column of numbers; columns of texts have none. */
  readonly unit?: Unit;
  /** Columns of one unit and group share a scale, so that their numbers compare. */
  readonly group?: string;
  readonly cell: (row: Row) => TableCell;
  /** Field of the number, see `field.ts`. */
  readonly field?: (row: Row) => string;
  /** Length of a bar behind the number, 0 to 1. */
  readonly bar?: (row: Row) => number | null;
  /** A button or mark before the text. */
  readonly before?: (row: Row) => Node | null;
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

interface TableState {
  by: number | null;
  descending: boolean;
  filter: string;
  all: boolean;
  onPaper: boolean;
}

/** Units whose numbers may differ by millions within a column: each number has its own scale. */
const SCALED_BY_CELL: ReadonlySet<Unit> = new Set<Unit>(['bytes', 'bytes/s', 'flop', 'flop/s']);

/** A number in its column's scale, or in its own and with its suffix. */
function numberText(value: number | null, unit: Unit, scale: Scale | null): string {
  if (scale !== null || value === null) return inScale(value, scale ?? scaleOf(unit, 0));
  const own = scaleOf(unit, value);
  return `${inScale(value, own)} ${own.suffix}`;
}

/** Scales by column; null for texts, and for columns without a common scale. */
function scalesOf<Row>({ columns, rows, scaledBy = rows }: TableOptions<Row>): (Scale | null)[] {
  const scaleFor = (unit: Unit, group: string | undefined): Scale => {
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
  return options.columns.map(({ title }, i) => headerText(title, scales[i] ?? null));
}

function cellOf<Row>(row: Row, column: TableColumn<Row>, scale: Scale | null, isFirst: boolean): HTMLElement {
  const value = column.cell(row);
  const tag = isFirst ? 'th' : 'td';
  const scope = isFirst ? { scope: 'row' } : {};
  if (column.unit === undefined) {
    const text = element('span', { class: 'text', title: String(value ?? '') }, value === null ? 'na' : String(value));
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

const headerText = (title: string, scale: Scale | null): string =>
  scale === null || scale.suffix === '' || title.endsWith(scale.suffix) ? title : `${title} (${scale.suffix})`;

/** A wrapper that scrolls a table wider than the page. */
const scrolling = (caption: string, inner: HTMLElement): HTMLElement =>
  element('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 }, inner);

/** Rows without sorting and filtering: for trees and short tables. */
export function plainRows<Row>(options: TableOptions<Row>): HTMLElement[] {
  const scales = scalesOf(options);
  return options.rows.map((row) =>
    element('tr', {}, ...options.columns.map((column, i) => cellOf(row, column, scales[i] ?? null, i === 0))),
  );
}

/** A table, with its filter above, and the number of rows and a button for all of them below. */
export function table<Row>(options: TableOptions<Row>): HTMLElement {
  const { caption, columns, rows, sortedBy, most = 15, filtered = false } = options;
  const scales = scalesOf(options);
  const state: TableState = {
    by: sortedBy,
    descending: columns[sortedBy ?? 0]?.unit !== undefined,
    filter: '',
    all: false,
    onPaper: false,
  };
  const body = element('tbody');
  const status = element('p', { class: 'status', 'aria-live': 'polite' });
  const heads = columns.map((column, i) => {
    const text = headerText(column.title, scales[i] ?? null);
    const head = element('th', { scope: 'col', class: column.unit === undefined ? null : 'number' });
    const sort = (): void => {
      state.descending = state.by === i ? !state.descending : column.unit !== undefined;
      state.by = i;
      show();
    };
    head.append(sortedBy === null ? text : button(text, sort));
    return head;
  });

  const show = (): void => {
    const texts = columns.filter(({ unit }) => unit === undefined);
    const found = filteredRows(rows, (row) => texts.map(({ cell }) => cell(row)), state.filter);
    const ordered = state.by === null ? found : sortedRows(found, elementAt(columns, state.by).cell, state.descending);
    const room = state.onPaper ? most * ON_PAPER : state.all ? ordered.length : most;
    const shown = ordered.slice(0, room);
    body.replaceChildren(
      ...shown.map((row) =>
        element('tr', {}, ...columns.map((one, i) => cellOf(row, one, scales[i] ?? null, i === 0))),
      ),
    );
    heads.forEach((head, i) => {
      const direction = state.descending ? 'descending' : 'ascending';
      if (sortedBy !== null) head.setAttribute('aria-sort', i === state.by ? direction : 'none');
    });
    const rest = ordered.length - shown.length;
    const count = rest > 0 ? `${shown.length} of ${ordered.length} rows` : `${ordered.length} rows`;
    const about = state.onPaper && rest > 0 ? `, ${rest} are not on paper` : '';
    status.replaceChildren(rest > 0 || state.filter !== '' ? count + about : '');
    more.hidden = ordered.length <= most;
    more.textContent = state.all ? `Show ${most}` : `Show all ${ordered.length}`;
  };

  const more = button('', () => {
    state.all = !state.all;
    show();
  });
  const top: Node[] = [];
  if (filtered && rows.length > 1) {
    const input = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': `Filter ${caption}` });
    input.addEventListener('input', () => {
      state.filter = input.value;
      show();
    });
    top.push(element('div', { class: 'above' }, input));
  }
  const head = element('thead', {}, element('tr', {}, ...heads));
  show();
  const inner = element('table', { 'aria-label': caption }, head, body);
  const place = element(
    'div',
    { class: 'table' },
    ...top,
    scrolling(caption, inner),
    element('div', { class: 'beneath' }, status, more),
  );
  const print = (onPaper: boolean): void => {
    state.onPaper = onPaper;
    show();
  };
  if (rows.length > most) whenPrinted(place, print);
  return place;
}
