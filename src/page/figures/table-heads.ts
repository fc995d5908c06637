/** Heads of a table's columns: buttons that sort it. */
import { elementAt } from '../../containers/element.js';
import { button, element } from '../document/dom-elements.js';
import type { DisplayScale } from '../document/units.js';
import { classOf, headerText, type TableColumn } from './table-cells.js';
import { sortedRows } from './table-sort.js';

export class TableHeads<Row> {
  readonly row: HTMLElement;
  readonly #heads: readonly HTMLElement[];
  /** Index of the column that sorts; null for the given order. */
  #by: number | null;
  #isDescending: boolean;

  /** @param sort called when another order was chosen; null for heads without buttons */
  constructor(
    private readonly columns: readonly TableColumn<Row>[],
    scales: readonly (DisplayScale | null)[],
    by: number | null,
    sort: (() => void) | null,
  ) {
    this.#by = by;
    this.#isDescending = by !== null && elementAt(columns, by).unit !== undefined;
    this.#heads = columns.map(({ title, unit, isExtra = false }, i) => {
      const text = headerText(title, elementAt(scales, i));
      const content = sort === null ? text : button(text, () => this.#choose(i, sort));
      return element('th', { scope: 'col', class: classOf(unit === undefined ? null : 'number', isExtra) }, content);
    });
    this.row = element('tr', {}, ...this.#heads);
    if (sort !== null) this.#mark();
  }

  /** Rows in the chosen order; in their own where none was chosen. @param rowOf what a column reads of an item */
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
