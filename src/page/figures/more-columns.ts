/** Wide tables: a button shows the columns that say less, and hides them again. The address keeps which tables are wide. */
import { button } from '../document/dom-elements.js';
import { readFragment } from '../document/fragment.js';
import { keepName } from '../document/kept-choice.js';
import type { TableColumn } from './table-cells.js';

/** Columns that fit on most screens: tables with more of them hide some. */
const MOST_COLUMNS = 10;

const NAME = 'columns';
const SEPARATOR = '|';

/** Captions of the tables that show all of their columns. */
const wideTables = (): string[] =>
  (readFragment(location.hash).get(NAME) ?? '').split(SEPARATOR).filter((caption) => caption !== '');

function setWide(caption: string, isWide: boolean): void {
  const others = wideTables().filter((one) => one !== caption);
  const list = isWide ? [...others, caption] : others;
  keepName(NAME, list.length === 0 ? null : list.join(SEPARATOR));
}

/** The button, for a table that has more columns than fit. */
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
