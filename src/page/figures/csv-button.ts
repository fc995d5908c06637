/** The button that copies a table as CSV. */
import { copyButton } from '../document/copy-button.js';
import { csvOf, type CopiedColumn } from './table-csv.js';

/** @param rows those to be copied, asked for at each click */
export const csvButton = <Row>(
  caption: string,
  columns: readonly CopiedColumn<Row>[],
  rows: () => readonly Row[],
): HTMLElement => copyButton('Copy as CSV', `Copy as CSV: ${caption}`, () => csvOf(columns, rows()));
