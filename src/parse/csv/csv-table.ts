/**
 * Streaming reader of CSV files, in chunks of whole rows. A row may span lines, because quoted cells may contain line
 * breaks.
 */
import type * as CsvParse from 'csv-parse/sync';
import { lateLibrary } from '../../containers/late-library.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import { firstBytes, refuseUtf16 } from '../files.js';
import { ByteWindow } from '../input/byte-window.js';
import { QUOTE, nanosecondsAt } from '../json/json-bytes.js';

/** Loaded only for CSV files, because most profiles are in other formats. */
const csvParse = lateLibrary<typeof CsvParse>('csv-parse/sync');

const NEWLINE = 0x0a;

/** Size limit of a row: an unclosed quote swallows everything after it. */
const LARGEST = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Stray quotes, rows of other lengths and mixed line ends in one file are tolerated. */
const LENIENT = {
  bom: true,
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
} satisfies CsvParse.Options;

export type CsvRow = readonly string[];

/** Text of a row in the first of these columns that has one; '' when none has. The case of column names does not matter. */
export type CsvCells = (...columns: readonly string[]) => string;

interface CsvOptions {
  /** Number of lines above the header; they may contain anything. */
  readonly above?: number;
  /**
   * Which rows are kept: only those as long as the header (`whole`, the default), shorter ones too (`short`), or all
   * (`any`).
   */
  readonly rows?: 'whole' | 'short' | 'any';
  /** Bytes read at a time. */
  readonly chunkBytes?: number;
}

/**
 * Offset after the last complete row; 0 when there is none. Quotes come in pairs, because those inside a cell are doubled.
 */
function endOfLastRow(bytes: Buffer, end: number): number {
  let last = 0;
  let quoted = false;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) quoted = !quoted;
    else if (byte === NEWLINE && !quoted) last = at + 1;
  }
  return last;
}

/**
 * Skips lines.
 * @returns offset in the window after these lines
 */
function skipLines(window: ByteWindow, lines: number): number {
  let at = 0;
  for (let left = lines; left > 0;) {
    const newline = window.bytes.subarray(0, window.end).indexOf(NEWLINE, at);
    at = newline === -1 ? window.end : newline + 1;
    if (newline !== -1) left--;
    else if (window.more(at)) at = 0;
    else return 0;
  }
  return at;
}

/** A row without a line break at its end, which may be cut off. */
class LastRow extends Array<string> {}

/** Cells of the text after the last line break. A row that is cut off inside quotes has no cells. */
function lastRow(bytes: Buffer): LastRow {
  const row: CsvRow | undefined = csvParse().parse(bytes, LENIENT)[0];
  return LastRow.from(row ?? []);
}

function* rowsOf(
  path: string,
  diagnostics: Diagnostics,
  { above = 0, chunkBytes = CHUNK_BYTES }: CsvOptions,
): Generator<CsvRow> {
  const options = {
    ...LENIENT,
    on_skip: (): undefined => {
      diagnostics.count('csv-row-passed-over');
    },
  };
  const window = new ByteWindow(path, chunkBytes);
  try {
    let from = skipLines(window, above);
    for (let more = true; more;) {
      more = window.more(from);
      const { bytes, end } = window;
      const complete = end <= LARGEST ? endOfLastRow(bytes, end) : end;
      const rest = bytes.subarray(complete, end);
      // Stray quotes may join lines. The remaining text is then parsed as rows as far as possible.
      const to = more || (rest.length > 0 && !rest.includes(NEWLINE)) ? complete : end;
      if (to > 0) yield* csvParse().parse(bytes.subarray(0, to), options);
      if (!more && to < end) yield lastRow(rest);
      from = to;
    }
  } finally {
    window.close();
  }
}

export class CsvTable {
  private constructor(
    readonly header: CsvRow,
    private readonly rest: Iterable<CsvRow>,
    private readonly diagnostics: Diagnostics,
    private readonly kept: NonNullable<CsvOptions['rows']>,
  ) {}

  /**
   * Opens a CSV file; null when it has no header.
   * @throws Utf16Input for a file in UTF-16
   */
  static open(path: string, diagnostics: Diagnostics, options: CsvOptions = {}): CsvTable | null {
    refuseUtf16(firstBytes(path, 4), path);
    const rows = rowsOf(path, diagnostics, options);
    const first = rows.next();
    if (first.done === true) return null;
    return new CsvTable(
      first.value.map((cell) => cell.trim()),
      { [Symbol.iterator]: () => rows },
      diagnostics,
      options.rows ?? 'whole',
    );
  }

  /** Index of the first of these columns that exists; -1 when there is none. */
  column(...names: readonly string[]): number {
    for (const name of names) {
      const index = this.header.indexOf(name);
      if (index !== -1) return index;
    }
    return -1;
  }

  /**
   * Iterates once over the rows below the header; rows that are not kept are skipped and counted. A last row without a line
   * break also counts as a row, although its last cell may be incomplete. If it has too few cells, the file is cut off
   * inside it.
   */
  *rows(): Generator<CsvRow> {
    for (const row of this.rest) {
      if (row instanceof LastRow && this.#isCut(row)) this.diagnostics.count('truncated-input');
      else if (row.length === this.header.length || this.kept === 'any') yield row;
      else if (row.length < this.header.length && this.kept === 'short') {
        this.diagnostics.count('csv-row-short');
        yield row;
      } else this.diagnostics.count('csv-row-passed-over');
    }
  }

  /** The same rows, each as a function that looks up cells by column name. */
  *cells(): Generator<CsvCells> {
    const columns = new Map(this.header.map((name, index) => [name.toLowerCase(), index]));
    for (const row of this.rows()) {
      const textIn = (name: string): string => textOfCell(row[columns.get(name.toLowerCase()) ?? -1]);
      yield (...names) => names.map(textIn).find((text) => text !== '') ?? '';
    }
  }

  /**
   * Whether a last row is cut off. In a file with rows of any length, only a row that begins with its number is
   * checked. Other rows are plain text.
   */
  #isCut(row: CsvRow): boolean {
    if (row.length === 0) return true;
    return row.length < this.header.length && (this.kept !== 'any' || /^\d+$/.test(row[0] ?? ''));
  }
}

/**
 * The cells of some columns of a CSV file, row by row.
 * @param required columns that the file must have
 * @param others columns that may be missing; their cells are then undefined
 * @returns null when a required column is missing
 */
export function cellsOf(
  path: string,
  diagnostics: Diagnostics,
  required: readonly string[],
  others: readonly string[] = [],
): Iterable<readonly (string | undefined)[]> | null {
  const table = CsvTable.open(path, diagnostics);
  if (table === null || required.some((name) => table.column(name) === -1)) return null;
  const indices = [...required, ...others].map((name) => table.column(name));
  return cellsAt(table, indices);
}

function* cellsAt(table: CsvTable, indices: readonly number[]): Generator<readonly (string | undefined)[]> {
  for (const row of table.rows()) yield indices.map((index) => row[index]);
}

/** Text of a cell; '' when its column is missing. Ascend's times have a tab at the end. */
export const textOfCell = (cell: string | undefined): string => (cell === undefined ? '' : cell.trim());

/** Number in a cell; NaN for `N/A` and an empty cell. */
export function numberOfCell(cell: string | undefined): number {
  const text = textOfCell(cell);
  return /^[-+]?(\d|\.\d)/.test(text) ? Number(text) : NaN;
}

/** Microseconds in a cell, converted to ns; NaN when there are none. */
export function microsecondsOfCell(cell: string | undefined): number {
  const bytes = Buffer.from(textOfCell(cell), 'latin1');
  return bytes.length === 0 ? NaN : nanosecondsAt(bytes, 0, bytes.length, 0);
}
