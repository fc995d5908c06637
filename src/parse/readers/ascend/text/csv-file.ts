/**
 * A csv file as a stream of rows: it is read in pieces of whole rows, however large it is. A row may span lines, since
 * quoted cells hold line breaks (call stacks).
 */
import { parse } from 'csv-parse/sync';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { ByteWindow } from '../../../json/byte-window.js';
import { QUOTE } from '../../../json/json-bytes.js';

const NEWLINE = 0x0a;

/** A row larger than this is taken for broken: an unclosed quote swallows all that follows. */
const LARGEST = 64 * 1024 * 1024;
/** Bytes of a piece. */
const PIECE = 1024 * 1024;

/** Odd quotes and rows of other lengths are no reason to stop. */
const LENIENT = {
  bom: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
} as const;

export type CsvRow = readonly string[];

/** Place after the last row that is whole; 0 when none is. Quotes in a cell are doubled, so that they come in pairs. */
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

function* rowsOf(path: string, piece: number): Generator<CsvRow> {
  const window = new ByteWindow(path, piece);
  try {
    let from = 0;
    for (let more = true; more;) {
      more = window.more(from);
      const { bytes, end } = window;
      const to = more && end <= LARGEST ? endOfLastRow(bytes, end) : end;
      if (to > 0) yield* parse(bytes.subarray(0, to), LENIENT);
      from = to;
    }
  } finally {
    window.close();
  }
}

/** Reads cells of a row by the columns' names. */
export class CsvTable {
  private constructor(
    readonly header: CsvRow,
    private readonly rest: Iterable<CsvRow>,
    private readonly diagnostics: Diagnostics,
  ) {}

  /**
   * @param piece bytes read at a time
   * @returns null when the file is empty
   */
  static open(path: string, diagnostics: Diagnostics, piece = PIECE): CsvTable | null {
    const rows = rowsOf(path, piece);
    const first = rows.next();
    if (first.done === true) return null;
    return new CsvTable(
      first.value.map((cell) => cell.trim()),
      { [Symbol.iterator]: () => rows },
      diagnostics,
    );
  }

  /** Place of the column with one of these names, the first that there is; -1 when there is none. */
  column(...names: readonly string[]): number {
    for (const name of names) {
      const place = this.header.indexOf(name);
      if (place !== -1) return place;
    }
    return -1;
  }

  /** Rows below the header, once; those of another length than the header's (a file that was cut) are passed over. */
  *rows(): Generator<CsvRow> {
    for (const row of this.rest) {
      if (row.length === this.header.length) yield row;
      else this.diagnostics.count('csv-row-passed-over');
    }
  }
}
