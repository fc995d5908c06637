/**
 * A framed table for readers. All rows are held until the end, because a column is as wide as its widest cell. They are
 * held as bytes, which are returned in pieces.
 *
 * cli-table3 draws only the frame and the header, because drawing whole tables takes 34 times the CPU at 1,000 rows
 * (`npm run bench formats`: median of 9 pairs), and more for longer ones.
 */
import type CliTable from 'cli-table3';
import { escapeControls } from '../record/control-characters.js';
import { elementAt } from '../containers/element.js';
import { lateLibrary } from '../containers/late-library.js';
import { withThousands } from '../record/plural.js';
import { isToTheRight, shownValue, textOf, type Column, type ColumnShape, type CellValue } from '../table/column.js';
import { cells, cut } from '../table/shortened-texts.js';
import type { Format } from './columns.js';
import { leastWidths, leftOutLine, planColumns } from './fitted-table.js';

/** Loaded only for a framed table, because it consists of a dozen files. */
const cliTable = lateLibrary<typeof CliTable>('cli-table3');

const WIDEST_CELL = 48;
/** Characters of a line at its edges, and between columns. */
const [EDGES, BETWEEN] = ['│  │'.length, ' │ '.length];
/** Separators between stored cells and rows, which cannot occur in texts because control characters are escaped. */
const [CELL_END, ROW_END] = ['\t', '\n'];

export const table: Format = {
  id: 'table',
  title: 'framed, for reading, at most as wide as -w (holds all rows in memory)',
  open({ columns: all, header, width }) {
    const kept: Buffer[] = [];
    const natural = all.map((column) => (header ? cells(column.header) : 0));
    return {
      head: () => '',
      pack: (row) =>
        all.map((column) => cell(column, shownValue(column, row), column.narrow?.(row, Infinity))).join(CELL_END),
      rows: (packed) => {
        if (packed.length === 0) return '';
        for (const row of packed as readonly string[]) {
          for (const [i, text] of row.split(CELL_END).entries())
            natural[i] = Math.max(elementAt(natural, i), cells(text));
        }
        kept.push(Buffer.from(packed.join(ROW_END)));
        return '';
      },
      *end() {
        if (kept.length === 0 && !header) return;
        const widths = width === null ? natural : fittingWidths(all, natural, width);
        const columns = all.slice(0, widths.length);
        const { top, bottom } = frame(columns, widths, header, kept.length > 0);
        yield top;
        for (const rows of kept)
          yield rows
            .toString()
            .split(ROW_END)
            .map((row) => line(columns, widths, row))
            .join('');
        yield bottom;
        const leftOut = all.slice(widths.length).map(({ key }) => key);
        if (leftOut.length > 0 && width !== null) yield `${leftOutLine(leftOut, width)}\n`;
      },
    };
  },
};

/** Widths of the first columns that fit a line between the edges of the frame. */
const fittingWidths = <Row>(columns: readonly Column<Row>[], natural: readonly number[], width: number) =>
  planColumns(
    natural,
    leastWidths(columns, natural, (column) => column.header),
    width - EDGES,
    BETWEEN,
  ).widths;

/** The frame around the rows, taken from the library's frame around one blank row. */
function frame(
  columns: readonly ColumnShape[],
  widths: readonly number[],
  header: boolean,
  rows: boolean,
): { readonly top: string; readonly bottom: string } {
  const framed = new (cliTable())({
    ...(header ? { head: columns.map((column) => column.header) } : {}),
    colAligns: columns.map((column) => (isToTheRight(column) ? 'right' : 'left')),
    colWidths: widths.map((width) => width + 2),
    // Colours would make the text depend on its destination.
    style: { head: [], border: [], compact: true },
  });
  if (rows) framed.push(columns.map(() => ''));
  const lines = framed.toString().split('\n');
  const bottom = lines.pop() ?? '';
  if (rows) lines.pop();
  return { top: lines.map((text) => `${text}\n`).join(''), bottom: `${bottom}\n` };
}

function line(columns: readonly ColumnShape[], widths: readonly number[], row: string): string {
  const texts = row.split(CELL_END);
  const framed = widths.map((width, i) => {
    const text = shortened(elementAt(texts, i), width);
    const blanks = ' '.repeat(width - cells(text));
    return isToTheRight(elementAt(columns, i)) ? blanks + text : text + blanks;
  });
  return `│ ${framed.join(' │ ')} │\n`;
}

/** Quantities have thousands separators; long texts are shortened and marked. */
function cell(column: ColumnShape, value: CellValue, narrow: string | undefined): string {
  if (typeof value === 'number' && column.unit !== undefined) {
    return withThousands(value.toFixed(column.digits ?? 0));
  }
  const text = escapeControls(narrow ?? textOf(column, value));
  return shortened(text, WIDEST_CELL);
}

const shortened = (text: string, width: number): string => (cells(text) <= width ? text : `${cut(text, width - 1)}…`);
