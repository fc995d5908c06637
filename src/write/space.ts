/** One blank between cells and none inside: for awk. */
import { shownValue } from '../table/column.js';
import { cellText, word } from './cell-text.js';
import type { Format } from './format.js';

export const space: Format = {
  id: 'space',
  title: 'one blank between cells, none inside, for awk (the default)',
  open({ columns, header }) {
    const line = (texts: readonly string[]): string => `${texts.join(' ')}\n`;
    return {
      head: () => (header ? line(columns.map((column) => column.header)) : ''),
      pack: (row) => line(columns.map((column) => cellText(column, shownValue(column, row), word))),
      rows: (packed) => packed.join(''),
      end: () => [],
    };
  },
};
